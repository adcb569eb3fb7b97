// A real program for the tests: a pinned version, installed by npm into a cache folder when it is first asked for.
import { Database } from 'bun:sqlite';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { outsideEnvironment } from '../../scripts/outside-environment.ts';
import { until } from '../support/until.ts';

export type NpmProgram = {
  name: string;
  package: string;
  version: string;
  /** Where it lies in node_modules; what ends in .js is run by node. */
  command: string;
  megabytes: number;
  /** The version that it prints, where npm calls it otherwise. */
  prints?: string;
  /** A folder in node_modules with packages of its own, which scripts would build. They are installed without, and the program, too. */
  unbuilt?: string;
};

const INSTALL_TIMEOUT_MS = 300_000;
const SILENT_MS = 3_000;

/** The path of a runnable one. Test files that ask at the same time share one installation. */
export async function findProgram(program: NpmProgram): Promise<string> {
  const folder = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'claude-mem-test');
  const installed = join(folder, `${program.name}-${program.version}`);
  const binary = join(installed, 'node_modules', program.command);
  if (existsSync(binary)) return binary;
  mkdirSync(folder, { recursive: true });
  await withLock(join(folder, `${program.name === 'claude-code' ? '' : `${program.name}-`}install.lock`), async () => {
    if (!existsSync(binary)) await install(program, installed);
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
async function install(program: NpmProgram, installed: string): Promise<void> {
  const { package: name, version, command, megabytes, prints = version, unbuilt } = program;
  const staging = `${installed}.part`;
  rmSync(staging, { recursive: true, force: true });
  const notice = setTimeout(() => console.error(`installing ${name} ${version} (${megabytes} MB) for the tests`), SILENT_MS);
  const npm = ['npm', 'install', '--no-audit', '--no-fund', ...(unbuilt ? ['--ignore-scripts', '--omit=dev'] : []), '--prefix'];
  const modules = join(staging, 'node_modules');
  try {
    await run([...npm, staging, `${name}@${version}`]);
    if (unbuilt) await run([...npm, join(modules, unbuilt)]);
    const said = await run([...(command.endsWith('.js') ? ['node'] : []), join(modules, command), '--version']);
    if (!said.includes(prints)) throw new Error(`npm installed ${name} "${said}" instead of ${version}`);
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
