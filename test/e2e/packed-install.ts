// The package as a person gets it: packed, installed by npm into a folder of its own, run in a HOME of its own.
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { outsideEnvironment } from '../../scripts/outside-environment.ts';
import { runAtTerminal } from '../support/sandbox.ts';
import { claudeBinary } from './claude-binary.ts';
import { type MockApi, startMockApi } from './mock-api.ts';
import { endProcessesOf } from './processes.ts';

const ROOT = join(import.meta.dir, '..', '..');

export type Said = { exitCode: number; stdout: string; stderr: string };

export type PackedInstall = {
  home: string;
  dataDir: string;
  /** Where npm put the package. */
  prefix: string;
  mock: MockApi;
  /** A PATH on which there is no Claude Code, and no node but the system's. */
  withoutClaude: { PATH: string };
  /** The installed `claude-mem`, with nobody at a terminal. */
  claudeMem(args: string[], env?: Record<string, string>, by?: string[]): Promise<Said>;
  /** The same as a person at a terminal, who says yes to every question. */
  person(args: string[], env?: Record<string, string>): Promise<Said>;
  /** The same at a terminal, where each answer is typed when a question stands there. Returns what was to be seen. */
  atTerminal(args: string[], answers: string[]): Promise<string>;
  /** The real Claude Code: no --plugin-dir, no settings but those of the HOME. */
  claude(...args: string[]): Promise<Said>;
  close(): Promise<void>;
};

export async function createPackedInstall(): Promise<PackedInstall> {
  const claude = await claudeBinary();
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'claude-mem-packed-')));
  const home = join(scratch, `home of "ada's ü $HOME`);
  const cwd = join(home, 'shop');
  mkdirSync(cwd, { recursive: true });
  const prefix = join(scratch, 'prefix ü $HOME');
  await installPacked(scratch, prefix);
  const mock = startMockApi();
  const environment = {
    PATH: `${join(prefix, 'node_modules/.bin')}:${dirname(claude)}:${process.env.PATH}`,
    HOME: home,
    LANG: 'C.UTF-8',
    TERM: 'xterm',
  };
  return {
    home,
    dataDir: join(home, '.claude-mem'),
    prefix,
    mock,
    withoutClaude: { PATH: `${join(prefix, 'node_modules/.bin')}:/usr/bin:/bin` },
    claudeMem: (args, env, by = []) => run([...by, 'claude-mem', ...args], { cwd, env: { ...environment, ...env } }),
    person: async (args, env) => {
      const { stdout, stderr, code } = await runAtTerminal(['claude-mem', ...args], { ...environment, ...env }, { cwd });
      return { exitCode: code ?? 1, stdout, stderr };
    },
    atTerminal: (args, answers) => converse(['claude-mem', ...args], { cwd, env: environment, answers }),
    claude: (...args) => run([claude, ...args], { cwd, env: { ...environment, ...claudeVariables(home, mock.url) } }),
    close: async () => {
      mock.close();
      const left = await endProcessesOf(home);
      rmSync(scratch, { recursive: true, force: true });
      if (left.length > 0) throw new Error(`processes were left over and have been killed: ${left.join(', ')}`);
    },
  };
}

/** Mostly from npm's cache; with an empty one from where the person's own npm gets it. How long npm took to install it. */
export async function installPacked(scratch: string, prefix: string): Promise<{ tarball: string; ms: number }> {
  const npm = { cwd: ROOT, env: outsideEnvironment() };
  const packed = await run(['npm', 'pack', '--ignore-scripts', '--pack-destination', scratch], npm);
  const tarball = join(scratch, packed.stdout.trim().split('\n').at(-1) ?? '');
  const options = ['--prefix', prefix, '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'];
  const started = performance.now();
  const { exitCode, stderr } = await run(['npm', 'install', ...options, tarball], npm);
  if (exitCode !== 0) throw new Error(`npm could not install ${tarball}: ${stderr}`);
  return { tarball, ms: performance.now() - started };
}

/** For a real Claude Code that speaks to the mock alone. */
export function claudeVariables(home: string, apiUrl: string): Record<string, string> {
  return {
    SHELL: '/bin/bash',
    CLAUDE_CODE_TMPDIR: join(home, '..'),
    ANTHROPIC_BASE_URL: apiUrl,
    ANTHROPIC_API_KEY: 'sk-fake',
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
    DISABLE_AUTOUPDATER: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  };
}

type Where = { cwd: string; env: Record<string, string> };

async function run(command: string[], { cwd, env }: Where): Promise<Said> {
  const child = Bun.spawn(command, { cwd, env, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe', timeout: 120_000 });
  const [stdout, stderr, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { exitCode, stdout, stderr };
}

async function converse(command: string[], { cwd, env, answers }: Where & { answers: string[] }): Promise<string> {
  const waiting = [...answers];
  const decoder = new TextDecoder();
  let seen = '';
  const child = Bun.spawn(command, {
    cwd,
    env,
    timeout: 60_000,
    terminal: {
      cols: 200,
      data: (terminal, data) => {
        const text = decoder.decode(data);
        seen += text;
        // A question ends with `] ` or `: `, without a line break.
        const answer = /[\]:] $/.test(text) ? waiting.shift() : undefined;
        if (answer !== undefined) terminal.write(`${answer}\n`);
      },
    },
  });
  await child.exited;
  return seen.replaceAll('\r\n', '\n');
}
