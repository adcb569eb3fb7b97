// The requests that wait for the embedder's process: queries before documents, each in the order in which they came.
import type { EmbedderError, EmbedKind } from './embedder.ts';

export type Request = {
  kind: EmbedKind;
  texts: string[];
  /** Of the texts that are done. */
  vectors: Int8Array[];
  resolve: (vectors: Int8Array[]) => void;
  reject: (error: EmbedderError) => void;
};

export type RequestQueue = {
  /** The vectors of all texts, when `answer` was called for each of them. */
  add: (texts: string[], kind: EmbedKind) => Promise<Int8Array[]>;
  /** Whose next text is to be done now. It stays in the queue until its last text is answered. */
  next: () => Request | undefined;
  answer: (request: Request, vector: Int8Array) => void;
  fail: (request: Request, error: EmbedderError) => void;
  failAll: (error: EmbedderError) => void;
};

export function createRequestQueue(): RequestQueue {
  const waiting = { query: new Set<Request>(), document: new Set<Request>() };
  const [queries, documents] = [waiting.query, waiting.document];
  const fail = (request: Request, error: EmbedderError) => {
    waiting[request.kind].delete(request);
    request.reject(error);
  };
  return {
    add: (texts, kind) => {
      if (texts.length === 0) return Promise.resolve([]);
      return new Promise((resolve, reject) => {
        waiting[kind].add({ kind, texts, vectors: [], resolve, reject });
      });
    },
    next: () => [...queries.values().take(1), ...documents.values().take(1)][0],
    answer: (request, vector) => {
      request.vectors.push(vector);
      if (request.vectors.length < request.texts.length) return;
      waiting[request.kind].delete(request);
      request.resolve(request.vectors);
    },
    fail,
    failAll: (error) => {
      for (const request of [...queries, ...documents]) fail(request, error);
    },
  };
}
