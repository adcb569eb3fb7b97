// What a refusal over HTTP means for whoever asked.
import { z } from 'zod';
import { firstWords } from '../core/cut.ts';
import { NOTHING_USED } from '../core/usage.ts';
import { scrubSecrets } from '../secrets/scrub.ts';
import { ModelError, type ModelErrorKind } from './model-error.ts';
import { readRetryAfter } from './retry-after.ts';

export type Refusal = {
  status: number;
  headers: Headers;
  body: string;
  /** Cut out of the message: some servers repeat the key they refuse. */
  keyValue: string | null;
  now: number;
};

/** Both come with a status that says "wait" or "wrong request", but only a person can help. */
const OUT_OF_MONEY = /insufficient_quota|credit balance is too low/i;
const MESSAGE_CHARS = 200;

export function errorOfRefusal({ status, headers, body, keyValue, now }: Refusal): ModelError {
  const said = excerpt(body, keyValue);
  const message = `The model's server answered ${status}${said === '' ? '' : `: ${said}`}`;
  const { code, type } = readError(body) ?? {};
  // Not in the whole body: some servers repeat the question in it.
  if (OUT_OF_MONEY.test(`${code} ${type} ${said}`)) return new ModelError('auth', message, { usage: NOTHING_USED });
  const until = readRetryAfter(headers, now);
  const isBusy = status === 503 || status === 529;
  if (isBusy && until !== null) return new ModelError('rate-limited', message, { until, usage: NOTHING_USED });
  const kind = kindOfStatus(status);
  return new ModelError(kind, message, { until: kind === 'rate-limited' ? until : null, usage: NOTHING_USED });
}

export function kindOfStatus(status: number): ModelErrorKind {
  if (status === 429) return 'rate-limited';
  // 402: the account has no money left.
  if (status === 401 || status === 402 || status === 403) return 'auth';
  if (status === 408 || status === 409 || status === 425 || status >= 500) return 'transient';
  return 'unrecoverable';
}

/** The first words of what the server said, without the key or any other secret. */
export function excerpt(body: string, keyValue: string | null): string {
  const said = (readError(body)?.message ?? body)
    .slice(0, 20 * MESSAGE_CHARS)
    .replace(/\s+/g, ' ')
    .trim();
  const keyless = keyValue === null ? said : said.replaceAll(keyValue, '[key]');
  return firstWords(scrubSecrets(keyless).text, MESSAGE_CHARS);
}

type SaidError = { message: string; code?: unknown; type?: unknown };

/** Null for a page, and for JSON without a message. */
function readError(body: string): SaidError | null {
  try {
    return ErrorBody.safeParse(JSON.parse(body)).data ?? null;
  } catch {
    return null;
  }
}

const Details = z.object({ message: z.string(), code: z.unknown().optional(), type: z.unknown().optional() });
const ErrorBody = z.union([
  z.object({ error: Details }).transform(({ error }): SaidError => error),
  z.object({ error: z.string() }).transform(({ error }): SaidError => ({ message: error })),
  Details,
]);
