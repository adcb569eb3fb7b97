// A question to git itself, asked in a way that runs nothing a repository's settings could name, and never for long.
import { existsSync } from 'node:fs';
import { canonical, findGitDir, look } from './git-dir.ts';

type GitQuestion = {
  root: string;
  /** The command and what follows it. Paths come after `--` and are meant literally. */
  args: string[];
  deadlineMs: number;
  /** After so long without a word git hangs. */
  quietMs?: number;
  maxBytes?: number;
  /** The answer is no text: each letter of it stands for one byte. */
  isBytes?: boolean;
  /** Where the person's own settings lie. Only for a question that runs nothing, whatever they say; else they are not read. */
  home?: string;
  /** Aborted: git is killed, and the answer is not whole. */
  signal?: AbortSignal;
};

/** Given each piece of the answer as it comes; says whether it wants to hear more. */
type Listen = (piece: string) => boolean;

const MAX_BYTES = 8 * 1024 * 1024;

/** Whether git said all it had to say, or all that was wanted. Not so: it is not there, it failed, or it took too long. */
export async function hearGit(question: GitQuestion, listen: Listen): Promise<boolean> {
  const { root, args, deadlineMs, quietMs = deadlineMs, maxBytes = MAX_BYTES, isBytes = false, home, signal } = question;
  const program = PROGRAMS.find((candidate) => existsSync(candidate));
  const isPossible = deadlineMs > 0 && isReadable(root) && !args.some((arg) => arg.includes('\0'));
  if (!program || !isPossible) return false;
  const child = Bun.spawn([program, ...SAFELY, ...args], {
    cwd: root,
    env: home === undefined ? ENVIRONMENT : withHome(home),
    stdio: ['ignore', 'pipe', 'ignore'],
    ...(signal ? { signal, killSignal: 'SIGKILL' as const } : {}),
  });
  const timers = [deadlineMs, quietMs].map((ms) => setTimeout(() => child.kill('SIGKILL'), ms));
  const hear: Listen = (piece) => {
    timers[1]?.refresh();
    return listen(piece);
  };
  try {
    if (await passOn(child.stdout, { maxBytes, isBytes }, hear)) return true;
    return (await child.exited) === 0;
  } finally {
    for (const timer of timers) clearTimeout(timer);
    child.kill('SIGKILL');
    await child.exited;
  }
}

/** The answer as far as it came; `isWhole` when nothing of it is missing. */
export async function askGit(question: GitQuestion): Promise<{ text: string; isWhole: boolean }> {
  let text = '';
  const isWhole = await hearGit(question, (piece) => {
    text += piece;
    return true;
  });
  return { text, isWhole };
}

/** True when the listener has heard enough. */
async function passOn(
  stream: ReadableStream<Uint8Array>,
  { maxBytes, isBytes }: { maxBytes: number; isBytes: boolean },
  listen: Listen,
): Promise<boolean> {
  const decoder = new TextDecoder();
  let size = 0;
  for await (const chunk of stream) {
    const rest = chunk.subarray(0, maxBytes - size);
    size += rest.length;
    const piece = isBytes ? Buffer.from(rest).toString('latin1') : decoder.decode(rest, { stream: true });
    if (!listen(piece)) return true;
    if (size >= maxBytes) return false;
  }
  return false;
}

/** A repository that we follow, without anything that git would wait for: it opens what is there, also a pipe. */
function isReadable(root: string): boolean {
  const git = look(root)?.isDirectory() ? findGitDir(canonical(root)) : null;
  if (!git) return false;
  return [git.path, git.commonDir].every((folder) =>
    READ_BY_GIT.every((name) => {
      const there = look(`${folder}/${name}`);
      return there === undefined || there.isFile() || there.isDirectory();
    }),
  );
}

const READ_BY_GIT = [
  ...['HEAD', 'config', 'config.worktree', 'commondir', 'gitdir', 'packed-refs', 'shallow', 'index', 'logs/HEAD'],
  ...['info/exclude', 'info/attributes', 'info/grafts', 'info/sparse-checkout'],
  ...['objects/info/alternates', 'objects/info/commit-graph'],
];

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
  // Many commits at once instead of a write for each.
  GIT_FLUSH: '0',
};

function withHome(home: string): Record<string, string> {
  const { GIT_CONFIG_GLOBAL: _, ...others } = ENVIRONMENT;
  return { ...others, HOME: home };
}

/** Every setting by which a repository can name a program that these commands might run, set to none. */
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
  'status.submoduleSummary=false',
  'core.quotePath=false',
].flatMap((setting) => ['-c', setting]);

const SAFELY = ['--no-optional-locks', '--no-pager', '--literal-pathspecs', ...NO_PROGRAMS];

/** For every `git log`: no program, no signature, no colour, and a merge says nothing of itself. */
export const PLAIN_LOG = [
  ...['--no-ext-diff', '--no-textconv', '--no-show-signature', '--diff-merges=off', '--no-color', '--no-mailmap'],
  '--no-decorate',
];
