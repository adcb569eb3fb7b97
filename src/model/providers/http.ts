// One question over HTTP: it follows no redirect, reads no more than it must, and is bounded by one signal from start to end.
import { z } from 'zod';
import { type BoundKey, findEndpoint, NOTHING_USED, postJson } from '../../core/models.ts';
import { parseJson } from '../../core/plain-json.ts';
import { excerptOf } from '../../core/plain-line.ts';
import { endedEarly, endOf, ModelError, type ModelErrorKind, type Question } from './contract.ts';

export type HttpSettings = { model: string; baseUrl: string; key: BoundKey | null };

type Request = { path: string; headers?: Record<string, string>; body: (host: string) => object };

const MAX_BODY_BYTES = 1024 * 1024;
/** The runtime's words for a server that was not there. */
const NEVER_CONNECTED = /REFUSED|NOTFOUND|ENETUNREACH|EHOSTUNREACH|ConnectionRefused|FailedToOpenSocket|EAI_AGAIN|DNS/i;

/** The JSON that the server answers to a question. Rejects with a ModelError only. */
export async function postQuestion({ baseUrl, key }: HttpSettings, question: Question, request: Request): Promise<unknown> {
  const url = new URL(`${checkEndpoint({ baseUrl, key })}${request.path}`);
  const reply = await send(url, { key, headers: request.headers, body: request.body(url.host) }, question);
  return readJson({ ...reply, keyValue: key?.value ?? null, now: Date.now() });
}

type Reply = { status: number; headers: Headers; body: string };

type Sent = { key: BoundKey | null; headers: Record<string, string> | undefined; body: object };

async function send({ href, host }: URL, sent: Sent, question: Question): Promise<Reply> {
  const signal = endOf(question);
  try {
    signal.throwIfAborted();
    const { status, headers, body } = await postJson(href, { ...sent, signal, maxBytes: MAX_BODY_BYTES });
    if (status >= 300 && status < 400)
      throw new ModelError('unrecoverable', `${host} answered ${status}, a redirect, which is not followed. Check the base URL.`);
    if (body === null) throw new ModelError('bad-answer', 'The answer is larger than 1 MB.');
    return { status, headers, body };
  } catch (cause) {
    if (signal.aborted) throw endedEarly(question);
    if (cause instanceof ModelError) throw cause;
    const why = cause instanceof Error && 'code' in cause ? String(cause.code) : 'the connection broke';
    const usage = NEVER_CONNECTED.test(why) ? NOTHING_USED : null;
    throw new ModelError('transient', `No whole answer came from ${host}: ${why}.`, { cause, usage });
  }
}

function readJson(reply: Refusal): unknown {
  const { status, body, keyValue } = reply;
  if (status < 200 || status > 299) throw errorOfRefusal(reply);
  try {
    return JSON.parse(body);
  } catch (cause) {
    const said = body.trim() === '' ? 'nothing' : excerptOf(readError(body)?.message ?? body, keyValue);
    throw new ModelError('transient', `The model's server answered ${status} without JSON: ${said}`, { cause });
  }
}

// What a refusal over HTTP means for whoever asked.

/** `keyValue`: cut out of the message, since some servers repeat the key they refuse. */
type Refusal = Reply & { keyValue: string | null; now: number };

/** Both come with a status that says "wait" or "wrong request", but only a person can help. */
const OUT_OF_MONEY = /insufficient_quota|credit balance is too low/i;

export function errorOfRefusal({ status, headers, body, keyValue, now }: Refusal): ModelError {
  const error = readError(body);
  const said = excerptOf(error?.message ?? body, keyValue);
  const message = `The model's server answered ${status}${said === '' ? '' : `: ${said}`}`;
  const { code, type } = error ?? {};
  // Not in the whole body: some servers repeat the question in it.
  if (OUT_OF_MONEY.test(`${code} ${type} ${said}`)) return new ModelError('auth', message, { usage: NOTHING_USED });
  const until = readRetryAfter(headers.get('retry-after') ?? '', now);
  const isBusy = (status === 503 || status === 529) && until !== null;
  const kind = isBusy ? 'rate-limited' : kindOfStatus(status);
  return new ModelError(kind, message, { until: kind === 'rate-limited' ? until : null, usage: NOTHING_USED });
}

export function kindOfStatus(status: number): ModelErrorKind {
  if (status === 429) return 'rate-limited';
  // 402: the account has no money left.
  if (status === 401 || status === 402 || status === 403) return 'auth';
  return status === 408 || status === 409 || status === 425 || status >= 500 ? 'transient' : 'unrecoverable';
}

type SaidError = { message: string; code?: unknown; type?: unknown };

/** Null for a page, and for JSON without a message. */
const readError = (body: string): SaidError | null => ErrorBody.safeParse(parseJson(body)).data ?? null;

const Details = z.object({ message: z.string(), code: z.unknown().optional(), type: z.unknown().optional() });
const ErrorBody = z.union([
  z.object({ error: Details }).transform(({ error }): SaidError => error),
  z.object({ error: z.string() }).transform(({ error }): SaidError => ({ message: error })),
  Details,
]);

/** Epoch ms; null when the header does not say, or names a time that has passed. */
function readRetryAfter(text: string, now: number): number | null {
  if (/^\s*\d+(\.\d+)?\s*$/.test(text)) return clampUntil(now + Number(text) * 1000, now);
  const time = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? null : clampUntil(time, now);
}

const LONGEST_MS = 7 * 24 * 3_600_000;

/** Never more than seven days from now. */
export const clampUntil = (until: number, now: number): number | null => (until > now ? Math.min(until, now + LONGEST_MS) : null);

/** The base URL without a slash at its end. Throws a ModelError of kind auth when the key must not be sent there. */
export function checkEndpoint(server: Pick<HttpSettings, 'baseUrl' | 'key'>): string {
  const found = findEndpoint(server);
  if ('problem' in found) throw new ModelError('auth', found.problem);
  return found.endpoint;
}

/** How Anthropic's Messages API counts tokens, in our words. What goes into its cache is billed as input. */
export const MessagesUsage = z
  .object({
    input_tokens: z.number(),
    cache_creation_input_tokens: z.number().nullish(),
    cache_read_input_tokens: z.number().nullish(),
    output_tokens: z.number(),
  })
  .transform((usage) => ({
    inputTokens: usage.input_tokens + (usage.cache_creation_input_tokens ?? 0),
    cachedTokens: usage.cache_read_input_tokens ?? 0,
    outputTokens: usage.output_tokens,
  }));
