// The log as the page has it: the newest first, older ones on demand, new ones on top while it is followed.
import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, ask } from '../../api.ts';
import { useAgainWhenLive } from '../../when-live.ts';
import { useWhileVisible } from '../../while-visible.ts';

export const LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type Level = (typeof LEVELS)[number];

export type LogEntry = { at: string; level: Level; message: string; details: Record<string, unknown> | null };
type LogPage = { entries: LogEntry[]; next: string | null };

export type Filter = { level: Level; query: string };

export type Log = {
  /** Null: not asked yet. */
  entries: LogEntry[] | null;
  error: ApiError | null;
  hasOlder: boolean;
  loadOlder: () => void;
};

const LIMIT = 100;
const FOLLOW_MS = 2000;

export function useLog(filter: Filter, isFollowed: boolean): Log {
  const [page, setPage] = useState<LogPage | null>(null);
  const [error, setError] = useState<ApiError | null>(null);
  /** An answer to an earlier question must not overwrite a later one. */
  const round = useRef(0);
  const read = async (before: string | null, put: (answer: LogPage) => void) => {
    const own = round.current;
    try {
      const answer = await ask<LogPage>('/api/logs', { query: { ...filter, limit: LIMIT, before } });
      if (own !== round.current) return;
      put(answer);
      setError(null);
    } catch (thrown) {
      if (own === round.current) setError(thrown instanceof ApiError ? thrown : new ApiError(0, String(thrown), ''));
    }
  };
  useEffect(() => {
    round.current++;
    read(null, setPage);
  }, [filter.level, filter.query]);
  const readNewest = () => read(null, (newest) => setPage((known) => (known ? putOnTop(newest, known) : newest)));
  useWhileVisible(readNewest, isFollowed ? FOLLOW_MS : null);
  useAgainWhenLive(error, readNewest);
  const loadOlder = () =>
    read(page?.next ?? null, ({ entries, next }) => setPage((known) => ({ entries: [...(known?.entries ?? []), ...entries], next })));
  return { entries: page?.entries ?? null, error, hasOlder: page?.next != null, loadOlder };
}

/** What is known stays as it is below; where more came than a page holds, the list begins anew. */
function putOnTop(newest: LogPage, known: LogPage): LogPage {
  const [top] = known.entries;
  if (!top) return newest;
  const key = keyOf(top);
  const at = newest.entries.findIndex((entry) => keyOf(entry) === key);
  if (at === -1) return newest;
  return at === 0 ? known : { entries: [...newest.entries.slice(0, at), ...known.entries], next: known.next };
}

export const keyOf = ({ at, level, message, details }: LogEntry) => `${at} ${level} ${message} ${JSON.stringify(details)}`;
