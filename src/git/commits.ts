// What a commit holds and what it says: the files of HEAD, and which commits others take back.
import { askGit, PLAIN_LOG } from './ask-git.ts';

type Question = { root: string; deadlineMs: number };

export type TreeBlobs = {
  /** Git's hashes by path; a file that HEAD does not have is not among them. */
  blobs: Map<string, string>;
  isWhole: boolean;
};

export async function readHeadBlobs({ root, deadlineMs }: Question, paths: string[]): Promise<TreeBlobs> {
  const { text, isWhole } = await askGit({ root, args: ['ls-tree', '-z', 'HEAD', '--', ...paths], deadlineMs });
  const blobs = new Map<string, string>();
  for (const entry of text.split('\0')) {
    const [, hash, path] = /^\d+ blob ([0-9a-f]+)\t(.+)$/s.exec(entry) ?? [];
    if (hash && path) blobs.set(path, hash);
  }
  return { blobs, isWhole };
}

/** By commit: those that it says it reverts. */
export async function readReverted({ root, deadlineMs }: Question, commits: string[]): Promise<Map<string, string[]>> {
  const reverted = new Map<string, string[]>();
  if (commits.length === 0) return reverted;
  const args = ['log', '--no-walk=unsorted', '-z', '--format=%H%x00%b', ...PLAIN_LOG, ...commits, '--'];
  const parts = (await askGit({ root, args, deadlineMs })).text.split('\0');
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const named = [...(parts[at + 1] ?? '').matchAll(/\breverts commit ([0-9a-f]{40,64})/gi)];
    reverted.set(
      parts[at]?.trim() ?? '',
      named.flatMap(([, hash]) => hash ?? []),
    );
  }
  return reverted;
}
