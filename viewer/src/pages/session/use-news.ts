// Looks again when something happened: once for what comes close together.
import { useEffect, useRef } from 'preact/hooks';
import type { StreamMessage, StreamType } from '../../../../src/core/shapes/stream.ts';
import { listen } from '../../stream.ts';

export type News = {
  types: readonly StreamType[];
  /** Whether it concerns the page. */
  isMeant?: (data: StreamMessage['data']) => boolean;
  look: () => void;
  waitMs: number;
};

export function useNews(news: News): void {
  const latest = useRef(news);
  latest.current = news;
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const note = (data: StreamMessage['data']) => {
      if (latest.current.isMeant?.(data) === false) return;
      clearTimeout(timer);
      timer = setTimeout(() => latest.current.look(), latest.current.waitMs);
    };
    const stops = news.types.map((type) => listen(type, note));
    return () => {
      clearTimeout(timer);
      for (const stop of stops) stop();
    };
  }, [news.types]);
}
