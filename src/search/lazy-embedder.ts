// An embedder in this process that is loaded with its first text, and let go when it has had none for a while.
import { type Embedder, EmbedderError } from './embed/embedder.ts';

export type LazyEmbedderOptions = {
  id: string;
  dimension: number;
  /** Throws when its files are not there. */
  load: () => Embedder;
  idleMs?: number;
};

const IDLE_MS = 20_000;

export function createLazyEmbedder({ id, dimension, load, idleMs = IDLE_MS }: LazyEmbedderOptions): Embedder {
  let loaded: Embedder | null = null;
  let timer: Timer | null = null;
  let lastUse = 0;
  let isClosed = false;

  const letGo = () => {
    const left = lastUse + idleMs - performance.now();
    timer = left > 0 ? setTimeout(letGo, left) : null;
    if (left <= 0) loaded = null;
  };

  return {
    id,
    dimension,
    async embed(texts, kind) {
      if (isClosed) throw new EmbedderError('closed', 'The embedder is closed.');
      lastUse = performance.now();
      timer ??= setTimeout(letGo, idleMs);
      loaded ??= load();
      return loaded.embed(texts, kind);
    },
    async close() {
      isClosed = true;
      if (timer) clearTimeout(timer);
      loaded = null;
    },
  };
}
