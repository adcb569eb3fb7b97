// Something that is done again and again, but only while somebody looks at the page.
import { useEffect, useRef } from 'preact/hooks';

/** Null: not now. Done at once when the page is looked at again. */
export function useWhileVisible(work: () => void, everyMs: number | null): void {
  const latest = useRef(work);
  latest.current = work;
  useEffect(() => {
    if (everyMs === null) return;
    const run = () => {
      if (document.visibilityState === 'visible') latest.current();
    };
    const timer = setInterval(run, everyMs);
    document.addEventListener('visibilitychange', run);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', run);
    };
  }, [everyMs]);
}
