// What the other branches and the stash hold of some files, and which lines some commits brought.
import { askGit, PLAIN_LOG } from './ask-git.ts';
import { markLine } from './line-marks.ts';

type Question = { root: string; deadlineMs: number };

/** Work may be committed some time before it is remembered. */
const EARLIER_MS = 24 * 60 * 60 * 1000;
const MAX_BYTES = 1024 * 1024;

/** Git's hashes that these files got in commits of local branches and of the stash, in none that led to HEAD. Of late ones only. */
export async function readOtherBlobs(
  { root, deadlineMs }: Question,
  { paths, since }: { paths: string[]; since: number },
): Promise<Set<string>> {
  const after = `--max-age=${Math.max(0, Math.floor((since - EARLIER_MS) / 1000))}`;
  // With a bracket it is a pattern, which may match nothing: there may be no stash.
  const which = ['--branches', '--glob=refs/stas[h]', '--not', 'HEAD'];
  const args = ['log', ...RAW, ...PLAIN_LOG, ...STASH, after, ...which, '--', ...paths];
  const { text } = await askGit({ root, args, deadlineMs, maxBytes: MAX_BYTES });
  const blobs = text.matchAll(/:\d+ \d+ [0-9a-f]+ ([0-9a-f]+) [AMT]\0/g);
  return new Set(Array.from(blobs, ([, blob]) => blob ?? ''));
}

const RAW = ['--raw', '--no-abbrev', '-z', '--no-renames', '--full-history', '--format='];
/** To git what was put away is a merge of what was staged, and new files are a commit without a parent. */
const STASH = ['--diff-merges=first-parent', '--root'];

/** The marks of the lines that these commits added to these files. */
export async function readBroughtLines(
  { root, deadlineMs }: Question,
  { commits, paths }: { commits: string[]; paths: string[] },
): Promise<Set<string>> {
  const args = ['log', '--no-walk=unsorted', '-p', '-U0', '--no-renames', '--format=', ...PLAIN_LOG, ...commits];
  const { text } = await askGit({ root, args: [...args, '--', ...paths], deadlineMs, maxBytes: MAX_BYTES });
  const added = text.split('\n').filter((line) => line.startsWith('+') && !line.startsWith('+++ '));
  return new Set(added.flatMap((line) => markLine(line.slice(1)) ?? []));
}
