// Something that is done as soon as the worker is heard: above all asking again what it could not answer while it was away.
import { useEffect } from 'preact/hooks';
import type { ApiError } from './api.ts';
import { connection } from './stream.ts';

/** Whenever it is heard anew. */
export function useWhenLive(work: () => void): void {
  const isLive = connection.value.kind === 'live';
  useEffect(() => {
    if (isLive) work();
  }, [isLive]);
}

/** What failed because the worker was away or in trouble; not what it refused, which it would refuse again. */
export function useAgainWhenLive(error: ApiError | null, again: () => void): void {
  useWhenLive(() => {
    if (error && (error.status === 0 || error.status >= 500)) again();
  });
}
