// What is said before a file is edited: its decisions, its pitfalls, and what was tried in vain.
import { plainLine } from '../core/plain-line.ts';
import { readBranch } from '../git/identity.ts';
import { listToldInFull } from '../store/trust/tellings.ts';
import { recallFile } from './before-edit.ts';
import { writeNote } from './note.ts';
import type { Piece } from './page.ts';
import { inPairs } from './pair-replaced.ts';
import { NOWHERE } from './surroundings.ts';
import type { TellDeps } from './tell.ts';

export type FileQuery = {
  projectId: number;
  /** Its own memories it knows; 0 for nobody's. */
  sessionId: number;
  root: string;
  /** As memories name it: relative to the root. */
  path: string;
  /** What it was called before. */
  earlier: string[];
};

/** [] when there is nothing to say; then neither git nor a file is asked. */
export async function writeFileNote({ db, checkFreshness }: TellDeps, query: FileQuery): Promise<Piece[]> {
  const { root, path } = query;
  const observations = inPairs(db, recallFile(db, query));
  if (observations.length === 0) return [];
  const checked = observations.map(({ observation }) => observation);
  const freshness = await checkFreshness(checked, { ...NOWHERE, root, branch: readBranch(root) });
  return writeNote({
    known: new Set(listToldInFull(db, query.sessionId)),
    subject: plainLine(path, 160),
    section: 'file',
    why: `about ${path}`,
    observations,
    freshness,
  });
}
