// The page of one session: the context it got, and turn by turn what was asked, said and done, and what is remembered of it.
import '../styles/session.css';
import '../styles/steps.css';
import '../styles/detail.css';
import type { ReplayAnswer } from '../../../src/core/shapes/context.ts';
import type { SessionPage as SessionAnswer, SessionTurn } from '../../../src/core/shapes/memory.ts';
import { useCardKeys } from '../card-keys.ts';
import { formatNumber } from '../format.ts';
import { Empty } from '../parts/empty.tsx';
import { Problem } from '../parts/problem.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { place } from '../router.ts';
import { useAnswer } from '../use-answer.ts';
import type { PageProps } from './index.ts';
import { SessionHead } from './session/head.tsx';
import { RollUp } from './session/roll-up.tsx';
import { ToldThen } from './session/told-then.tsx';
import { Turns } from './session/turns.tsx';
import { useNews } from './session/use-news.ts';
import { usePages } from './sessions/use-pages.ts';

const TURNS = 20;
/** Whatever happens in this session belongs on its page. */
const NEWS = ['prompt', 'event', 'observation', 'summary', 'session', 'reset'] as const;
const SETTLE_MS = 300;
/** Ends of sessions that were read afterwards: what they were given did not come along. */
const IMPORTED = ['import', 'transcript'];

export function SessionPage({ rest: session }: PageProps) {
  useCardKeys();
  const order = place.value.query.get('order') === 'newest' ? 'newest' : 'oldest';
  const path = session ? `/api/sessions/${encodeURIComponent(session)}` : null;
  const { items, answer, error, isAsking, more, manyMore, again, follow } = usePages<SessionTurn, SessionAnswer>(
    path,
    { order: order === 'newest' ? order : null },
    (page) => page.turns,
    TURNS,
  );
  const told = useAnswer<ReplayAnswer>(session ? '/api/context/replay' : null, { session });
  const total = answer?.total ?? 0;
  const id = answer?.session.session ?? session;
  useNews({
    types: NEWS,
    isMeant: (data) => !('session' in data) || data.session === id,
    look: items.length <= TURNS || order === 'newest' ? again : follow,
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
      {error && (error.status === 404 ? <Unknown session={session} /> : <Problem error={error} onRetry={again} />)}
      {session && !answer && !error && <Skeleton />}
      {answer && (
        <>
          <SessionHead session={answer.session} />
          <RollUp rollUp={answer.rollUp} />
          {told.data && <ToldThen tellings={told.data.tellings} isImported={IMPORTED.includes(answer.session.endReason ?? '')} />}
          <Turns key={order} turns={items} total={total} order={order} onWantAll={manyMore} />
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

const Unknown = ({ session }: { session: string }) => (
  <Empty title={`There is no session ${session.slice(0, 60)}`}>
    <p>
      It may be deleted, or its id is not complete. <a href="/view/sessions">All sessions</a>
    </p>
  </Empty>
);
