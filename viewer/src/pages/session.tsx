// The page of one session: what it was told, and turn by turn what was asked, what was done and what is remembered of it.
import { useState } from 'preact/hooks';
import type { ReplayAnswer } from '../../../src/core/context.ts';
import type { SessionPage as SessionAnswer, SessionTurn } from '../../../src/core/session.ts';
import { useCardKeys } from '../card-keys.ts';
import { formatNumber } from '../format.ts';
import { Empty } from '../parts/empty.tsx';
import { Problem } from '../parts/problem.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { useAnswer } from '../use-answer.ts';
import type { PageProps } from './index.ts';
import { SessionHead } from './session/head.tsx';
import { ToldThen } from './session/told-then.tsx';
import { Turn } from './session/turn.tsx';
import { useNews } from './session/use-news.ts';
import { usePages } from './sessions/use-pages.ts';
import '../styles/session.css';

const TURNS = 20;
/** A session of this many turns is read at a glance: nothing is folded. */
const FEW = 6;

/** Whatever happens in this session belongs on its page. */
const NEWS = ['prompt', 'event', 'observation', 'summary', 'session', 'reset'] as const;
const SETTLE_MS = 300;

export function SessionPage({ rest: session }: PageProps) {
  useCardKeys();
  const path = session ? `/api/sessions/${encodeURIComponent(session)}` : null;
  const { items, answer, error, isAsking, more, again, follow } = usePages<SessionTurn, SessionAnswer>(
    path,
    {},
    (page) => page.turns,
    TURNS,
  );
  const told = useAnswer<ReplayAnswer>(session ? '/api/context/replay' : null, { session });
  const total = answer?.total ?? 0;
  const id = answer?.session.session ?? session;
  useNews({
    types: NEWS,
    isMeant: (data) => !('session' in data) || data.session === id,
    look: items.length <= TURNS ? again : follow,
    waitMs: SETTLE_MS,
  });
  return (
    <div class="page session">
      {!answer && (
        <header>
          <h1>Session</h1>
        </header>
      )}
      {!session && (
        <Empty title="Which session?">
          <p>
            <a href="/view/sessions">Choose one of the sessions.</a>
          </p>
        </Empty>
      )}
      {error && <Problem error={error} onRetry={again} />}
      {session && !answer && !error && <Skeleton />}
      {answer && (
        <>
          <SessionHead session={answer.session} />
          {told.data && <ToldThen tellings={told.data.tellings} />}
          <Turns turns={items} isFew={total <= FEW} />
          {items.length === 0 && <p class="faint">Nothing was asked yet.</p>}
          {items.length < total && (
            <p class="row">
              <button type="button" onClick={more} disabled={isAsking}>
                Show more turns
              </button>
              <span class="faint small number">
                {formatNumber(items.length)} of {formatNumber(total)}
              </span>
            </p>
          )}
        </>
      )}
    </div>
  );
}

type TurnsProps = { turns: SessionTurn[]; isFew: boolean };

function Turns({ turns, isFew }: TurnsProps) {
  /** Counts up, so that each turn begins anew. */
  const [all, setAll] = useState<{ isOpen: boolean | null; round: number }>({ isOpen: null, round: 0 });
  const last = turns.at(-1)?.number;
  const isAllOpen = all.isOpen ?? isFew;
  return (
    <section aria-labelledby="turns">
      <div class="row spread turns-head">
        <h2 id="turns">Turns</h2>
        {turns.length > 1 && (
          <button type="button" class="quiet" onClick={() => setAll({ isOpen: !isAllOpen, round: all.round + 1 })}>
            {isAllOpen ? 'Fold all' : 'Open all'}
          </button>
        )}
      </div>
      {turns.map((turn) => (
        <Turn
          key={`${all.round}-${turn.number}`}
          turn={turn}
          isOpenAtFirst={isAllOpen || (all.isOpen === null && turn.number === last)}
        />
      ))}
    </section>
  );
}
