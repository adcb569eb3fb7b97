// What happened around something, and further to either side on demand.
import { useEffect, useState } from 'preact/hooks';
import type { MemoryRow, TimelineAnswer } from '../../../../src/core/shapes/memory.ts';
import { ApiError, ask } from '../../api.ts';
import { useAgainWhenLive } from '../../when-live.ts';

const DEPTH = 12;
const FURTHER = 30;

/** `anchor`: an id or a time; `query`: words to search for. One of them. */
export type Around = { anchor: string; query: string; type: string; project: string };

export type Timeline = {
  anchor: string | null;
  /** Oldest first. */
  items: MemoryRow[];
  note: string | null;
  hasEarlier: boolean;
  hasLater: boolean;
};

export type TimelineState = { data: Timeline | null; error: ApiError | null; isAsking: boolean };

export function useTimeline(around: Around) {
  const [state, setState] = useState<TimelineState>({ data: null, error: null, isAsking: true });
  const [round, setRound] = useState(0);
  const { anchor, query, type, project } = around;
  const isAsked = anchor !== '' || query !== '';
  /** A change of what is asked makes an answer that comes later nobody's. */
  const read = async (signal: AbortSignal | undefined, look: () => Promise<(before: Timeline | null) => Timeline>) => {
    setState((before) => ({ ...before, isAsking: true }));
    try {
      const next = await look();
      if (signal?.aborted) return;
      setState(({ data }) => ({ data: next(data), error: null, isAsking: false }));
    } catch (error) {
      if (signal?.aborted) return;
      const known = error instanceof ApiError ? error : new ApiError(0, String(error), '');
      setState((before) => ({ ...before, error: known, isAsking: false }));
    }
  };
  useEffect(() => {
    if (!isAsked) return;
    const stop = new AbortController();
    void read(stop.signal, async () => {
      const found = await askTimeline({ ...around, before: DEPTH, after: DEPTH }, stop.signal);
      return () => toTimeline(found, anchor);
    });
    return () => stop.abort();
  }, [anchor, query, type, project, round]);

  const again = () => setRound((last) => last + 1);
  useAgainWhenLive(state.error, again);
  const further = (edge: string | undefined, before: number, after: number) => {
    if (edge === undefined) return;
    void read(undefined, async () => {
      const found = await askTimeline({ anchor: edge, query: '', type, project, before, after });
      return (data) => (data ? extend(data, found.items, edge, before > 0) : toTimeline(found, edge));
    });
  };
  return {
    ...state,
    isAsked,
    again,
    earlier: () => further(state.data?.items[0]?.id, FURTHER, 0),
    later: () => further(state.data?.items.at(-1)?.id, 0, FURTHER),
  };
}

type Asked = Around & { before: number; after: number };

function askTimeline({ anchor, query, type, project, before, after }: Asked, signal?: AbortSignal) {
  return ask<TimelineAnswer>('/api/timeline', {
    query: {
      anchor,
      query: anchor ? '' : query,
      type,
      project,
      // Without a place of the asker, words are looked for everywhere.
      all: !anchor && !project ? true : undefined,
      depth_before: before,
      depth_after: after,
    },
    ...(signal ? { signal } : {}),
  });
}

function toTimeline({ anchor, items, note }: TimelineAnswer, asked: string): Timeline {
  const at = items.findIndex(({ id }) => id === anchor);
  // A moment, or an anchor that the types leave out, is nowhere among them: how many there are on a side is not known.
  const before = at < 0 ? countBefore(items, asked) : at;
  const after = at < 0 ? items.length - before : items.length - at - 1;
  return { anchor, items, note, hasEarlier: before >= DEPTH, hasLater: after >= DEPTH };
}

function countBefore(items: MemoryRow[], asked: string): number {
  const moment = Date.parse(asked);
  return Number.isNaN(moment) ? items.length / 2 : items.filter(({ at }) => at < moment).length;
}

function extend(data: Timeline, found: MemoryRow[], edge: string, isEarlier: boolean): Timeline {
  const fresh = found.filter(({ id }) => id !== edge);
  return isEarlier
    ? { ...data, items: [...fresh, ...data.items], hasEarlier: fresh.length >= FURTHER }
    : { ...data, items: [...data.items, ...fresh], hasLater: fresh.length >= FURTHER };
}
