// Which commits a person made in this very clone, as its reflog tells: a clone brings none along.
import { statSync } from 'node:fs';
import { readPiece } from '../regular-file.ts';
import { type Author, isSameAuthor } from './author.ts';
import { canonical, findGitDir } from './git-dir.ts';
import { readHead } from './head.ts';

/** By any of these people. */
export function listMadeHere(root: string, people: Author[]): Set<string> {
  const gitDir = findGitDir(canonical(root));
  if (!gitDir || people.length === 0) return new Set();
  // A linked work tree has a log of its own.
  const folders = new Set([gitDir.path, gitDir.commonDir]);
  return new Set([...folders].flatMap((folder) => readMade(folder, people)));
}

/** It holds commits, and nobody has made one in this very clone: all that lies there was brought along. */
export function isBroughtAlong(root: string): boolean {
  const { commit, branch } = readHead(root);
  const gitDir = findGitDir(canonical(root));
  // On a branch without a commit: just begun.
  if (!gitDir || (commit === null && branch !== null)) return false;
  return [gitDir.path, gitDir.commonDir].every((folder) => readMade(folder, null).length === 0);
}

type Entry = { hash: string; deed: string; subject: string };

/** `people`: null for anybody. */
function readMade(folder: string, people: Author[] | null): string[] {
  const span = readSpan(folder);
  if (!span) return [];
  const entries = readNewest(`${folder}/logs/HEAD`)
    .split('\n')
    .flatMap((line) => readEntry(line, people, span));
  const made = entries.filter(({ deed }) => MADE.test(deed));
  const subjects = new Set(made.map(({ subject }) => subject));
  // A rebase carries on what was made here before, and whatever else was in its way.
  const carried = entries.filter(({ deed, subject }) => CARRIED.test(deed) && subjects.has(subject));
  return [...made, ...carried].map(({ hash }) => hash);
}

const MOST_READ = 4 * 1024 * 1024;

/** Of a longer one the end. */
function readNewest(path: string): string {
  try {
    return readPiece(path, MOST_READ, Math.max(0, statSync(path).size - MOST_READ)).toString('utf8');
  } catch {
    // No regular file, or gone since: nothing is shown.
    return '';
  }
}

const MADE = /^(?:commit(?: \((?:amend|initial|merge)\))?|revert)$/;
const CARRIED = /^(?:rebase|pull|cherry-pick)\b/;

type Span = { from: number; to: number };

/** What an unpacked archive brings was written before its folder was made here; what is dated ahead is made up. Epoch ms. */
function readSpan(folder: string): Span | null {
  try {
    return {
      from: statSync(folder).birthtimeMs || Number.POSITIVE_INFINITY,
      to: statSync(`${folder}/logs/HEAD`).ctimeMs,
    };
  } catch {
    // No reflog: nothing is shown.
    return null;
  }
}

/** `before after Name <address> seconds zone TAB deed: subject` */
const ENTRY =
  /^[0-9a-f]{40,64} ([0-9a-f]{40,64}) (.{0,500}) <([^>]{0,500})> (\d{1,12}) [+-]\d{4}\t([^:]{1,200}): (.*)$/;

function readEntry(line: string, people: Author[] | null, { from, to }: Span): Entry[] {
  const [, hash = '', name = '', email = '', seconds, deed = '', subject = ''] = ENTRY.exec(line) ?? [];
  const at = Number(seconds) * 1000;
  // Whole seconds: what is begun and committed in one second is no proof of who did it, only that it was done here.
  if (people === null) return at + 1000 > from && at <= to ? [{ hash, deed, subject }] : [];
  const isTheirs = at >= from && at <= to && people.some((person) => isSameAuthor(person, { name, email }));
  return isTheirs ? [{ hash, deed, subject }] : [];
}
