// One question over HTTP: it follows no redirect, reads no more than it must, and is bounded by one signal from start to end.
import { z } from 'zod';
import { isLoopback, NOTHING_USED, readBaseUrl, readLimited } from '../../core/models.ts';
import { firstWords } from '../../core/payload.ts';
import { parseJson } from '../../core/plain-json.ts';
import { scrubSecrets } from '../../secrets/scrub.ts';
import { endedEarly, endOf, ModelError, type ModelErrorKind, type Question } from './contract.ts';

/** A key and the host it was given for (with the port, unless it is the default one). */
export type BoundKey = { value: string; host: string };
export type HttpSettings = { model: string; baseUrl: string; key: BoundKey | null };

type Request = { path: string; headers?: Record<string, string>; body: (host: string) => object };

const JSON_HEADERS = { accept: 'application/json', 'content-type': 'application/json' };
const MAX_BODY_BYTES = 1024 * 1024;
/** The runtime's words for a server that was not there. */
const NEVER_CONNECTED = /REFUSED|NOTFOUND|ENETUNREACH|EHOSTUNREACH|ConnectionRefused|FailedToOpenSocket|EAI_AGAIN|DNS/i;

/** The JSON that the server answers to a question. Rejects with a ModelError only. */
export async function postQuestion({ baseUrl, key }: HttpSettings, question: Question, request: Request): Promise<unknown> {
  const url = new URL(`${checkEndpoint({ baseUrl, key })}${request.path}`);
  const authorization: Record<string, string> = key === null ? {} : { authorization: `Bearer ${key.value}` };
  const headers = { ...JSON_HEADERS, ...request.headers, ...authorization };
  const reply = await send(url, { headers, body: JSON.stringify(request.body(url.host)) }, question);
  return readJson({ ...reply, keyValue: key?.value ?? null, now: Date.now() });
}

type Reply = { status: number; headers: Headers; body: string };

async function send({ href, host }: URL, sent: { headers: Record<string, string>; body: string }, question: Question): Promise<Reply> {
  const signal = endOf(question);
  try {
    signal.throwIfAborted();
    // A redirect would carry the key to a host it was not set for. A kept connection may be found dead and the request repeated.
    const response = await fetch(href, { ...sent, method: 'POST', signal, redirect: 'manual', keepalive: false });
    const { status } = response;
    if (status >= 300 && status < 400)
      throw new ModelError('unrecoverable', `${host} answered ${status}, a redirect, which is not followed. Check the base URL.`);
    const text = response.body ? await readLimited(response.body, MAX_BODY_BYTES) : '';
    if (text === null) throw new ModelError('bad-answer', 'The answer is larger than 1 MB.');
    return { status, headers: response.headers, body: text };
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
    const said = body.trim() === '' ? 'nothing' : excerpt(body, keyValue);
    throw new ModelError('transient', `The model's server answered ${status} without JSON: ${said}`, { cause });
  }
}

// What a refusal over HTTP means for whoever asked.

/** `keyValue`: cut out of the message, since some servers repeat the key they refuse. */
type Refusal = Reply & { keyValue: string | null; now: number };

/** Both come with a status that says "wait" or "wrong request", but only a person can help. */
const OUT_OF_MONEY = /insufficient_quota|credit balance is too low/i;
const MESSAGE_CHARS = 200;

export function errorOfRefusal({ status, headers, body, keyValue, now }: Refusal): ModelError {
  const said = excerpt(body, keyValue);
  const message = `The model's server answered ${status}${said === '' ? '' : `: ${said}`}`;
  const { code, type } = readError(body) ?? {};
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

/** The first words of what the server said, without the key or any other secret. */
function excerpt(body: string, keyValue: string | null): string {
  const said = (readError(body)?.message ?? body)
    .slice(0, 20 * MESSAGE_CHARS)
    .replace(/\s+/g, ' ')
    .trim();
  const keyless = keyValue === null ? said : said.replaceAll(keyValue, '[key]');
  return firstWords(scrubSecrets(keyless).text, MESSAGE_CHARS);
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
export function checkEndpoint({ baseUrl, key }: { baseUrl: string; key: BoundKey | null }): string {
  const read = readBaseUrl(baseUrl);
  if (read.kind !== 'good') {
    const whose = read.url?.host ? ` for ${read.url.host}` : '';
    throw new ModelError('auth', `The base URL${whose} ${read.reason}.`);
  }
  const { host, origin, pathname } = read.url;
  if (key === null && !isLoopback(read.url)) throw new ModelError('auth', `${host} needs a key, and none is set.`);
  if (key !== null && !/^[\x21-\x7e]+$/.test(key.value))
    throw new ModelError('auth', `The key for ${host} is empty or has a space or line break in it. Set it again.`);
  if (key !== null && key.host.toLowerCase() !== host)
    throw new ModelError('auth', `The key was set for ${key.host} and is not sent to ${host}. Set it again for ${host}.`);
  return `${origin}${pathname.replace(/\/+$/, '')}`;
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
