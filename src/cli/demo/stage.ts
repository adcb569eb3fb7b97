// Where the demo plays: a home of its own, with a memory, a repository and transcripts. Nothing of the person's is touched.
import { appendFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pingWorker } from '../../client/api.ts';
import { isStarting } from '../../client/start-worker.ts';
import type { HookCommand } from '../../core/envelope.ts';
import type { Status } from '../../core/shapes/worker.ts';
import { findPaths, type Paths, workerEnvironment } from '../../paths.ts';
import { startBun } from '../../start-bun.ts';
import { endWorker } from '../commands/start.ts';
import { fetchStatus } from '../worker-state.ts';
import { makeRepository, type Week } from './claude-session.ts';

export type Stage = ReturnType<typeof openStage>;

/** `home` belongs to nobody else, `dist` holds the built programs. `port`: of the viewer, 0 for none. */
type Place = { home: string; dist: string; port: number };

export function openStage({ home, dist, port }: Place, week: Week) {
  const repository = makeRepository(join(home, week.repository.name), week.repository);
  const transcripts = join(home, '.claude/projects', repository.root.replace(/[^a-zA-Z0-9]/g, '-'));
  mkdirSync(transcripts, { recursive: true });
  const memory = openMemory({ home, dist, folder: repository.root, settings: { workerPort: port, ...(port === 0 && IDLE) } });
  const { paths, ask } = memory;
  return {
    ...{ ...memory, repository, transcripts },
    appendLines(session: string, lines: object[]) {
      const path = join(transcripts, `${session}.jsonl`);
      appendFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
      return path;
    },
    /** Everything that was captured is processed. */
    settle: (isSettled: (status: Status) => boolean = () => true) => settle(paths, isSettled, () => ask('start')),
  };
}

/** Soon gone if the demo itself is killed. */
export const IDLE = { idleMinutes: 1 };

type Home = { home: string; dist: string; folder: string; settings: Record<string, unknown> };

/** A memory in a home of its own. `folder`: where its sessions work. */
export function openMemory({ home, dist, folder, settings }: Home) {
  const paths = findPaths(join(home, '.claude-mem'));
  mkdirSync(paths.dataDir, { recursive: true, mode: 0o700 });
  // By rules alone, whatever the person has allowed elsewhere. Whoever made the home may have put other settings there.
  if (!existsSync(paths.config)) writeFileSync(paths.config, JSON.stringify({ provider: 'local', ...settings }), { mode: 0o600 });
  const env = { ...workerEnvironment(paths.dataDir), HOME: home, CLAUDE_MEM_FOLDER: folder };
  let isClosed = false;
  const running = new Set<Promise<unknown>>();
  const call = <T>(start: () => Promise<T>): Promise<T> => {
    if (isClosed) throw new Error('The demo is over.');
    const called = start().finally(() => running.delete(called));
    running.add(called);
    return called;
  };
  // As an agent is answered: with the passage that answers, which a terminal has no room for.
  const seen = { ...env, AI_AGENT: 'claude-mem demo' };
  return {
    paths,
    /** The built hook, as Claude Code starts it: a process of its own, the payload on stdin. */
    hook: async (command: HookCommand, payload: object) =>
      call(() => runProgram(startBun(join(dist, 'hook.js'), { args: [command] }), env, payload)),
    /** What the built command prints, as a program gets it. */
    ask: (...args: string[]) => call(async () => (await runProgram(startBun(join(dist, 'cli.js'), { args }), seen)).output),
    /** Ends the worker that its hooks started, and no other. Nothing is called afterwards. */
    async close() {
      isClosed = true;
      await Promise.allSettled(running);
      // One that is just starting answers nobody yet.
      while (isStarting(paths)) await Bun.sleep(10);
      const pid = await pingWorker(paths);
      if (pid !== null) await endWorker(paths, pid);
    },
  };
}

async function runProgram(command: string[], env: Record<string, string>, payload?: object): Promise<{ output: string; ms: number }> {
  const startedAt = performance.now();
  const stdin = payload ? new Blob([JSON.stringify(payload)]) : 'ignore';
  const child = Bun.spawn(command, { env, stdin, stdout: 'pipe', stderr: 'ignore' });
  const [output] = await Promise.all([new Response(child.stdout).text(), child.exited]);
  return { output, ms: performance.now() - startedAt };
}

/** On a busy machine; mostly it takes a tenth of a second. */
const SETTLE_TIMEOUT_MS = 120_000;
const LOOK_MS = 25;

async function settle(paths: Paths, isSettled: (status: Status) => boolean, start: () => Promise<unknown>): Promise<void> {
  for (const deadline = performance.now() + SETTLE_TIMEOUT_MS; performance.now() < deadline; await Bun.sleep(LOOK_MS)) {
    const status = await fetchStatus(paths);
    // Somebody ended it; whatever it had accepted is on the disk.
    if (status === null) await start();
    else if (status.queue.depth === 0 && status.queue.spooled === 0 && isSettled(status)) return;
  }
  throw new Error(`The worker did not get ready within ${SETTLE_TIMEOUT_MS / 1000} s. See ${paths.logs} (claude-mem demo --keep).`);
}
