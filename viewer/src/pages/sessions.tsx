// The page "Sessions": every session, by day, the latest first.

import type { ListedSession } from '../../../src/core/shapes/project.ts';
import { readFilter } from '../filter.ts';
import { formatDay, startOfDay } from '../format.ts';
import { Empty } from '../parts/empty.tsx';
import { ProjectChoice } from '../parts/filters.tsx';
import { Problem } from '../parts/problem.tsx';
import { ShowMore } from '../parts/show-more.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import type { PageProps } from './index.ts';
import { useNews } from './session/use-news.ts';
import { SessionRow } from './sessions/session-row.tsx';
import { usePages } from './sessions/use-pages.ts';
import '../styles/session.css';

const NEWS = ['session', 'reset'] as const;
const SETTLE_MS = 500;

type SessionsAnswer = { items: ListedSession[]; total: number };

export function SessionsPage(_: PageProps) {
  const filter = readFilter();
  const { items, answer, error, isAsking, more, again } = usePages<ListedSession, SessionsAnswer>(
    '/api/sessions',
    { project: filter.project },
    (page) => page.items,
  );
  useNews({ types: NEWS, look: again, waitMs: SETTLE_MS });
  const days = [...Map.groupBy(items, ({ updatedAt }) => startOfDay(updatedAt))];
  const total = answer?.total ?? 0;
  return (
    <div class="page sessions">
      <header>
        <h1>Sessions</h1>
        <ProjectChoice filter={filter} />
      </header>
      {error && <Problem error={error} onRetry={again} />}
      {!answer && !error && <Skeleton rows={6} />}
      {answer && items.length === 0 && <Nothing project={filter.project} />}
      {days.map(([day, those]) => (
        <section key={day} aria-label={formatDay(day)}>
          <h2 class="day">{formatDay(day)}</h2>
          <ul class="session-list">
            {those.map((session) => (
              <SessionRow key={session.session} session={session} />
            ))}
          </ul>
        </section>
      ))}
      <ShowMore shown={items.length} total={total} isAsking={isAsking} onMore={more} />
    </div>
  );
}

const Nothing = ({ project }: { project: string }) =>
  project ? (
    <Empty title="No session of this project">
      <p>Its memories come from elsewhere: the git log, or an import.</p>
    </Empty>
  ) : (
    <Empty title="No session yet">
      <p>
        Start your coding agent in a project; its session is here from the first prompt on. Past ones come with{' '}
        <code>claude-mem import</code>.
      </p>
    </Empty>
  );
