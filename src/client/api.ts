// Calls of the worker's HTTP API over its unix socket.

import { existsSync } from 'node:fs';
import { parseJson } from '../core/plain-json.ts';
import type { Paths } from '../paths.ts';
import { sendLine } from './send.ts';

export type Call = {
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  body?: unknown;
  timeoutMs?: number;
  headers?: Record<string, string>;
};

const START_TIMEOUT_MS = 3000;
/** A busy machine may need longer: as long as the process lives that was started. */
const SLOW_START_MS = 20_000;
/** A first search may have to wait for an index that is being opened. */
const ASK_TIMEOUT_MS = 15_000;

/** Null when no worker answers. The worker is ours: its answers are trusted to keep to core/shapes/. */
export async function callApi<Answer = unknown>(paths: Paths, route: string, call: Call = {}): Promise<Answer | null> {
  const reply = await request(paths, route, { timeoutMs: 2000, ...call });
  return reply.kind === 'answer' ? (readAnswer(reply, route) as Answer) : null;
}

type Peek = { kind: 'answer'; body: unknown } | { kind: 'asleep' } | { kind: 'busy' };

/** One short question, for a status line and for whoever only wants to know whether a worker is there. */
export async function peek(paths: Paths, route: string, timeoutMs: number): Promise<Peek> {
  const reply = await request(paths, route, { timeoutMs });
  if (reply.kind === 'answer' && reply.status < 400) return { kind: 'answer', body: JSON.parse(reply.text) };
  return { kind: reply.kind === 'down' ? 'asleep' : 'busy' };
}

/** Like `callApi`, but without a worker it starts one, once, and waits for it. Rejects with what to do about it. */
export async function askWorker<Answer = unknown>(paths: Paths, route: string, call: Call = {}): Promise<Answer> {
  const ask = () => request(paths, route, { timeoutMs: ASK_TIMEOUT_MS, ...call });
  let reply = await ask();
  let isAlive: (() => boolean) | null = null;
  if (reply.kind === 'down') {
    (await import('./writable.ts')).requireWritable(paths);
    isAlive = (await import('./start-worker.ts')).startWorker(paths);
  }
  const startedAt = performance.now();
  const waitMs = () => (isAlive?.() ? SLOW_START_MS : START_TIMEOUT_MS);
  while (reply.kind === 'down' && performance.now() - startedAt < waitMs()) {
    await Bun.sleep(10);
    reply = await ask();
  }
  if (reply.kind === 'answer') return readAnswer(reply, route) as Answer;
  if (reply.kind === 'silent') throw new Error('The worker does not answer. Look at `claude-mem status`.');
  throw new Error('The worker does not start. Run `claude-mem start`: it says why.');
}

type Answered = { status: number; text: string };
type Reply = ({ kind: 'answer' } & Answered) | { kind: 'down' } | { kind: 'silent' };

async function request(paths: Paths, route: string, { method, body, timeoutMs = 0, headers }: Call): Promise<Reply> {
  try {
    const response = await fetch(`http://localhost${route}`, {
      unix: paths.httpSocket,
      method: method ?? 'GET',
      signal: AbortSignal.timeout(timeoutMs),
      // A connection kept open would outlive the worker, and the next call would fail on it.
      keepalive: false,
      headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { kind: 'answer', status: response.status, text: await response.text() };
  } catch (error) {
    // Nobody listens, or it hung up, or it takes too long: that is the answer.
    return { kind: error instanceof Error && error.name === 'TimeoutError' ? 'silent' : 'down' };
  }
}

const NO_ROUTE = 'There is no such route.';

/** Throws with what is wrong and what to do, as one text. */
export function readAnswer({ status, text }: Answered, route: string): unknown {
  if (status < 400) return JSON.parse(text);
  const { error, hint, candidates } = readProblem(text);
  if (error === NO_ROUTE) {
    throw new Error('The running worker is of another version and does not know this. Run `claude-mem restart`.');
  }
  const isNamed = candidates.every((candidate) => hint.includes(candidate));
  if (error) throw new Error([error, hint, isNamed ? '' : `${candidates.join(', ')}.`].filter(Boolean).join(' '));
  throw new Error(`The worker answered ${status} to ${route.split('?')[0]}. Look at \`claude-mem logs\`.`);
}

function readProblem(text: string): { error: string; hint: string; candidates: string[] } {
  // Of what is not JSON, or null, there is nothing to pass on but the status.
  const { error, hint, candidates } = Object(parseJson(text));
  const isText = (value: unknown) => typeof value === 'string';
  const list = Array.isArray(candidates) ? candidates.filter(isText) : [];
  return { error: isText(error) ? error : '', hint: isText(hint) ? hint : '', candidates: list };
}

// Is there a worker, and which process is it?

/** The pid of the worker that answers, by whichever of its sockets is there; or null. */
export async function pingWorker(paths: Paths, timeoutMs = 1000): Promise<number | null> {
  const { pid } = await ping(paths, timeoutMs);
  return pid ?? (await askHealth(paths, timeoutMs));
}

/** A worker that answers only that it cannot work, and why; or null. */
export async function findRefuser(paths: Paths): Promise<{ pid: number; reason: string } | null> {
  const { pid, refuses } = await ping(paths, 1000);
  return pid !== null && refuses !== null ? { pid, reason: refuses } : null;
}

/** Whether a worker works here, whatever its lock says. */
export async function isServed(paths: Paths, timeoutMs: number): Promise<boolean> {
  const { pid, refuses } = await ping(paths, timeoutMs);
  return pid !== null ? refuses === null : (await askHealth(paths, timeoutMs)) !== null;
}

async function ping(paths: Paths, timeoutMs: number): Promise<{ pid: number | null; refuses: string | null }> {
  const result = await sendLine(paths.workerSocket, '{"type":"ping","id":"ping"}', timeoutMs);
  if (result.kind !== 'answer') return { pid: null, refuses: null };
  const { pid, refuses } = JSON.parse(result.line);
  return { pid: typeof pid === 'number' ? pid : null, refuses: typeof refuses === 'string' ? refuses : null };
}

async function askHealth(paths: Paths, timeoutMs: number): Promise<number | null> {
  if (!existsSync(paths.httpSocket)) return null;
  const peeked = await peek(paths, '/health', timeoutMs);
  const body = peeked.kind === 'answer' ? (peeked.body as { pid?: unknown }) : null;
  return typeof body?.pid === 'number' ? body.pid : null;
}
