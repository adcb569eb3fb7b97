// A home and a data dir of its own for one test, the built hook and CLI run in it, and an end without leftovers.
import { Database } from 'bun:sqlite';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { endWorker } from '../../src/cli/commands/start.ts';
import { callApi, findRefuser, pingWorker } from '../../src/client/api.ts';
import type { Status } from '../../src/core/shapes/worker.ts';
import { findPaths, type Paths } from '../../src/paths.ts';
import { startBun } from '../../src/start-bun.ts';
import { sessionStart } from './payloads.ts';
import { until } from './until.ts';

const DIST = join(import.meta.dir, '../../dist');
/** A worker on a machine that is busy with other tests. */
const ANSWER_MS = 10_000;

export type Run = { stdout: string; stderr: string; code: number | null; ms: number };

export type Sandbox = {
  home: string;
  paths: Paths;
  env: Record<string, string>;
  /** A folder that is a project of its own. */
  project: (name: string) => string;
  /** `onStart` is told its process. */
  hook: (command: string, payload: unknown, onStart?: (pid: number) => void) => Promise<Run>;
  /** One that somebody writes to bit by bit. */
  openHook: (command: string) => Bun.Subprocess<'pipe', 'ignore', 'ignore'>;
  cli: (...args: string[]) => Promise<Run>;
  /** The same as a person at a terminal, who says yes to every question. */
  person: (...args: string[]) => Promise<Run>;
  startWorker: () => Promise<number>;
  /** The pid of the worker that answers and works, or null. */
  workerPid: () => Promise<number | null>;
  /** What a session that starts there is told, and its person. On a busy machine one may hear nothing within its second: then the next one counts. */
  hear: (cwd: string) => Promise<{ session: string; message: string; context: string }>;
  /** What `claude-mem status --json` says of a worker that runs, without a process for it; waits until one answers. */
  status: () => Promise<Status>;
  query: <T>(sql: string) => T[];
  dispose: () => Promise<void>;
};

/** `within`: where its home is made; another disk, for one. `makeDist`: programs of its own instead of those in dist/. */
export function createSandbox({ within = tmpdir(), makeDist = (_home: string) => DIST } = {}): Sandbox {
  const home = realpathSync(mkdtempSync(join(within, 'cmem-')));
  const paths = findPaths(join(home, '.claude-mem'));
  const dist = makeDist(home);
  const env = { HOME: home, PATH: '/usr/bin:/bin', LANG: 'C.UTF-8' };
  /** As the launcher of an installed hook has it. */
  const hookEnv = () => ({ ...env, CLAUDE_MEM_INSTALLED: paths.dataDir, CLAUDE_MEM_STDIN: 'socket' });
  const hookCommand = (command: string) => [process.execPath, `--cwd=${dist}`, join(dist, 'hook.js'), command];
  let sessions = 0;
  const run = (args: string[]) => runProcess([process.execPath, ...args], env, '');

  const sandbox: Sandbox = {
    home,
    paths,
    env,
    project(name) {
      const folder = join(home, name);
      mkdirSync(folder, { recursive: true });
      return folder;
    },
    hook(command, payload, onStart) {
      const stdin = typeof payload === 'string' ? payload : JSON.stringify(payload);
      return runProcess(hookCommand(command), hookEnv(), stdin, undefined, onStart);
    },
    openHook: (command) => Bun.spawn(hookCommand(command), { env: hookEnv(), stdio: ['pipe', 'ignore', 'ignore'] }),
    cli: (...args) => run([join(dist, 'cli.js'), ...args]),
    person: (...args) => runAtTerminal([process.execPath, join(dist, 'cli.js'), ...args], env),
    async startWorker() {
      const isThere = (await pingWorker(paths)) !== null;
      if (isThere || !(await isServing(paths, spawnWorker(paths, join(dist, 'worker.js'), env)))) {
        const { stdout, stderr, code } = await sandbox.cli('start');
        if (code !== 0) throw new Error(`start failed: ${stdout}${stderr}`);
      }
      return (await sandbox.workerPid()) ?? 0;
    },
    async workerPid() {
      const pid = await pingWorker(paths, ANSWER_MS);
      return pid === (await findRefuser(paths))?.pid ? null : pid;
    },
    hear: (cwd) =>
      until(async () => {
        const session = `hears-${++sessions}`;
        const { stdout } = await sandbox.hook('context', sessionStart(session, cwd));
        const { systemMessage: message = '', hookSpecificOutput } = JSON.parse(stdout || '{}');
        const context = hookSpecificOutput?.additionalContext ?? '';
        return message || context ? { session, message, context } : null;
      }),
    status: () => until(() => callApi<Status>(paths, '/api/status', { timeoutMs: ANSWER_MS })),
    query(sql) {
      const db = new Database(paths.database, { readonly: true });
      try {
        // A worker may be recovering the log of one that was killed.
        db.run('PRAGMA busy_timeout = 5000');
        return db.query(sql).all() as never;
      } finally {
        db.close();
      }
    },
    async dispose() {
      // A hook may have started a worker that is not up yet: wait for it, so that it does not outlive the test.
      await until(() => !existsSync(paths.startMarker), 5000).catch(() => undefined);
      const pid = await pingWorker(paths, ANSWER_MS);
      // What `claude-mem stop` does for a worker that answers, without another process for it.
      const isEnded =
        pid !== null &&
        (await endWorker(paths, pid).then(
          () => true,
          () => false,
        ));
      if (!isEnded && existsSync(paths.ownerLock)) await sandbox.cli('stop');
      rmSync(home, { recursive: true, force: true });
    },
  };
  return sandbox;
}

/** What `claude-mem start` does, without another process for it, nor one for the better of two embedders. */
function spawnWorker(paths: Paths, program: string, env: Record<string, string>): Bun.Subprocess {
  mkdirSync(paths.dataDir, { recursive: true, mode: 0o700 });
  return Bun.spawn(startBun(program), {
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore'],
    cwd: paths.dataDir,
    env: { ...env, CLAUDE_MEM_DATA_DIR: paths.dataDir, CLAUDE_MEM_EMBEDDER: 'static' },
  });
}

/** False when it has ended: another holds the data dir, or something is in its way, which the command would say. */
async function isServing(paths: Paths, worker: Bun.Subprocess): Promise<boolean> {
  worker.unref();
  let isDone = false;
  const answers = until(async () => isDone || (await callApi(paths, '/api/status')));
  const outcome = await Promise.race([worker.exited.then(() => false), answers.then(() => true)]).catch(() => false);
  isDone = true;
  return outcome;
}

export async function runProcess(
  args: string[],
  env: Record<string, string>,
  stdin: string | Uint8Array,
  cwd?: string,
  onStart?: (pid: number) => void,
): Promise<Run> {
  const started = performance.now();
  const child = Bun.spawn(args, { env, cwd, stdin: 'pipe', stdout: 'pipe', stderr: 'pipe' });
  onStart?.(child.pid);
  // A child that ends without reading closes the pipe: what it did tells the test, not that.
  const written = Promise.resolve(child.stdin.write(stdin)).then(() => child.stdin.end());
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
    written.catch(() => undefined),
  ]);
  return { stdout, stderr, code, ms: performance.now() - started };
}

/** Its input and its errors are the terminal; what it prints is read apart from them. A question ends with `] `. */
export async function runAtTerminal(args: string[], env: Record<string, string>, { answer = 'y', cwd = process.cwd() } = {}): Promise<Run> {
  const started = performance.now();
  const printed = join(mkdtempSync(join(tmpdir(), 'cmem-printed-')), 'out');
  const decoder = new TextDecoder();
  let stderr = '';
  const data = (terminal: Bun.Terminal, bytes: Uint8Array) => {
    stderr += decoder.decode(bytes, { stream: true });
    if (stderr.endsWith('] ')) terminal.write(`${answer}\n`);
  };
  await using terminal = new Bun.Terminal({ cols: 500, data });
  const script = `"$0" "$@" >'${printed}'; code=$?; printf '${END}' >&2; exit $code`;
  const child = Bun.spawn(['/bin/sh', '-c', script, ...args], { cwd, env, terminal });
  const code = await child.exited;
  // What it has said may come after its end.
  await until(() => stderr.endsWith(END));
  const stdout = readFileSync(printed, 'utf8');
  rmSync(dirname(printed), { recursive: true });
  const ms = performance.now() - started;
  return { stdout, stderr: withoutPaint(stderr.slice(0, -END.length)), code, ms };
}

const END = '(the end)';

/** Without colours, and without what a bar has painted over. */
const withoutPaint = (shown: string) =>
  shown
    .replaceAll('\r\n', '\n')
    .replace(/\x1b\[[0-9;]*[A-Za-z]/g, '')
    .replace(/^.*\r/gm, '');
