// Whether a repository is the one that a project is about: many begin with the same commit, and a place can be used again.
import type { Database } from 'bun:sqlite';
import { readBegunAt, readPlacedAt } from '../../git/age.ts';
import { readCommitTime } from '../../git/commit-time.ts';
import { readFirstCommit } from '../../git/first-commit.ts';
import { identifyProject } from '../../git/identity.ts';
import { isGenuine } from '../../git/proof.ts';
import { readLastHead, readLifetime } from '../../store/projects/last-head.ts';
import { aliasedAt } from '../../store/projects/project-keys.ts';
import { asKnown } from '../../store/projects/projects.ts';
import type { Settleable } from '../../store/projects/settled-projects.ts';
import type { Split } from '../../store/projects/split-project.ts';

/**
 * Of two with the same beginning: what the old one stood on last is in the fresh one, too. Clones of a starter have all that was in it,
 * but not what was made in one of them.
 */
export async function isSameWork(db: Database, old: Settleable, fresh: Settleable): Promise<boolean> {
  const head = readLastHead(db, old.id);
  // In the same place nothing speaks against it then.
  if (!head) return old.root === fresh.root;
  if (old.root !== fresh.root && !(await isGenuine(fresh.root, head.hash))) return false;
  const madeAt = await readCommitTime(fresh.root, head.hash);
  if (madeAt === null) return false;
  const lived = readLifetime(db, old.id);
  if (madeAt + SECOND_MS > lived.from) return true;
  // Nothing was committed while it was known: then only one that was there at the time can be it.
  const begunAt = readBegunAt(fresh.root);
  return begunAt === null || begunAt <= lived.to;
}

/** Git counts whole seconds. */
const SECOND_MS = 1000;

/**
 * Another repository is where the project was: its first commit is known and not in there, and that has another one; or it has the
 * same, but was cloned after the project was seen there last, and without what it stood on then.
 */
export async function findSplit(db: Database, project: Settleable): Promise<Split | null> {
  const { firstCommit: known, root } = project;
  if (known === null || !isByPlace(db, project)) return null;
  const isHere = async (hash: string) => (await readCommitTime(root, hash)) !== null;
  const head = readLastHead(db, project.id);
  const isLater = head !== null && (readBegunAt(root) ?? 0) > head.at;
  const hasBegunSo = await isHere(known);
  if (hasBegunSo && !isLater) return null;
  const hasHead = head !== null && (await isHere(head.hash));
  if (hasBegunSo && hasHead) return null;
  const firstCommit = await readFirstCommit(root);
  if (firstCommit === null) return null;
  const since = Math.max(readPlacedAt(root), head && !hasHead ? head.at : 0);
  return { old: project, here: asKnown(db, identifyProject(root)), firstCommit, since };
}

/** The repository that was known by its remote stays it, whatever became of the history; not one that brought that along to a known place. */
function isByPlace(db: Database, { id, root }: Settleable): boolean {
  const { remote, key, mainRoot } = asKnown(db, identifyProject(root));
  if (remote === null || key !== remote) return true;
  const at = aliasedAt(db, id, mainRoot ?? root);
  return at !== null && at >= readPlacedAt(root);
}
