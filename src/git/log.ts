// The log of a work tree from where it stands back to what is known already: one process, heard as it speaks, killed when nobody listens.
import { hearGit, PLAIN_LOG } from './ask-git.ts';
import type { Author } from './own-commits.ts';

/** Git's hashes of the file before and after; empty where it was not there. */
export type Touch = { path: string; from: string; to: string };

export type LoggedCommit = {
  hash: string;
  parents: string[];
  /** Epoch ms: when it was written, and when it became this commit. */
  authoredAt: number;
  committedAt: number;
  author: Author;
  subject: string;
  body: string;
  /** The first of them; none of a merge. */
  touches: Touch[];
  /** All of them. */
  touched: number;
};

type LogQuery = {
  root: string;
  /** Where to begin. */
  head: string;
  /** Commits that are known with all that lead to them. One that is not there any more stops nothing. */
  known: string[];
  most: number;
  /** So many of the newest are left out. */
  skip?: number;
  /** Only what touched this folder; null for all. */
  within: string | null;
  /** Aborted: nobody wants to hear more, and git is killed. */
  signal: AbortSignal;
};

/** A first reading of a large repository takes seconds; nobody waits for it. */
const DEADLINE_MS = 120_000;
/** One that looks for a folder in a long history may say nothing for a while. */
const QUIET_MS = 20_000;
const MOST_BYTES = 1024 ** 3;
/** More are counted and not kept. */
const MOST_TOUCHES = 50;

export async function readLog(query: LogQuery): Promise<LoggedCommit[] | null> {
  const { root, head, known, most, skip = 0, within, signal } = query;
  const commits: LoggedCommit[] = [];
  const reader = createLogReader((commit) => commits.push(commit));
  const args = [
    ...ASK,
    ...PLAIN_LOG,
    `--max-count=${most}`,
    `--skip=${skip}`,
    head,
    ...exclude(known),
    '--',
    ...(within === null ? [] : [within]),
  ];
  const question = { root, args, deadlineMs: DEADLINE_MS, quietMs: QUIET_MS, maxBytes: MOST_BYTES, signal };
  const isHeard = await hearGit(question, (piece) => {
    reader.take(piece);
    return !signal.aborted;
  });
  if (!isHeard || signal.aborted) return null;
  reader.end();
  return commits;
}

/** What a file was renamed from counts as touched, too: without renames both names are told. */
const ASK = [
  ...['log', '--raw', '--no-abbrev', '-z', '--no-renames', '--ignore-missing', '--encoding=UTF-8'],
  '--format=%H %at %ct %P%n%ae%n%an%x00%B',
];

const exclude = (commits: string[]) => commits.map((commit) => `^${commit}`);

/** `hash times parents LF email LF name NUL message NUL`, then `:modes before after M NUL path NUL` for each file. */
function createLogReader(onCommit: (commit: LoggedCommit) => void) {
  let rest = '';
  let commit: LoggedCommit | null = null;
  let next: 'head' | 'message' | 'path' = 'head';
  let touch: Touch = { path: '', from: '', to: '' };
  const read = (part: string): void => {
    if (next === 'message' && commit) {
      Object.assign(commit, splitMessage(part));
      next = 'head';
    } else if (next === 'path' && commit) {
      if (commit.touched++ < MOST_TOUCHES) commit.touches.push({ ...touch, path: part });
      next = 'head';
    } else if (/^\n?:/.test(part)) {
      touch = readTouch(part);
      next = 'path';
    } else {
      if (commit) onCommit(commit);
      commit = readHeader(part);
      next = 'message';
    }
  };
  return {
    take(piece: string): void {
      rest += piece;
      // A long message comes in many pieces: it is not looked through again for each.
      if (!piece.includes('\0')) return;
      const parts = rest.split('\0');
      rest = parts.pop() ?? '';
      parts.forEach(read);
    },
    /** Git came to its end: what it said last is whole, too. */
    end(): void {
      if (next === 'message' && rest.trim() !== '') read(rest);
      if (commit) onCommit(commit);
      commit = null;
    },
  };
}

function readHeader(part: string): LoggedCommit {
  const [line = '', email = '', name = ''] = part.trimStart().split('\n');
  const [hash = '', authored = '', committed = '', ...parents] = line.split(' ');
  return {
    hash,
    parents: parents.filter(Boolean),
    authoredAt: Number(authored) * 1000,
    committedAt: Number(committed) * 1000,
    author: { email: email.trim(), name: name.trim() },
    subject: '',
    body: '',
    touches: [],
    touched: 0,
  };
}

function splitMessage(message: string): { subject: string; body: string } {
  // As git does it: the subject is all before the first empty line.
  const [first = '', ...others] = message.trim().split(/\n[ \t]*\n/);
  return { subject: first.replace(/\s*\n\s*/g, ' '), body: others.join('\n\n').trim() };
}

const SUBMODULE = '160000';

function readTouch(part: string): Touch {
  const [before = '', after = '', from = '', to = ''] = part.trim().slice(1).split(' ');
  return { path: '', from: hashOf(before, from), to: hashOf(after, to) };
}

/** What a submodule stands on is no file; it is as if it was not there. */
const hashOf = (mode: string, hash: string) => (mode === SUBMODULE || /^0+$/.test(hash) ? '' : hash);
