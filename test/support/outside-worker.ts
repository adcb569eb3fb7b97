// A worker in a process of its own on the data dir of a test worker: one that can be killed.
import { join } from 'node:path';
import { sendLine } from '../../src/client/send.ts';
import { until } from './until.ts';
import type { TestWorker } from './worker-app.ts';

const PROGRAM = join(import.meta.dir, '../../src/cli/worker.ts');

/** Answers hooks and questions when this resolves. */
export async function startOutside(worker: TestWorker) {
  const { dataDir, workerSocket } = worker.paths;
  const child = Bun.spawn([process.execPath, PROGRAM], {
    env: { HOME: dataDir, PATH: '/usr/bin:/bin', CLAUDE_MEM_DATA_DIR: dataDir },
    stdio: ['ignore', 'ignore', 'ignore'],
  });
  const isUp = async () => (await sendLine(workerSocket, '{"type":"ping","id":"t"}', 200)).kind === 'answer';
  const isServing = async () => (await worker.call('GET', '/health').catch(() => null))?.status === 200;
  await until(async () => (await isUp()) && (await isServing()));
  return {
    async end(signal: 'SIGKILL' | 'SIGTERM') {
      child.kill(signal);
      await child.exited;
    },
  };
}
