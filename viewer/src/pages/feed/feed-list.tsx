// The list of the feed: rows by day, session and turn, endless, and still while somebody reads further down.
import { useEffect, useState } from 'preact/hooks';
import { density } from '../../density.ts';
import { type Filter, isFiltered } from '../../filter.ts';
import { formatDay, formatTime } from '../../format.ts';
import { sessionPage } from '../../links.ts';
import { firstId } from '../../panel.ts';
import { Empty } from '../../parts/empty.tsx';
import { MemoryLine } from '../../parts/memory-line.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { VirtualList } from '../../parts/virtual-list.tsx';
import { nameProject } from '../../projects.ts';
import type { Feed } from './feed.ts';
import { Folded } from './folded-memory.tsx';
import { type OpenFeed, useFeed } from './kept-feed.ts';
import { estimateHeight, type Row } from './rows.ts';

export function FeedList({ filter }: { filter: Filter }) {
  const open = useFeed(filter);
  const { feed } = open;
  const [jumps, setJumps] = useState(0);
  const showNew = () => {
    feed.showWaiting();
    setJumps(jumps + 1);
  };
  const rows = feed.rows.value;
  const first = rows.find((row) => row.kind === 'memory') ?? rows.find((row) => row.kind === 'turn');
  useEffect(() => {
    firstId.value = first ? idOf(first) : null;
    return () => {
      firstId.value = null;
    };
  }, [first]);
  const error = feed.error.value;
  if (rows.length === 0 && feed.state.value === 'first') return <Skeleton rows={12} />;
  return (
    <>
      <NewButton feed={feed} onShow={showNew} />
      {error && <Problem error={error} onRetry={feed.retry} />}
      {rows.length > 0 && <Rows {...open} jumps={jumps} />}
      {rows.length === 0 && !error && <Nothing filter={filter} />}
      <End feed={feed} />
    </>
  );
}

const idOf = (row: Row) => (row.kind === 'memory' ? row.memory.id : row.kind === 'turn' ? row.head.id : null);

function Rows({ feed, left, onLeave, jumps }: OpenFeed & { jumps: number }) {
  const rows = feed.rows.value;
  const isRoomy = density.value === 'roomy';
  return (
    <VirtualList
      key={density.value}
      label="Memories"
      count={rows.length}
      keyOf={(at) => rows[at]?.key ?? String(at)}
      estimateHeight={(at) => estimateHeight(rows[at], isRoomy)}
      jumps={jumps}
      place={left}
      onLeave={onLeave}
      onNearEnd={feed.loadMore}
      renderTop={(first) => <DayBar day={rows[first]?.day} />}
      renderRow={(at) => rows[at] && <FeedRow row={rows[at]} isRoomy={isRoomy} />}
    />
  );
}

function FeedRow({ row, isRoomy }: { row: Row; isRoomy: boolean }) {
  if (row.kind === 'day') return <h2 class="feed-day">{formatDay(row.day)}</h2>;
  if (row.kind === 'session') return <SessionHead row={row} />;
  if (row.kind === 'turn') {
    return (
      <MemoryLine row={row.head} isHead when={formatTime(row.head.at)}>
        <Folded rows={row.folded} />
      </MemoryLine>
    );
  }
  return (
    <div class={row.hasHead ? 'feed-below' : undefined}>
      <MemoryLine row={row.memory} more={isRoomy ? row.more : null} when={formatTime(row.memory.at)}>
        <Folded rows={row.folded} />
      </MemoryLine>
    </div>
  );
}

/** Whose work it is; what it is called only where no row below says the same. */
function SessionHead({ row: { session, source, project, branch, known, title, isFirst } }: { row: Extract<Row, { kind: 'session' }> }) {
  return (
    <p class="feed-session" data-first={isFirst || undefined}>
      <strong>{nameProject(project, known?.key)}</strong>
      {branch && <span class="mono faint">{branch}</span>}
      {session !== null ? (
        <>
          {title && <span class="feed-session-title">{title}</span>}
          <a class="feed-session-link" href={sessionPage(session)}>
            session <span class="mono">{session.slice(0, 8)}</span>
          </a>
        </>
      ) : (
        <span class="faint">{source}</span>
      )}
    </p>
  );
}

/** Stays at the top of the window while its day is read. To a screen reader the heading itself is enough. */
const DayBar = ({ day }: { day: number | undefined }) => (
  <div class="feed-day" aria-hidden="true">
    {day !== undefined && formatDay(day)}
  </div>
);

function NewButton({ feed, onShow }: { feed: Feed; onShow: () => void }) {
  const count = feed.waiting.value.length;
  if (count === 0 && !feed.isStale.value) return null;
  return (
    <div class="feed-new" role="status">
      <button type="button" onClick={onShow}>
        {feed.isStale.value ? 'Show what is new' : `${count} new`}
      </button>
    </div>
  );
}

function End({ feed }: { feed: Feed }) {
  if (feed.state.value === 'more') return <p class="feed-end faint small">Loading older ones</p>;
  if (feed.next.value !== null || feed.error.value || feed.rows.value.length === 0) return null;
  return <p class="feed-end faint small">This is where memory begins.</p>;
}

function Nothing({ filter }: { filter: Filter }) {
  if (isFiltered(filter)) {
    return (
      <Empty title="Nothing matches">
        <p>No memory matches all filters. Remove one above.</p>
      </Empty>
    );
  }
  return (
    <Empty title="Nothing is remembered yet">
      <p>What you ask appears here at once, and its result when your agent ends a turn. Start a session, or import past ones.</p>
      <p class="row">
        <a class="button" href="/view/data">
          Import past sessions
        </a>
        <a href="/view/welcome">How it works</a>
      </p>
    </Empty>
  );
}
