// One file of one memory: what was known of it then, and how it is now.
import type { Citation } from '../core/evidence.ts';
import { hasAllMarks } from '../git/line-marks.ts';
import type { WorkFile } from '../git/work-file.ts';

export type CheckedMemory = {
  id: number;
  /** Epoch ms. */
  at: number;
  /** Where the work tree stood. */
  branch: string | null;
  head: string | null;
};

export type Case = {
  memory: CheckedMemory;
  cited: Citation;
  /** Its name in the work tree: the one it has now, where it was renamed. */
  path: string;
  now: WorkFile;
  /** The marks of its lines, read when they are asked for. */
  lines: () => ReadonlySet<string>;
};

export type Verdict = {
  word: 'fresh' | 'changed' | 'gone' | 'reverted' | 'elsewhere' | 'unverified';
  /** The commits that changed it since. */
  commits: string[];
};

export const say = (word: Verdict['word'], commits: string[] = []): Verdict => ({ word, commits });

/** What needs no history: most files are as they were. Null: it does. */
export function judgeAtSight({ cited, now, lines }: Case): Verdict | null {
  if (now.blob === null) return say('unverified');
  if (cited.blob !== null && isSame(now, cited.blob)) return say('fresh');
  if (now.blob !== '' && hasAll(lines, cited.added)) return say('fresh');
  return null;
}

/** Its own lines went, and those that they had replaced are back. */
export const isUndone = ({ cited, lines }: Case) => hasNone(lines, cited.added) && hasAll(lines, cited.removed);

export const hasAll = (lines: Case['lines'], marks: string[]) => marks.length > 0 && hasAllMarks(lines(), marks);

export const hasNone = (lines: Case['lines'], marks: string[]) => !marks.some((mark) => lines().has(mark));

/** The bytes may differ from what git stores by their line ends alone. */
export const isSame = ({ blob, stored }: WorkFile, hash: string) => blob === hash || stored === hash;
