// The process that copies, checks and repairs (dist/backup.js): asked once, answers once, at low priority.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { homeDir } from '../paths.ts';
import { startBun } from '../start-bun.ts';
import type { Answers, Order } from './child.ts';

type Said<K extends Order['kind']> = { result: Answers[K] } | { error: string };

/** Its order goes by its own channel: what is forgotten must not stand in a list of processes. Rejects with what the process says. */
export async function runChild<K extends Order['kind']>(order: Extract<Order, { kind: K }>, signal?: AbortSignal): Promise<Answers[K]> {
  const said = Promise.withResolvers<Said<K>>();
  const child = Bun.spawn(startBun(findProgram()), {
    env: { HOME: homeDir() },
    stdio: ['ignore', 'ignore', 'ignore'],
    ipc: (answer: Said<K>) => said.resolve(answer),
    onExit: (_child, code, killedBy) => said.resolve({ error: `The process ended (${killedBy ?? `code ${code}`}).` }),
  });
  const end = () => child.kill('SIGKILL');
  signal?.addEventListener('abort', end);
  child.send(order);
  const answer = await said.promise;
  // It has nothing more to do, and waits for this so that its answer comes before its end.
  end();
  await child.exited;
  signal?.removeEventListener('abort', end);
  if (signal?.aborted) throw signal.reason;
  if ('error' in answer) throw new Error(answer.error);
  return answer.result;
}

/** Beside the bundle that this is part of, else the source. */
function findProgram(): string {
  const built = join(import.meta.dir, 'backup.js');
  return existsSync(built) ? built : join(import.meta.dir, 'child.ts');
}
