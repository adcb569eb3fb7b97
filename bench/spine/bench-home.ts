// A temporary HOME with its own data dir and worker, and an end that leaves nothing behind.
import { Database } from 'bun:sqlite';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { callApi } from '../../src/client/api.ts';
import { sendLine } from '../../src/client/send.ts';
import { findPaths, type Paths } from '../../src/paths.ts';
import { endProcessesOf, isAlive } from '../../test/e2e/processes.ts';
import { until } from '../../test/support/until.ts';
import { type BuiltPlugin, placeBuilt } from './built-plugin.ts';

export type BenchHome = {
  home: string;
  paths: Paths;
  env: Record<string, string>;
  /** The plugin as it is installed for this home. */
  plugin: string;
  /** A hook command as its hooks.json has it. */
  hook: (command: string, agent?: string) => string[];
  /** A folder that is a project of its own. */
  project: (name: string) => string;
  /** Starts the built worker and resolves with its pid once it answers. */
  startWorker: () => Promise<number>;
  /** Ends the worker, whoever started it, and resolves when its process is gone. */
  stopWorker: () => Promise<void>;
  count: (sql: string) => number;
  /** Every file that ever was in the spool changes this, also one that the worker has taken out again. */
  spoolChangedAt: () => number;
  isSpooled: () => boolean;
  close: () => Promise<void>;
};

const PING = '{"type":"ping","id":"bench"}';

export function createBenchHome(built: BuiltPlugin): BenchHome {
  const { bun, worker } = built;
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'cmem-bench-')));
  const paths = findPaths(join(home, '.claude-mem'));
  const env = { HOME: home, PATH: '/usr/local/bin:/usr/bin:/bin', LANG: 'C.UTF-8' };

  const plugin = join(home, 'plugin');
  placeBuilt(built, plugin, paths.dataDir);

  const stopWorker = async () => {
    await until(() => !existsSync(paths.startMarker), 5000);
    const pid = await readWorkerPid(paths);
    if (pid === null) return;
    process.kill(pid, 'SIGTERM');
    await until(() => !isAlive(pid));
  };
  return {
    home,
    paths,
    env,
    plugin,
    hook: (command, agent) => [join(plugin, 'bin/start-bun'), 'hook.js', command, ...(agent ? [agent] : [])],
    project: (name) => {
      const folder = join(home, name);
      mkdirSync(folder, { recursive: true });
      return folder;
    },
    startWorker: async () => {
      // Whoever starts a worker makes its folder.
      mkdirSync(paths.dataDir, { recursive: true, mode: 0o700 });
      const child = Bun.spawn([bun, worker], { env, cwd: home, stdio: ['ignore', 'ignore', 'ignore'] });
      await until(() => isAnswering(paths));
      return child.pid;
    },
    stopWorker,
    count: (sql) => countRows(paths.database, sql),
    spoolChangedAt: () => {
      mkdirSync(paths.spool, { recursive: true, mode: 0o700 });
      return statSync(paths.spool).mtimeMs;
    },
    isSpooled: () => readdirSync(paths.spool).some((name) => name.endsWith('.json')),
    close: async () => {
      try {
        await stopWorker();
      } finally {
        await endProcessesOf(home);
        rmSync(home, { recursive: true, force: true });
      }
    },
  };
}

const isAnswering = async (paths: Paths) => (await sendLine(paths.workerSocket, PING, 1000)).kind === 'answer';

async function readWorkerPid(paths: Paths): Promise<number | null> {
  if (!(await isAnswering(paths))) return null;
  // The hooks' door opens a moment before the one for everything else.
  const status = await until(() => callApi(paths, '/api/status'));
  if (typeof status !== 'object' || !('pid' in status)) throw new Error('the status of the worker has no pid');
  return Number(status.pid);
}

function countRows(database: string, sql: string): number {
  const db = new Database(database, { readonly: true });
  try {
    db.run('PRAGMA busy_timeout = 5000');
    return db.query<{ n: number }, []>(sql).get()?.n ?? 0;
  } finally {
    db.close();
  }
}
