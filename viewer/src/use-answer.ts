// An answer of the API as a component has it: asked when what is asked changes, again on demand, and when the worker is back.
import { useEffect, useState } from 'preact/hooks';
import { ApiError, type Ask, ask, withQuery } from './api.ts';
import { useAgainWhenLive } from './when-live.ts';

export type Answer<Data> = {
  /** The last one, also while a newer one is asked for. */
  data: Data | null;
  error: ApiError | null;
  isAsking: boolean;
  again: () => void;
};

/** Null: nothing is asked yet. */
export function useAnswer<Data>(path: string | null, query: NonNullable<Ask['query']> = {}): Answer<Data> {
  const [state, setState] = useState<Omit<Answer<Data>, 'again'>>({ data: null, error: null, isAsking: path !== null });
  const [round, setRound] = useState(0);
  const url = path === null ? null : withQuery(path, query);
  useEffect(() => {
    if (url === null) return;
    const stop = new AbortController();
    setState((before) => ({ ...before, isAsking: true }));
    ask<Data>(url, { signal: stop.signal }).then(
      (data) => setState({ data, error: null, isAsking: false }),
      (error) => {
        if (stop.signal.aborted) return;
        const known = error instanceof ApiError ? error : new ApiError(0, String(error), '');
        setState((before) => ({ ...before, error: known, isAsking: false }));
      },
    );
    return () => stop.abort();
  }, [url, round]);
  const again = () => setRound((last) => last + 1);
  useAgainWhenLive(state.error, again);
  return { ...state, again };
}
