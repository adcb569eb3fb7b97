// Everything one end-to-end test needs, in one temporary folder: a HOME, git repositories, the mock API, the worker; all gone at close.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { claudeBinary } from './claude-binary.ts';
import { type BeforeAnswer, type MockApi, startMockApi } from './mock-api.ts';
import { type MockRequest, toolUseIds } from './mock-request.ts';
import { endProcessesOf } from './processes.ts';
import { type ClaudeRun, runClaude } from './run-claude.ts';
import { createWorkerHandle, type WorkerHandle } from './worker-handle.ts';

/** For every test that has a sandbox: the first one on a machine installs Claude Code. */
export const TEST_TIMEOUT_MS = 300_000;

const ROOT = join(import.meta.dir, '..', '..');

export type SandboxRun = ClaudeRun & {
  /** What this run asked the model, subagents and compaction included. */
  requests: MockRequest[];
};

export type Sandbox = {
  home: string;
  dataDir: string;
  mock: MockApi;
  worker: WorkerHandle;
  /** Makes a git repository with one commit at a path inside the HOME. */
  makeRepo(path: string): string;
  run(run: {
    cwd: string;
    turns: string[];
    resume?: string;
    env?: Record<string, string>;
    /** Another plugin than the one as it is. */
    pluginDir?: string;
    allowedTools?: string[];
  }): Promise<SandboxRun>;
  /** The ids of all tools that ran in this sandbox so far. */
  executedTools(): string[];
  /** Ends the worker and deletes the folder. Throws when a process of this sandbox was left over. */
  close(): Promise<void>;
};

export async function createSandbox(beforeAnswer?: BeforeAnswer): Promise<Sandbox> {
  const claude = await claudeBinary();
  // The real path: the product resolves links, and /tmp is one on some machines.
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'claude-mem-e2e-')));
  const dataDir = join(home, '.claude-mem');
  mkdirSync(dataDir, { mode: 0o700 });
  // The embedder that starts no process.
  writeFileSync(join(dataDir, 'config.json'), '{"embedder": "static"}', { mode: 0o600 });
  const mock = startMockApi(beforeAnswer);
  const worker = createWorkerHandle({ cli: join(ROOT, 'dist', 'cli.js'), home, dataDir });
  return {
    home,
    dataDir,
    mock,
    worker,
    makeRepo: (path) => makeRepo(join(home, path)),
    run: async (options) => {
      const before = mock.requests.length;
      const run = await runClaude({ pluginDir: join(ROOT, 'plugin'), ...options, claude, home, apiUrl: mock.url });
      if (mock.unforeseen.length > 0) throw new Error(`no script foresees ${mock.unforeseen.join(', ')}`);
      const own = (request: MockRequest) => run.sessionIds.includes(request.sessionId);
      return { ...run, requests: mock.requests.slice(before).filter(own) };
    },
    executedTools: () => toolUseIds(mock.requests),
    close: async () => {
      try {
        await worker.stop();
      } finally {
        mock.close();
        await clearAway(home);
      }
    },
  };
}

async function clearAway(home: string): Promise<void> {
  const left = await endProcessesOf(home);
  rmSync(home, { recursive: true, force: true });
  if (left.length > 0) throw new Error(`processes were left over and have been killed: ${left.join(', ')}`);
}

function makeRepo(path: string): string {
  mkdirSync(path, { recursive: true });
  git(path, 'init', '--quiet', '--initial-branch=main');
  git(path, 'config', 'user.name', 'Ada');
  git(path, 'config', 'user.email', 'ada@example.com');
  git(path, 'commit', '--quiet', '--allow-empty', '--message', 'Begin');
  return path;
}

function git(cwd: string, ...args: string[]): void {
  const { exitCode, stderr } = Bun.spawnSync(['git', ...args], { cwd, env: { PATH: process.env.PATH, HOME: cwd } });
  if (exitCode !== 0) throw new Error(`git ${args.join(' ')} failed: ${stderr}`);
}
