// Two that apply and seem to disagree: a person says which one does, or that both do.
import { decide, type Pair } from '../../correct.ts';
import { formatAge, formatCount, formatId } from '../../format.ts';
import { openPanel } from '../../panel.ts';
import { Icon, TypeIcon } from '../../parts/icon.tsx';

const CHOICES = [
  ['newer', 'Newer applies'],
  ['older', 'Older applies'],
  ['both', 'Both apply'],
] as const;
/** More of them would push away what applies: they are folded. */
const MOST_OPEN = 2;

export function Contradictions({ pairs, onDecided }: { pairs: readonly Pair[]; onDecided: () => void }) {
  if (pairs.length === 0) return null;
  return (
    <details class="contradictions note warn" open={pairs.length <= MOST_OPEN}>
      <summary>
        <Icon name="warn" /> {formatCount(pairs.length, 'pair')} may contradict each other
      </summary>
      {pairs.map((pair) => (
        <div key={`${pair.newer.id} ${pair.older.id}`} class="contradiction">
          {[pair.newer, pair.older].map((row, at) => (
            <p key={row.id}>
              <TypeIcon type={row.type} />
              <button type="button" class="quiet contradiction-title" onClick={() => openPanel(row.id)}>
                <bdi>{row.title}</bdi>
              </button>
              <span class="tiny number">
                {at === 0 ? 'newer' : 'older'}, {formatAge(row.at)} {formatId(row.id)}
              </span>
            </p>
          ))}
          <p class="small">
            {pair.why}
            {pair.words && ` (“${pair.words}”)`}
          </p>
          <p class="row">
            {CHOICES.map(([holds, name]) => (
              <button key={holds} type="button" onClick={() => decide(pair, holds, onDecided).then(onDecided)}>
                {name}
              </button>
            ))}
          </p>
        </div>
      ))}
    </details>
  );
}
