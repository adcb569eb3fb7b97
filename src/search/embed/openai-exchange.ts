// One request to an /embeddings endpoint: no redirect, a bounded answer, and errors that say what to do.

import { z } from 'zod';
import { firstWords } from '../../core/cut.ts';
import { readLimited } from '../../core/read-limited.ts';
import { scrubSecrets } from '../../secrets/scrub.ts';
import { EmbedderError, type EmbedderErrorKind } from './embedder.ts';

/** The part of the runtime's fetch that we use. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export type EmbeddingExchange = {
  endpoint: URL;
  model: string;
  input: string[];
  keyValue: string | null;
  signal: AbortSignal;
  fetch: Fetch;
};

/** 64 vectors of 4096 numbers, written out, and then some. */
const MAX_BODY_BYTES = 16 * 1024 * 1024;
const EXCERPT_CHARS = 200;

/** One vector for each input, in order. */
export async function exchange(order: EmbeddingExchange): Promise<number[][]> {
  const { status, body } = await send(order);
  if (status < 200 || status > 299) throw refusal(order, status, body);
  const vectors = readVectors(body, order.input.length);
  if (vectors !== null) return vectors;
  throw new EmbedderError(
    'bad-answer',
    `${order.endpoint.host} answered ${status}, but not with one vector for each text.`,
  );
}

async function send({ endpoint, model, input, keyValue, signal, fetch }: EmbeddingExchange) {
  const headers = { accept: 'application/json', 'content-type': 'application/json' };
  const authorized = keyValue === null ? headers : { ...headers, authorization: `Bearer ${keyValue}` };
  const body = JSON.stringify({ model, input, encoding_format: 'float' });
  try {
    // A redirect would carry the key and the texts to a host they were not meant for.
    const init = { method: 'POST', headers: authorized, body, signal, redirect: 'manual', keepalive: false } as const;
    const response = await fetch(endpoint.href, init);
    return { status: response.status, body: await readBody(response) };
  } catch (cause) {
    if (cause instanceof EmbedderError) throw cause;
    throw unreachable(endpoint, signal, cause);
  }
}

async function readBody(response: Response): Promise<string> {
  const text = response.body ? await readLimited(response.body, MAX_BODY_BYTES) : '';
  if (text === null) throw new EmbedderError('bad-answer', 'The answer is larger than 16 MB.');
  return text;
}

function unreachable({ host }: URL, signal: AbortSignal, cause: unknown): EmbedderError {
  const isLate = signal.aborted && signal.reason instanceof Error && signal.reason.name === 'TimeoutError';
  if (isLate)
    return new EmbedderError('transient', `${host} gave no vectors in time. Is it loading the model?`, { cause });
  if (signal.aborted) return new EmbedderError('closed', 'The embedder was closed.', { cause });
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'the connection broke';
  return new EmbedderError('transient', `${host} cannot be reached (${code}). Is the server running there?`, { cause });
}

function refusal({ endpoint, model, keyValue }: EmbeddingExchange, status: number, body: string): EmbedderError {
  const said = excerpt(body, keyValue);
  const { kind, remedy } = explain(status, model);
  return new EmbedderError(kind, `${endpoint.host} answered ${status}${said === '' ? '' : ` (${said})`}. ${remedy}`);
}

function explain(status: number, model: string): { kind: EmbedderErrorKind; remedy: string } {
  if (status >= 300 && status < 400)
    return { kind: 'settings', remedy: 'Redirects are not followed: set the address it leads to.' };
  if (status === 401 || status === 402 || status === 403) return { kind: 'settings', remedy: 'Set the key again.' };
  if (status === 404) {
    const remedy = `It has no model ${model} or no /embeddings: pull the model, or end the base URL in /v1.`;
    return { kind: 'settings', remedy };
  }
  if (status === 408 || status === 429 || status >= 500)
    return { kind: 'transient', remedy: 'It is tried again later.' };
  return { kind: 'bad-answer', remedy: `Is ${model} an embedding model?` };
}

function excerpt(body: string, keyValue: string | null): string {
  const said = body
    .slice(0, 20 * EXCERPT_CHARS)
    .replace(/\s+/g, ' ')
    .trim();
  const keyless = keyValue === null ? said : said.replaceAll(keyValue, '[key]');
  return firstWords(scrubSecrets(keyless).text, EXCERPT_CHARS);
}

/** Null when it is anything else than `count` vectors of one length. */
function readVectors(body: string, count: number): number[][] | null {
  const { data: answer } = Answer.safeParse(parseJson(body));
  if (answer?.data.length !== count) return null;
  const sorted = answer.data.map(({ index, embedding }, at) => ({ at: index ?? at, embedding }));
  sorted.sort((a, b) => a.at - b.at);
  return sorted.every(({ at }, i) => at === i) ? sorted.map(({ embedding }) => embedding) : null;
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    // Read as an answer without vectors.
    return null;
  }
}

const Answer = z.object({
  data: z.array(z.object({ index: z.number().int().nullish(), embedding: z.array(z.number()).min(1) })),
});
