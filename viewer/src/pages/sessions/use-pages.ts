// A list that is read page by page: more on demand, the beginning again when something happened.
import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, type Ask, ask, withQuery } from '../../api.ts';
import { useAgainWhenLive } from '../../when-live.ts';

export type Pages<Item, Answer> = {
  items: Item[];
  /** The last answer, for what else it says; null before the first. */
  answer: Answer | null;
  error: ApiError | null;
  isAsking: boolean;
  more: () => void;
  /** As many more as the API gives at once. */
  manyMore: () => void;
  /** From the beginning. */
  again: () => void;
  /** The last one and what came after it. */
  follow: () => void;
};

type State<Item, Answer> = Omit<Pages<Item, Answer>, 'more' | 'manyMore' | 'again' | 'follow'>;

/** What the API gives at once. */
const MOST = 200;

/** Null: nothing is asked yet. What was shown stays until the new is there. */
export function usePages<Item, Answer>(
  path: string | null,
  query: NonNullable<Ask['query']>,
  itemsOf: (answer: Answer) => Item[],
  size = 50,
): Pages<Item, Answer> {
  const [state, setState] = useState<State<Item, Answer>>({ items: [], answer: null, error: null, isAsking: true });
  const url = path === null ? null : withQuery(path, query);
  const asked = useRef(url);
  asked.current = url;
  const read = (limit: number, offset: number) => {
    if (url === null || path === null) return;
    setState((before) => ({ ...before, isAsking: true }));
    ask<Answer>(path, { query: { ...query, limit, offset } }).then(
      (answer) => {
        if (asked.current !== url) return;
        const read = itemsOf(answer);
        setState(({ items, answer: last }) => ({
          items: last === null || offset === 0 ? keepRest(read, items, limit) : [...items.slice(0, offset), ...read],
          answer,
          error: null,
          isAsking: false,
        }));
      },
      (error) => {
        const known = error instanceof ApiError ? error : new ApiError(0, String(error), '');
        if (asked.current === url) setState((before) => ({ ...before, error: known, isAsking: false }));
      },
    );
  };
  const isFirst = useRef(true);
  useEffect(() => {
    isFirst.current = true;
    read(size, 0);
  }, [url]);
  /** Another list has no rest; the same one, read again, keeps what was read below. */
  const keepRest = (fresh: Item[], items: Item[], limit: number) => {
    const rest = isFirst.current ? [] : items.slice(limit);
    isFirst.current = false;
    return [...fresh, ...rest];
  };
  const count = state.items.length;
  const again = () => read(Math.min(MOST, Math.max(size, count)), 0);
  useAgainWhenLive(state.error, again);
  return {
    ...state,
    more: () => read(size, count),
    manyMore: () => read(MOST, count),
    again,
    follow: () => read(size, Math.max(0, count - 1)),
  };
}
