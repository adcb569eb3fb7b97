// Is there a worker, and which process is it?
import type { Paths } from '../paths.ts';
import { sendLine } from './send.ts';

/** The pid of the worker that answers, or null. */
export async function pingWorker(paths: Paths, timeoutMs = 1000): Promise<number | null> {
  const result = await sendLine(paths.workerSocket, '{"type":"ping","id":"ping"}', timeoutMs);
  if (result.kind !== 'answer') return null;
  const { pid } = JSON.parse(result.line);
  return typeof pid === 'number' ? pid : null;
}
