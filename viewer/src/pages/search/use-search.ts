// A search as the page has it: the last answer stays until the next is there, and more of it comes on demand.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { SearchAnswer, SearchHit } from '../../../../src/core/shapes/search.ts';
import { ApiError, ask } from '../../api.ts';
import { type Filter, isFiltered, toQuery } from '../../filter.ts';
import { formatCount } from '../../format.ts';
import { useAgainWhenLive } from '../../when-live.ts';
import { parseQuery } from './operators.ts';
import type { Order } from './order-choice.tsx';

export type Asked = { question: string; order: Order; filter: Filter };

export type Found = SearchHit;

export type Search = {
  /** Something is asked; the answer may not be there yet. */
  isAsked: boolean;
  /** Null until there was an answer. */
  found: readonly Found[] | null;
  note: string | null;
  error: ApiError | null;
  hasMore: boolean;
  /** What came of it, in a few words. */
  words: string;
  more: () => void;
  again: () => void;
};

type State = { found: readonly Found[] | null; total: number; note: string | null; error: ApiError | null };

const NOTHING: State = { found: null, total: 0, note: null, error: null };
const PAGE = 20;

/** Whoever comes back finds the same at once, at the height that the browser remembers. */
let last = { asked: '', state: NOTHING };

export function useSearch(asked: Asked): Search {
  const key = JSON.stringify(asked);
  const [state, setState] = useState(() => (last.asked === key ? last.state : NOTHING));
  const stop = useRef(new AbortController());
  const isAsked = asked.question.trim() !== '' || isFiltered(asked.filter);
  const load = async (offset: number) => {
    stop.current.abort();
    stop.current = new AbortController();
    const { signal } = stop.current;
    try {
      const page = await askPage(asked, offset, signal);
      const found = offset > 0 ? [...(state.found ?? []), ...page.found] : page.found;
      last = { asked: key, state: { ...page, found } };
      setState(last.state);
    } catch (error) {
      if (signal.aborted) return;
      const problem = error instanceof ApiError ? error : new ApiError(0, String(error), '');
      setState((before) => ({ ...before, error: problem }));
    }
  };
  const again = () => {
    if (isAsked) return void load(0);
    stop.current.abort();
    setState(NOTHING);
  };
  useEffect(again, [key]);
  useAgainWhenLive(state.error, again);
  useEffect(() => () => stop.current.abort(), []);
  const { found, note, total, error } = state;
  return {
    isAsked,
    found,
    note,
    error,
    hasMore: found !== null && found.length < total && found.length > 0,
    words: found && found.length > 0 ? formatCount(total, 'result') : '',
    more: () => void load(found?.length ?? 0),
    again,
  };
}

/** What the field says goes before what is chosen beside it. */
async function askPage({ question, order, filter }: Asked, offset: number, signal: AbortSignal) {
  const { words, said } = parseQuery(question);
  const chosen = { ...toQuery(filter), ...said };
  // Every project goes before a named one.
  const query = { ...chosen, query: words, order, offset, limit: PAGE, why: true, all: chosen.project ? undefined : true };
  const { results, total, note } = await ask<SearchAnswer>('/api/search', { query, signal });
  return { found: results, total, note, error: null };
}
