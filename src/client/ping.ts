// Is there a worker, and which process is it?
import type { Paths } from '../paths.ts';
import { sendLine } from './send.ts';

/** The pid of the worker that answers, or null. */
export async function pingWorker(paths: Paths, timeoutMs = 1000): Promise<number | null> {
  return (await ping(paths, timeoutMs)).pid;
}

/** The pid of a worker that answers only that it cannot work, or null. */
export async function findRefuser(paths: Paths): Promise<number | null> {
  const { pid, refuses } = await ping(paths, 1000);
  return refuses ? pid : null;
}

async function ping(paths: Paths, timeoutMs: number): Promise<{ pid: number | null; refuses: boolean }> {
  const result = await sendLine(paths.workerSocket, '{"type":"ping","id":"ping"}', timeoutMs);
  if (result.kind !== 'answer') return { pid: null, refuses: false };
  const { pid, refuses } = JSON.parse(result.line);
  return { pid: typeof pid === 'number' ? pid : null, refuses: refuses === true };
}
