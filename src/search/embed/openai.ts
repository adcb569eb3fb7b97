// The embedding engine for every server that speaks OpenAI's /embeddings: Ollama on this machine, or a provider over TLS.
import { isLoopback, readBaseUrl } from '../../core/base-url.ts';
import { type Embedder, EmbedderError } from './embedder.ts';
import { exchange, type Fetch } from './openai-exchange.ts';
import { toInt8 } from './to-int8.ts';

export type OpenAiEmbedderSettings = {
  baseUrl: string;
  model: string;
  /** With the host it was given for: it is sent nowhere else. */
  key: { value: string; host: string } | null;
  /** For one batch, from the first byte out to the last byte in. */
  timeoutMs?: number;
  fetch?: Fetch;
};

const BATCH = 64;
const TIMEOUT_MS = 30_000;
/** Some servers refuse what their model cannot read; no model in use reads more than this. */
const MAX_CHARS = 16_384;

/**
 * Throws an EmbedderError of kind settings when the address must not be used. `dimension` is 0 until the first answer.
 * A text without a word is not sent: several servers refuse it.
 */
export function createOpenAiEmbedder(settings: OpenAiEmbedderSettings): Embedder {
  const { model, key, timeoutMs = TIMEOUT_MS, fetch = globalThis.fetch } = settings;
  const endpoint = checkEndpoint(settings);
  const closing = new AbortController();
  let dimension = 0;

  const embedBatch = async (input: string[]): Promise<number[][]> => {
    if (closing.signal.aborted) throw new EmbedderError('closed', 'The embedder is closed.');
    const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(timeoutMs)]);
    const vectors = await exchange({ endpoint, model, input, keyValue: key?.value ?? null, signal, fetch });
    dimension ||= vectors[0]?.length ?? 0;
    const odd = vectors.find(({ length }) => length !== dimension);
    if (odd === undefined) return vectors;
    const text = `${endpoint.host} gave vectors of ${dimension} and of ${odd.length} numbers for ${model}.`;
    throw new EmbedderError('bad-answer', text);
  };

  return {
    id: `openai:${model}@${endpoint.host}`,
    get dimension() {
      return dimension;
    },
    embed: async (texts) => {
      const sent = [...texts.entries()].filter(([, text]) => text.trim() !== '');
      const results = new Map<number, Int8Array>();
      for (let from = 0; from < sent.length; from += BATCH) {
        const batch = sent.slice(from, from + BATCH);
        const vectors = await embedBatch(batch.map(([, text]) => text.slice(0, MAX_CHARS).toWellFormed()));
        for (const [i, [at]] of batch.entries()) results.set(at, toInt8(vectors[i] ?? []));
      }
      return texts.map((_, at) => results.get(at) ?? new Int8Array(dimension));
    },
    close: async () => closing.abort(),
  };
}

function checkEndpoint({ baseUrl, key }: OpenAiEmbedderSettings): URL {
  const read = readBaseUrl(baseUrl);
  if (read.kind === 'bad') {
    const whose = read.url?.host ? ` for ${read.url.host}` : '';
    throw new EmbedderError('settings', `The base URL${whose} ${read.reason}.`);
  }
  const { url } = read;
  if (key === null && !isLoopback(url))
    throw new EmbedderError('settings', `${url.host} needs a key, and none is set.`);
  if (key !== null && key.host.toLowerCase() !== url.host) {
    const text = `The key was set for ${key.host} and is not sent to ${url.host}. Set it again for ${url.host}.`;
    throw new EmbedderError('settings', text);
  }
  return new URL(`${url.origin}${url.pathname.replace(/\/+$/, '')}/embeddings`);
}
