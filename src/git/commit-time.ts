// Whether a commit is in a repository, and since when.
import { askGit } from './ask-git.ts';

const DEADLINE_MS = 2000;

/** Epoch ms, in whole seconds. Null: it is not there, or git does not tell. Also found when no branch leads to it any more. */
export async function readCommitTime(root: string, hash: string): Promise<number | null> {
  if (!/^[0-9a-f]{40,64}$/.test(hash)) return null;
  const args = ['rev-list', '--no-walk', '--timestamp', hash, '--'];
  const { text, isWhole } = await askGit({ root, args, deadlineMs: DEADLINE_MS });
  const seconds = /^(\d+) [0-9a-f]{40,64}\n$/.exec(text)?.[1];
  return isWhole && seconds ? Number(seconds) * 1000 : null;
}
