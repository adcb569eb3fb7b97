// The turns of a session in either order, to open and fold together; and the way to the last one.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { SessionTurn } from '../../../../src/core/shapes/memory.ts';
import { formatCount, formatNumber } from '../../format.ts';
import { setQuery } from '../../router.ts';
import { Turn } from './turn.tsx';

export type TurnsProps = {
  turns: SessionTurn[];
  /** Of all that there are. */
  total: number;
  order: 'oldest' | 'newest';
  /** Those that are not here yet are wanted. */
  onWantAll: () => void;
};

/** A session of this many turns is read at a glance: nothing is folded. */
const FEW = 6;

export function Turns({ turns, total, order, onWantAll }: TurnsProps) {
  /** Counts up, so that each turn begins anew. */
  const [all, setAll] = useState<{ isOpen: boolean | null; round: number }>({ isOpen: null, round: 0 });
  const isAllOpen = all.isOpen ?? total <= FEW;
  const isWhole = turns.length >= total;
  const { ref, goToLast } = useLastTurn(isWhole, turns.length, onWantAll);
  // The one that was last; of a session that is too long to be here whole, the one that is on top.
  const first = order === 'oldest' && isWhole ? turns.at(-1)?.number : turns[0]?.number;
  return (
    <section ref={ref} aria-labelledby="turns">
      <div class="row spread turns-head">
        <h2 id="turns">Turns {total > FEW && <span class="faint number turns-count">{formatNumber(total)}</span>}</h2>
        {total > 1 && (
          <div class="row">
            {total > FEW && order === 'oldest' && (
              <button type="button" class="quiet" onClick={goToLast}>
                To the last turn
              </button>
            )}
            <button type="button" class="quiet" onClick={() => setAll({ isOpen: !isAllOpen, round: all.round + 1 })}>
              {isAllOpen ? 'Fold all' : sayOpen(turns.length, isWhole)}
            </button>
            <OrderChoice order={order} />
          </div>
        )}
      </div>
      {turns.map((turn) => (
        <Turn key={`${all.round}-${turn.number}`} turn={turn} isOpenAtFirst={isAllOpen || (all.isOpen === null && turn.number === first)} />
      ))}
    </section>
  );
}

const sayOpen = (count: number, isWhole: boolean) => `Open ${isWhole ? 'all' : 'these'} ${formatCount(count, 'turn')}`;

const ORDERS = [
  ['oldest', 'Oldest first'],
  ['newest', 'Newest first'],
] as const;

const OrderChoice = ({ order }: { order: TurnsProps['order'] }) => (
  <fieldset class="segments" aria-label="Order">
    {ORDERS.map(([id, name]) => (
      <button
        key={id}
        type="button"
        class="quiet"
        aria-pressed={order === id}
        onClick={() => setQuery({ order: id === 'newest' ? id : null })}
      >
        {name}
      </button>
    ))}
  </fieldset>
);

/** What is not here yet is asked for first. */
function useLastTurn(isWhole: boolean, count: number, onWantAll: () => void) {
  const ref = useRef<HTMLElement>(null);
  const [isWanted, setWanted] = useState(false);
  useEffect(() => {
    if (!isWanted) return;
    if (!isWhole) {
      onWantAll();
      return;
    }
    const last = [...(ref.current?.querySelectorAll<HTMLElement>('.turn > summary') ?? [])].at(-1);
    last?.focus({ preventScroll: true });
    last?.scrollIntoView({ block: 'center' });
    setWanted(false);
  }, [isWanted, isWhole, count]);
  return { ref, goToLast: () => setWanted(true) };
}
