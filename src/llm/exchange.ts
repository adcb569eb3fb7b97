// One request over HTTP: it follows no redirect, reads no more than it must, and is bounded by one signal from start to end.

import { readLimited } from '../core/read-limited.ts';
import { NOTHING_USED } from '../core/usage.ts';
import { errorOfRefusal, excerpt } from './http-errors.ts';
import { ModelError } from './model-error.ts';

/** The part of the runtime's fetch that we use. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export type Exchange = {
  url: string;
  headers: Record<string, string>;
  body: string;
  keyValue: string | null;
  /** Its reason is what the exchange rejects with when it fires. */
  signal: AbortSignal;
  fetch: Fetch;
};

const MAX_BODY_BYTES = 1024 * 1024;
/** The runtime's words for a server that was not there. */
const NEVER_CONNECTED = /REFUSED|NOTFOUND|ENETUNREACH|EHOSTUNREACH|ConnectionRefused|FailedToOpenSocket|EAI_AGAIN|DNS/i;

/** The JSON of a 2xx answer. Everything else is a ModelError. */
export async function exchangeJson(exchange: Exchange): Promise<unknown> {
  const { status, headers, body } = await send(exchange);
  const { keyValue } = exchange;
  if (status < 200 || status > 299) throw errorOfRefusal({ status, headers, body, keyValue, now: Date.now() });
  try {
    return JSON.parse(body);
  } catch (cause) {
    const said = body.trim() === '' ? 'nothing' : excerpt(body, keyValue);
    throw new ModelError('transient', `The model's server answered ${status} without JSON: ${said}`, { cause });
  }
}

async function send({ url, headers, body, signal, fetch }: Exchange): Promise<Reply> {
  try {
    signal.throwIfAborted();
    // A redirect would carry the key to a host it was not set for. A kept connection may be found dead and the request repeated.
    const init = { method: 'POST', headers, body, signal, redirect: 'manual', keepalive: false } as const;
    const response = await fetch(url, init);
    if (response.status >= 300 && response.status < 400) throw redirected(response, url);
    return { status: response.status, headers: response.headers, body: await readBody(response) };
  } catch (cause) {
    if (signal.aborted) throw signal.reason;
    if (cause instanceof ModelError) throw cause;
    const why = cause instanceof Error && 'code' in cause ? String(cause.code) : 'the connection broke';
    const usage = NEVER_CONNECTED.test(why) ? NOTHING_USED : null;
    throw new ModelError('transient', `No whole answer came from ${new URL(url).host}: ${why}.`, { cause, usage });
  }
}

type Reply = { status: number; headers: Headers; body: string };

function redirected({ status }: Response, url: string): ModelError {
  const { host } = new URL(url);
  return new ModelError(
    'unrecoverable',
    `${host} answered ${status}, a redirect, which is not followed. Check the base URL.`,
  );
}

async function readBody(response: Response): Promise<string> {
  const text = response.body ? await readLimited(response.body, MAX_BODY_BYTES) : '';
  if (text === null) throw new ModelError('bad-answer', 'The answer is larger than 1 MB.');
  return text;
}
