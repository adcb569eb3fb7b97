// Who commits here: by what git is told to call them, to know a person's own commits from those of others.

import { statSync } from 'node:fs';
import { readPiece } from '../regular-file.ts';
import { askGit } from './ask-git.ts';
import { canonical, findGitDir } from './git-dir.ts';
import { readHead } from './identity.ts';

export type Author = { email: string; name: string };

type Names = {
  /** By the person's own settings; null unless both name and address are set there. */
  person: Author | null;
  /** By those of the repository, which may be anybody's: an unpacked archive brings its own. */
  here: Author | null;
};

const DEADLINE_MS = 2000;

/** `home`: where the person's own settings lie; null for none. */
export async function readNames(root: string, home: string | null): Promise<Names> {
  const args = ['config', '-z', '--show-scope', '--get-regexp', '^user\\.(email|name)$'];
  const { text } = await askGit({ root, args, deadlineMs: DEADLINE_MS, ...(home === null ? {} : { home }) });
  const person: Author = { email: '', name: '' };
  const here: Author = { email: '', name: '' };
  // `scope NUL user.email LF value NUL`; the last one holds.
  const parts = text.split('\0');
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [key, ...value] = (parts[at + 1] ?? '').split('\n');
    const field = key === 'user.email' ? 'email' : 'name';
    here[field] = value.join(' ').trim();
    if (PERSONAL.includes(parts[at] ?? '')) person[field] = here[field];
  }
  return { person: whole(person), here: whole(here) };
}

const PERSONAL = ['system', 'global'];
const whole = (author: Author) => (author.email === '' || author.name === '' ? null : author);

/** Each alone is easily the same: anybody writes what they like into a commit. */
export const isSameAuthor = (one: Author, other: Author) => isSame(one.email, other.email) && isSame(one.name, other.name);

const isSame = (one: string, other: string) => one !== '' && one.toLowerCase() === other.toLowerCase();

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
const ENTRY = /^[0-9a-f]{40,64} ([0-9a-f]{40,64}) (.{0,500}) <([^>]{0,500})> (\d{1,12}) [+-]\d{4}\t([^:]{1,200}): (.*)$/;

function readEntry(line: string, people: Author[] | null, { from, to }: Span): Entry[] {
  const [, hash = '', name = '', email = '', seconds, deed = '', subject = ''] = ENTRY.exec(line) ?? [];
  const at = Number(seconds) * 1000;
  // Whole seconds: what is begun and committed in one second is no proof of who did it, only that it was done here.
  if (people === null) return at + 1000 > from && at <= to ? [{ hash, deed, subject }] : [];
  const isTheirs = at >= from && at <= to && people.some((person) => isSameAuthor(person, { name, email }));
  return isTheirs ? [{ hash, deed, subject }] : [];
}
