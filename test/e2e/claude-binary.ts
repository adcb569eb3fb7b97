// The real Claude Code for the tests: a pinned version, installed by npm into a cache folder when it is first asked for.
import { Database } from 'bun:sqlite';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { outsideEnvironment } from '../../scripts/outside-environment.ts';
import { until } from '../support/until.ts';

const VERSION = '2.1.325';
const INSTALL_TIMEOUT_MS = 300_000;
const SILENT_MS = 3_000;

/** The path of a runnable `claude`. Test files that ask at the same time share one installation. */
export async function claudeBinary(): Promise<string> {
  const folder = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'claude-mem-test');
  const installed = join(folder, `claude-code-${VERSION}`);
  const binary = join(installed, 'node_modules', '.bin', 'claude');
  if (existsSync(binary)) return binary;
  mkdirSync(folder, { recursive: true });
  await withLock(join(folder, 'install.lock'), async () => {
    if (!existsSync(binary)) await install(installed);
  });
  return binary;
}

/** SQLite's lock on a file: the kernel frees it when its owner dies, so a killed test run blocks nobody. */
async function withLock(file: string, work: () => Promise<void>): Promise<void> {
  const lock = new Database(file);
  try {
    await until(() => tryLock(lock), INSTALL_TIMEOUT_MS);
    await work();
  } finally {
    lock.close();
  }
}

function tryLock(lock: Database): boolean {
  try {
    lock.run('BEGIN IMMEDIATE');
    return true;
  } catch (error) {
    if (error instanceof Error && error.message.includes('locked')) return false;
    throw error;
  }
}

/** Installed beside its place and then renamed: the folder exists only when it is whole and its binary has run. */
async function install(installed: string): Promise<void> {
  const staging = `${installed}.part`;
  rmSync(staging, { recursive: true, force: true });
  const notice = setTimeout(() => console.error(`installing Claude Code ${VERSION} (350 MB) for the tests`), SILENT_MS);
  try {
    await run(['npm', 'install', '--prefix', staging, '--no-audit', '--no-fund', `@anthropic-ai/claude-code@${VERSION}`]);
    const version = await run([join(staging, 'node_modules', '.bin', 'claude'), '--version']);
    if (!version.startsWith(VERSION)) throw new Error(`npm installed Claude Code "${version}" instead of ${VERSION}`);
    renameSync(staging, installed);
  } finally {
    clearTimeout(notice);
    rmSync(staging, { recursive: true, force: true });
  }
}

async function run(command: string[]): Promise<string> {
  const child = Bun.spawn(command, {
    env: outsideEnvironment(),
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: INSTALL_TIMEOUT_MS,
  });
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  if ((await child.exited) !== 0) throw new Error(`"${command.join(' ')}" failed:\n${stderr}${stdout}`);
  return stdout;
}
