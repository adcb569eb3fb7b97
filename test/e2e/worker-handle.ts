// The worker of one sandbox, through the CLI and its pid: asked, stopped, killed.
import { pingWorker } from '../../src/client/api.ts';
import { findPaths } from '../../src/paths.ts';
import { until } from '../support/until.ts';
import { isAlive } from './processes.ts';

export type WorkerHandle = {
  /** The pid of the running worker; null when none runs. */
  pid(): Promise<number | null>;
  /** As a person would, and waits until it answers. */
  start(): Promise<void>;
  /** Ends it as a person would and waits until it is gone. Nothing happens when none runs. */
  stop(): Promise<void>;
  /** kill -9, if it runs. True when there was one to kill. */
  kill(): Promise<boolean>;
};

type Where = { cli: string; home: string; dataDir: string };

/** Of a machine that is busy with other tests. */
const ANSWER_MS = 10_000;

export function createWorkerHandle(where: Where): WorkerHandle {
  const pid = () => pingWorker(findPaths(where.dataDir), ANSWER_MS);
  return {
    pid,
    start: async () => void (await callCli(where, 'start')),
    stop: async () => {
      const running = await pid();
      if (running === null) return;
      await callCli(where, 'stop');
      await until(() => !isAlive(running));
    },
    kill: async () => {
      const running = await pid();
      if (running === null) return false;
      process.kill(running, 'SIGKILL');
      await until(() => !isAlive(running));
      return true;
    },
  };
}

/** Returns what it printed; whether `status` fails when nothing runs is not our business here. */
async function callCli({ cli, home, dataDir }: Where, ...args: string[]): Promise<string> {
  const child = Bun.spawn([process.execPath, cli, ...args], {
    env: { PATH: process.env.PATH, HOME: home, CLAUDE_MEM_DATA_DIR: dataDir },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: 60_000,
  });
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  if (stderr !== '') throw new Error(`claude-mem ${args.join(' ')} failed: ${stderr}`);
  return stdout;
}
