// The embedding engine for every server that speaks OpenAI's /embeddings: Ollama on this machine, or a provider over TLS.
import { z } from 'zod';
import { type BoundKey, findEndpoint, postJson } from '../../core/models.ts';
import { excerptOf } from '../../core/plain-line.ts';
import { type Embedder, EmbedderError, type EmbedderErrorKind, toInt8 } from './embedder.ts';

type OpenAiEmbedderSettings = {
  baseUrl: string;
  model: string;
  key: BoundKey | null;
  /** For one batch, from the first byte out to the last byte in. */
  timeoutMs?: number;
  fetch?: Parameters<typeof postJson>[1]['fetch'];
};

const BATCH = 64;
const TIMEOUT_MS = 30_000;
/** Some servers refuse what their model cannot read; no model in use reads more than this. */
const MAX_CHARS = 16_384;
/** 64 vectors of 4096 numbers, written out, and then some. */
const MAX_BODY_BYTES = 16 * 1024 * 1024;

/**
 * Throws an EmbedderError of kind settings when the address must not be used. `dimension` is 0 until the first answer.
 * A text without a word is not sent: several servers refuse it.
 */
export function createOpenAiEmbedder(settings: OpenAiEmbedderSettings): Embedder {
  const { model, key, timeoutMs = TIMEOUT_MS, fetch } = settings;
  const endpoint = checkEndpoint(settings);
  const closing = new AbortController();
  let dimension = 0;

  const embedBatch = async (input: string[]): Promise<number[][]> => {
    if (closing.signal.aborted) throw new EmbedderError('closed', 'The embedder is closed.');
    const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(timeoutMs)]);
    const { status, body } = await send(input, signal);
    if (status < 200 || status > 299) throw explainRefusal(status, { endpoint, model, said: excerptOf(body, key?.value ?? null) });
    const vectors = readVectors(body, input.length);
    dimension ||= vectors?.[0]?.length ?? 0;
    if (vectors?.every(({ length }) => length === dimension)) return vectors;
    throw new EmbedderError('bad-answer', `${endpoint.host} answered ${status}, but not with one vector of ${model} for each text.`);
  };

  const send = async (input: string[], signal: AbortSignal) => {
    const asked = { model, input, encoding_format: 'float' };
    try {
      const { status, body } = await postJson(endpoint.href, { key, body: asked, signal, maxBytes: MAX_BODY_BYTES, fetch });
      if (body === null) throw new EmbedderError('bad-answer', 'The answer is larger than 16 MB.');
      return { status, body };
    } catch (cause) {
      throw cause instanceof EmbedderError ? cause : explainSilence(endpoint, signal, cause);
    }
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

function checkEndpoint(settings: OpenAiEmbedderSettings): URL {
  const found = findEndpoint(settings);
  if ('problem' in found) throw new EmbedderError('settings', found.problem);
  return new URL(`${found.endpoint}/embeddings`);
}

function explainSilence({ host }: URL, signal: AbortSignal, cause: unknown): EmbedderError {
  const isLate = signal.aborted && signal.reason instanceof Error && signal.reason.name === 'TimeoutError';
  if (isLate) return new EmbedderError('transient', `${host} gave no vectors in time. Is it loading the model?`, { cause });
  if (signal.aborted) return new EmbedderError('closed', 'The embedder was closed.', { cause });
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'the connection broke';
  return new EmbedderError('transient', `${host} cannot be reached (${code}). Is the server running there?`, { cause });
}

type Refusal = { endpoint: URL; model: string; said: string };

function explainRefusal(status: number, { endpoint, model, said }: Refusal): EmbedderError {
  const reasons: [isMeant: boolean, kind: EmbedderErrorKind, remedy: string][] = [
    [status >= 300 && status < 400, 'settings', 'Redirects are not followed: set the address it leads to.'],
    [[401, 402, 403].includes(status), 'settings', 'Set the key again.'],
    [status === 404, 'settings', `It has no model ${model} or no /embeddings: pull the model, or end the base URL in /v1.`],
    [status === 408 || status === 429 || status >= 500, 'transient', 'It is tried again later.'],
    [true, 'bad-answer', `Is ${model} an embedding model?`],
  ];
  const [, kind, remedy] = reasons.find(([isMeant]) => isMeant) ?? [true, 'bad-answer', ''];
  return new EmbedderError(kind, `${endpoint.host} answered ${status}${said === '' ? '' : ` (${said})`}. ${remedy}`);
}

const Answer = z.object({
  data: z.array(z.object({ index: z.number().int().nullish(), embedding: z.array(z.number()).min(1) })),
});

/** Null when it is anything else than `count` vectors. */
function readVectors(body: string, count: number): number[][] | null {
  try {
    const { data } = Answer.parse(JSON.parse(body));
    const vectors = new Map(data.map(({ index, embedding }, at) => [index ?? at, embedding]));
    const ordered = data.flatMap((_, at) => [vectors.get(at) ?? []]);
    return data.length === count && ordered.every(({ length }) => length > 0) ? ordered : null;
  } catch {
    // The caller says what was wrong with it.
    return null;
  }
}
