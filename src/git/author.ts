// Who commits here: by what git is told to call them, to know a person's own commits from those of others.
import { askGit } from './ask-git.ts';

export type Author = { email: string; name: string };

export type Names = {
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
export const isSameAuthor = (one: Author, other: Author) =>
  isSame(one.email, other.email) && isSame(one.name, other.name);

const isSame = (one: string, other: string) => one !== '' && one.toLowerCase() === other.toLowerCase();
