// The list of the feed: cards by day, endless, and still while somebody reads further down.
import { useState } from 'preact/hooks';
import { type Filter, isFiltered } from '../../filter.ts';
import { formatDay } from '../../format.ts';
import { Empty } from '../../parts/empty.tsx';
import { MemoryCard } from '../../parts/memory-card.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { VirtualList } from '../../parts/virtual-list.tsx';
import type { Feed } from './feed.ts';
import { type OpenFeed, useFeed } from './kept-feed.ts';
import { estimateHeight } from './rows.ts';

export function FeedList({ filter }: { filter: Filter }) {
  const open = useFeed(filter);
  const { feed } = open;
  const [jumps, setJumps] = useState(0);
  const showNew = () => {
    feed.showWaiting();
    setJumps(jumps + 1);
  };
  const hasRows = feed.rows.value.length > 0;
  const error = feed.error.value;
  if (!hasRows && feed.state.value === 'first') return <Skeleton rows={6} />;
  return (
    <>
      <NewButton feed={feed} onShow={showNew} />
      {error && <Problem error={error} onRetry={feed.retry} />}
      {hasRows && <Rows {...open} jumps={jumps} />}
      {!hasRows && !error && <Nothing filter={filter} />}
      <End feed={feed} />
    </>
  );
}

function Rows({ feed, left, onLeave, jumps }: OpenFeed & { jumps: number }) {
  const rows = feed.rows.value;
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const toggle = (id: string) =>
    setOpened((before) => (before.has(id) ? new Set([...before].filter((one) => one !== id)) : new Set(before).add(id)));
  return (
    <VirtualList
      label="Memories"
      count={rows.length}
      keyOf={(at) => rows[at]?.key ?? String(at)}
      estimateHeight={(at) => estimateHeight(rows[at])}
      jumps={jumps}
      place={left}
      onLeave={onLeave}
      onNearEnd={feed.loadMore}
      renderTop={(first) => <DayBar day={rows[first]?.day} />}
      renderRow={(at) => {
        const row = rows[at];
        if (!row) return null;
        if (row.kind === 'day') return <Day day={row.day} />;
        const { memory } = row;
        return <MemoryCard memory={memory} isOpen={opened.has(memory.id)} onToggle={() => toggle(memory.id)} />;
      }}
    />
  );
}

const Day = ({ day }: { day: number }) => <h2 class="feed-day">{formatDay(day)}</h2>;

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
    return <Empty title="Nothing matches">No memory has all that is asked for above. Take off a filter.</Empty>;
  }
  return (
    <Empty title="Nothing is remembered yet">
      <p>
        What you ask appears here at once, and what came of it when your coding agent ends a turn. Start a session, or read the past:{' '}
        <code>claude-mem import</code>.
      </p>
      <p>
        <a href="/view/welcome">How it works</a>
      </p>
    </Empty>
  );
}
