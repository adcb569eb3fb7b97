// The page "Logs": what the worker wrote, newest first.
import { useEffect, useState } from 'preact/hooks';
import { Empty } from '../parts/empty.tsx';
import { Problem } from '../parts/problem.tsx';
import { place, setQuery } from '../router.ts';
import '../styles/logs.css';
import type { PageProps } from './index.ts';
import { LogList } from './logs/log-list.tsx';
import { type Filter, LEVELS, type Level, useLog } from './logs/use-log.ts';

const WORDS: Record<Level, string> = {
  debug: 'Everything',
  info: 'Info and graver',
  warn: 'Warnings and errors',
  error: 'Errors',
};

export function LogsPage(_: PageProps) {
  const { query } = place.value;
  const level = LEVELS.find((known) => known === query.get('level')) ?? 'debug';
  const filter = { level, query: query.get('q') ?? '' };
  const [isFollowed, setIsFollowed] = useState(true);
  const { entries, error, hasOlder, loadOlder } = useLog(filter, isFollowed);
  return (
    <div class="page wide logs">
      <header>
        <div>
          <h1>Log</h1>
          <p class="lead">What the worker did in the last seven days. What was captured is not in here.</p>
        </div>
      </header>
      <Filters filter={filter} isFollowed={isFollowed} onFollow={setIsFollowed} />
      {error && error.status !== 0 && <Problem error={error} />}
      {entries?.length === 0 && <Nothing filter={filter} />}
      {entries && <LogList entries={entries} />}
      {hasOlder && (
        <button type="button" onClick={loadOlder}>
          Load older
        </button>
      )}
    </div>
  );
}

type FiltersProps = { filter: Filter; isFollowed: boolean; onFollow: (isFollowed: boolean) => void };

function Filters({ filter, isFollowed, onFollow }: FiltersProps) {
  return (
    <search class="log-filters row">
      <select
        aria-label="Level"
        value={filter.level}
        onChange={({ currentTarget: { value } }) => setQuery({ level: value === 'debug' ? null : value })}
      >
        {LEVELS.map((level) => (
          <option key={level} value={level}>
            {WORDS[level]}
          </option>
        ))}
      </select>
      <WordsField value={filter.query} />
      <label class="follow small">
        <input type="checkbox" checked={isFollowed} onChange={() => onFollow(!isFollowed)} />
        Follow
      </label>
    </search>
  );
}

const TYPING_MS = 200;

function WordsField({ value }: { value: string }) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  useEffect(() => {
    const timer = setTimeout(() => text !== value && setQuery({ q: text }), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <input
      type="search"
      aria-label="Words in the log"
      placeholder="Words"
      value={text}
      onInput={(event) => setText(event.currentTarget.value)}
    />
  );
}

function Nothing({ filter }: { filter: Filter }) {
  const isFiltered = filter.query !== '' || filter.level !== 'debug';
  if (!isFiltered) return <Empty title="Nothing is written yet">The worker's log appears here as it goes on.</Empty>;
  return (
    <Empty title="No entry is like that">
      <p>
        <button type="button" onClick={() => setQuery({ q: null, level: null })}>
          Show all
        </button>
      </p>
    </Empty>
  );
}
