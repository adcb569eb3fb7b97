// Which commits a rewritten history left behind: they do not lead to where the work tree stands, or are not there any more.
import { askGit } from './ask-git.ts';

const DEADLINE_MS = 5000;
const MOST = 2000;

/** Of these. Empty when git could not tell: then nothing is taken for left behind. */
export async function listLeftBehind(root: string, commits: string[], head: string): Promise<Set<string>> {
  const asked = commits.slice(0, MOST);
  if (asked.length === 0) return new Set();
  const there = await ask(root, ['--no-walk', ...asked]);
  const astray = there && (await ask(root, [...asked, `^${head}`]));
  if (!astray) return new Set();
  return new Set(asked.filter((commit) => !there.has(commit) || astray.has(commit)));
}

async function ask(root: string, which: string[]): Promise<Set<string> | null> {
  const args = ['rev-list', '--ignore-missing', ...which, '--'];
  const { text, isWhole } = await askGit({ root, args, deadlineMs: DEADLINE_MS });
  return isWhole ? new Set(text.split('\n').filter(Boolean)) : null;
}
