// The feed as it is loaded: pages from the newest back, and what comes live while it is read.
import { batch, computed, signal } from '@preact/signals';
import type { FeedAnswer, Memory, MemoryRow } from '../../../../src/core/shapes/memory.ts';
import { ApiError, ask } from '../../api.ts';
import { type Filter, isMeant, NO_FILTER, toQuery } from '../../filter.ts';
import { gone, noteShown } from '../../memories.ts';
import { listen } from '../../stream.ts';
import { insertByTime } from './insert-by-time.ts';
import { type FeedSession, makeRows, NO_ROWS } from './rows.ts';

export type Feed = ReturnType<typeof createFeed>;

const FIRST_PAGE = 60;
const NEXT_PAGE = 120;

/** `isReading` says whether somebody is further down, or elsewhere: then nothing may move. */
export function createFeed(isReading: () => boolean) {
  const items = signal<readonly Memory[]>([]);
  /** Came while somebody was reading. */
  const waiting = signal<readonly Memory[]>([]);
  /** More has changed than was told one by one. */
  const isStale = signal(false);
  const next = signal<string | null>(null);
  const state = signal<'first' | 'more' | 'idle'>('first');
  const error = signal<ApiError | null>(null);
  const known = new Set<string>();
  const heads = new Map<string, MemoryRow>();
  const sessions = new Map<string, FeedSession>();
  let filter = NO_FILTER;
  let stop = new AbortController();

  async function load(kind: 'first' | 'more'): Promise<void> {
    stop.abort();
    stop = new AbortController();
    const { signal: stopped } = stop;
    state.value = kind;
    const before = kind === 'more' ? next.peek() : null;
    const query = { ...toQuery(filter), before, limit: before ? NEXT_PAGE : FIRST_PAGE };
    try {
      take(await ask<FeedAnswer>('/api/feed', { query, signal: stopped }), kind);
    } catch (problem) {
      if (stopped.aborted) return;
      state.value = 'idle';
      error.value = problem instanceof ApiError ? problem : new ApiError(0, String(problem), '');
    }
  }

  function take(page: FeedAnswer, kind: 'first' | 'more'): void {
    batch(() => {
      if (kind === 'first') {
        known.clear();
        waiting.value = [];
        isStale.value = false;
        noteShown(page.memories.map(({ id }) => id));
      }
      for (const head of page.heads) heads.set(head.id, head);
      for (const session of page.sessions) sessions.set(session.session, session);
      const added = page.memories.filter(({ id }) => !known.has(id));
      for (const { id } of added) known.add(id);
      items.value = kind === 'first' ? added : [...items.peek(), ...added];
      next.value = page.next;
      state.value = 'idle';
      error.value = null;
    });
  }

  function loadMore(): void {
    if (state.peek() === 'idle' && next.peek() !== null && !error.peek()) void load('more');
  }

  /** What is older than all that is loaded comes with its page. */
  function add(memory: Memory): void {
    const oldest = items.peek().at(-1);
    const isLoadedLater = next.peek() !== null && oldest !== undefined && memory.at < oldest.at;
    if (known.has(memory.id) || isLoadedLater || !isMeant(memory, filter)) return;
    known.add(memory.id);
    const target = isReading() ? waiting : items;
    target.value = insertByTime(target.peek(), memory);
  }

  function showWaiting(): void {
    if (isStale.peek()) return void load('first');
    batch(() => {
      items.value = waiting.peek().reduceRight(insertByTime, items.peek());
      waiting.value = [];
    });
  }

  function onReset(): void {
    if (isReading()) isStale.value = true;
    else void load('first');
  }

  const stops = [...(['observation', 'summary', 'prompt', 'changed'] as const).map((type) => listen(type, add)), listen('reset', onReset)];

  /** What was shown stays until the answer is there. */
  function show(asked: Filter): void {
    filter = asked;
    void load('first');
  }

  function retry(): void {
    void load(items.peek().length > 0 ? 'more' : 'first');
  }

  function close(): void {
    stop.abort();
    for (const stopOne of stops) stopOne();
  }

  let made = NO_ROWS;
  const rows = computed(() => {
    made = makeRows(made, items.value, gone.value, { heads, sessions });
    return made.rows;
  });
  return { rows, waiting, isStale, next, state, error, show, retry, loadMore, showWaiting, close };
}
