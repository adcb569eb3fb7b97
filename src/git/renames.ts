// The names a file had before, asked of git itself, in a way that runs nothing a repository's settings could name.
import { existsSync, statSync } from 'node:fs';

export type RenamesQuery = {
  /** The work tree. */
  root: string;
  /** Relative to it. */
  path: string;
  deadlineMs?: number;
};

/** It is asked on demand, by somebody who waits; a long history is read as far as that allows. */
const DEADLINE_MS = 1000;
const MAX_OUTPUT = 64 * 1024;

/** The latest first. Empty when git knows none, is not there, or there is no repository. */
export async function findEarlierNames({ root, path, deadlineMs = DEADLINE_MS }: RenamesQuery): Promise<string[]> {
  const program = PROGRAMS.find((candidate) => existsSync(candidate));
  if (!program || path === '' || path.includes('\0') || !isFolder(root)) return [];
  const child = Bun.spawn([program, ...SAFELY, ...ASK_RENAMES, '--', path], {
    cwd: root,
    env: ENVIRONMENT,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), deadlineMs);
  try {
    return readRenames(await readUpTo(child.stdout, MAX_OUTPUT), path);
  } finally {
    clearTimeout(timer);
    child.kill('SIGKILL');
    await child.exited;
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    // No possible name, or not allowed to look: no repository for us.
    return false;
  }
}

/** Not by PATH: a repository's settings can set the one that our worker was started with. */
const PROGRAMS = [
  '/opt/homebrew/bin/git',
  '/usr/bin/git',
  '/usr/local/bin/git',
  '/bin/git',
  '/run/current-system/sw/bin/git',
  'C:\\Program Files\\Git\\cmd\\git.exe',
];

const ENVIRONMENT = {
  PATH: '/usr/bin:/bin',
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_TERMINAL_PROMPT: '0',
  // A partial clone would fetch what it lacks, by a program that its settings name.
  GIT_NO_LAZY_FETCH: '1',
  GIT_ALLOW_PROTOCOL: 'none',
};

/** Every setting by which a repository can name a program that `git log` might run, set to none. */
const NO_PROGRAMS = [
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
  'core.attributesFile=/dev/null',
  'core.sshCommand=false',
  'core.askPass=',
  'core.alternateRefsCommand=',
  'credential.helper=',
  'diff.external=',
  'gpg.program=false',
  'gpg.ssh.program=false',
  'gpg.x509.program=false',
  'log.showSignature=false',
  // `remerge` would run merge drivers.
  'log.diffMerges=off',
  'protocol.allow=never',
  'submodule.recurse=false',
  'core.quotePath=false',
].flatMap((setting) => ['-c', setting]);

const SAFELY = ['--no-optional-locks', '--no-pager', '--literal-pathspecs', ...NO_PROGRAMS];
const ASK_RENAMES = [
  ...['log', '--follow', '--diff-filter=R', '--name-status', '-z', '--format=', '-M'],
  ...['--no-ext-diff', '--no-textconv', '--no-show-signature', '--diff-merges=off', '--no-color', '--no-mailmap'],
];

async function readUpTo(stream: ReadableStream<Uint8Array>, most: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= most) break;
  }
  return Buffer.concat(chunks).subarray(0, most).toString('utf8');
}

/** `R100 NUL before NUL after NUL`, the latest first; the last one may be cut off. */
function readRenames(output: string, path: string): string[] {
  const parts = output.split('\0').slice(0, -1);
  const names = [path];
  for (let at = 0; at + 2 < parts.length; ) {
    const [mark = '', before = '', after] = parts.slice(at, at + 3);
    const isRename = /^\n?R\d{0,3}$/.test(mark);
    // Git also follows a copy to what it was copied from, which is another file.
    if (isRename && after === names.at(-1)) names.push(before);
    at += isRename ? 3 : 1;
  }
  return [...new Set(names)].filter((name) => name !== path);
}
