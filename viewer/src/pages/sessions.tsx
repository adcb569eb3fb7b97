// The page "Sessions": every session, by month, the latest first; to be searched and narrowed down.
import { useEffect, useState } from 'preact/hooks';
import type { ListedSession, SessionsAnswer } from '../../../src/core/shapes/project.ts';
import { readFilter } from '../filter.ts';
import { formatMonth } from '../format.ts';
import { Empty } from '../parts/empty.tsx';
import { ProjectChoice } from '../parts/filters.tsx';
import { Problem } from '../parts/problem.tsx';
import { ShowMore } from '../parts/show-more.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { place, setQuery } from '../router.ts';
import type { PageProps } from './index.ts';
import { useNews } from './session/use-news.ts';
import { SessionRow } from './sessions/session-row.tsx';
import { usePages } from './sessions/use-pages.ts';
import '../styles/session.css';

const NEWS = ['session', 'reset'] as const;
const SETTLE_MS = 500;
const TYPING_MS = 150;

export function SessionsPage(_: PageProps) {
  const filter = readFilter();
  const { query } = place.value;
  const [agent, branch, words] = [query.get('agent') ?? '', query.get('branch') ?? '', query.get('q') ?? ''];
  const { items, answer, error, isAsking, more, again } = usePages<ListedSession, SessionsAnswer>(
    '/api/sessions',
    { project: filter.project, agent, branch, words },
    (page) => page.items,
  );
  useNews({ types: NEWS, look: again, waitMs: SETTLE_MS });
  const months = [...Map.groupBy(items, ({ updatedAt }) => formatMonth(updatedAt))];
  const isNarrowed = [filter.project, agent, branch, words].some(Boolean);
  return (
    <div class="page sessions">
      <header>
        <h1>Sessions</h1>
        <div class="row">
          <Words words={words} />
          <ProjectChoice filter={filter} />
          <Choice name="agent" label="All agents" chosen={agent} values={answer?.agents ?? []} />
          <Choice name="branch" label="All branches" chosen={branch} values={answer?.branches ?? []} />
        </div>
      </header>
      {error && <Problem error={error} onRetry={again} />}
      {!answer && !error && <Skeleton rows={10} />}
      {answer && items.length === 0 && <Nothing isNarrowed={isNarrowed} />}
      {months.map(([month, those]) => (
        <section key={month} aria-label={month}>
          <h2 class="day">{month}</h2>
          <ul class="session-list">
            {those.map((session) => (
              <SessionRow key={session.session} session={session} />
            ))}
          </ul>
        </section>
      ))}
      <ShowMore shown={items.length} total={answer?.total ?? 0} isAsking={isAsking} onMore={more} />
    </div>
  );
}

function Words({ words }: { words: string }) {
  const [text, setText] = useState(words);
  useEffect(() => setText(words), [words]);
  useEffect(() => {
    if (text === words) return;
    const timer = setTimeout(() => setQuery({ q: text }), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <input
      type="search"
      aria-label="Find a session"
      placeholder="Title, prompt, branch or id"
      value={text}
      onInput={({ currentTarget }) => setText(currentTarget.value)}
    />
  );
}

/** Not shown where there is only one to choose. */
function Choice({ name, label, chosen, values }: { name: string; label: string; chosen: string; values: readonly string[] }) {
  if (values.length < 2 && chosen === '') return null;
  return (
    <select aria-label={label} value={chosen} onChange={({ currentTarget }) => setQuery({ [name]: currentTarget.value })}>
      <option value="">{label}</option>
      {[...new Set([...values, ...(chosen ? [chosen] : [])])].map((value) => (
        <option key={value} value={value}>
          {value}
        </option>
      ))}
    </select>
  );
}

const Nothing = ({ isNarrowed }: { isNarrowed: boolean }) =>
  isNarrowed ? (
    <Empty title="No session fits">
      <p>Change the words or remove a filter. What a session did is found by Search.</p>
    </Empty>
  ) : (
    <Empty title="No session yet">
      <p>
        Start your coding agent in a project; its session is here from the first prompt on. Past ones: <a href="/view/data">import them</a>.
      </p>
    </Empty>
  );
