// Is there a worker, and which process is it?
import { existsSync } from 'node:fs';
import type { Paths } from '../paths.ts';
import { peek } from './api.ts';
import { sendLine } from './send.ts';

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
