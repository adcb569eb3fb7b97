// The first commit of a work tree's history: by it a repository is known again that has moved or got another remote.
import { askGit } from './ask-git.ts';
import { canonical, findGitDir, look } from './git-dir.ts';
import { readHead } from './head.ts';
import { isGenuine } from './proof.ts';

/** Git walks the whole history for it. */
const DEADLINE_MS = 5000;

/** Null: none yet, no repository, too long a history, or only a part of it is here, in its own files. */
export async function readFirstCommit(root: string): Promise<string | null> {
  const gitDir = findGitDir(canonical(root));
  if (!gitDir || gitDir.workTree !== canonical(root) || readHead(root).commit === null) return null;
  // There the history seems to begin where it was cut off.
  if (look(`${gitDir.commonDir}/shallow`)) return null;
  const question = { root, args: ['rev-list', '--max-parents=0', 'HEAD'], deadlineMs: DEADLINE_MS };
  const { text, isWhole } = await askGit(question);
  const oldest = text.trim().split('\n').at(-1) ?? '';
  return isWhole && (await isGenuine(root, oldest)) ? oldest : null;
}
