// Who commits here: by what git is told to call them, to know a person's own commits from those of others.
import { askGit } from './ask-git.ts';

export type Author = { email: string; name: string };

const DEADLINE_MS = 2000;

/** Null when nothing is set. `home`: where the person's own settings lie; null for none. */
export async function readAuthor(root: string, home: string | null): Promise<Author | null> {
  const args = ['config', '-z', '--get-regexp', '^user\\.(email|name)$'];
  const { text } = await askGit({ root, args, deadlineMs: DEADLINE_MS, ...(home === null ? {} : { home }) });
  const author: Author = { email: '', name: '' };
  // `user.email LF value NUL`; the last one holds.
  for (const setting of text.split('\0')) {
    const [key = '', ...value] = setting.split('\n');
    if (key === 'user.email') author.email = value.join(' ').trim();
    if (key === 'user.name') author.name = value.join(' ').trim();
  }
  return author.email === '' && author.name === '' ? null : author;
}

/** By address or by name: a commit that a server made has another address. */
export const isSameAuthor = (one: Author, other: Author) =>
  isSame(one.email, other.email) || isSame(one.name, other.name);

const isSame = (one: string, other: string) => one !== '' && one.toLowerCase() === other.toLowerCase();
