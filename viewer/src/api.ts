// The worker's HTTP API, as the pages ask it.
import { entry, leave } from './token.ts';

/** What went wrong and what to do about it, as the worker says it. */
export class ApiError extends Error {
  readonly status: number;
  readonly hint: string;

  constructor(status: number, message: string, hint: string) {
    super(message);
    this.status = status;
    this.hint = hint;
  }
}

type Value = string | number | boolean | undefined | null;

export type Ask = {
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** What is undefined, null or '' is left out. */
  query?: Record<string, Value>;
  body?: unknown;
  signal?: AbortSignal;
};

/** Rejects with an ApiError; status 0 when the worker is away. The worker is ours: its answers keep to the types of src/core. */
export async function ask<Answer>(path: string, { method = 'GET', query = {}, body, signal }: Ask = {}): Promise<Answer> {
  const response = await send(withQuery(path, query), {
    method,
    signal: signal ?? null,
    headers: { ...authorization(), ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (response.ok) return response.json();
  if (response.status === 401) leave();
  const { error, hint } = await response.json().catch(() => ({}));
  throw new ApiError(response.status, error ?? `The worker answered ${response.status}.`, hint ?? '');
}

async function send(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new ApiError(0, 'claude-mem isn’t running.', 'The next session starts it, or `claude-mem start`.');
  }
}

export const authorization = (): Record<string, string> =>
  entry.value.kind === 'in' ? { authorization: `Bearer ${entry.value.token}` } : {};

export function withQuery(path: string, query: Record<string, Value>): string {
  const parts = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== '') parts.set(name, String(value));
  }
  return parts.size === 0 ? path : `${path}?${parts}`;
}
