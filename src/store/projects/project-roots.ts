// project_roots: where a project is known to lie. Its remote is only a text, which any folder can hold.
import type { Database } from 'bun:sqlite';
import type { ProjectIdentity } from '../../core/project.ts';

/** How a root came to count: see the migration. */
export type HowKnown = 'seen' | 'proven' | 'merged' | 'separate';

type Root = { root: string; how: HowKnown; bornAt: number | null };

/** Where the repository itself lies: its work trees are one. */
export const placeOf = ({ root, mainRoot }: Pick<ProjectIdentity, 'root' | 'mainRoot'>) => mainRoot ?? root;

/** The repository that lies there now is known to be of this project. */
export function isAdmitted(db: Database, projectId: number, here: ProjectIdentity): boolean {
  const rows = readRoots(db, projectId, here);
  return !rows.some(({ how }) => how === 'separate') && rows.some((row) => isThere(row, here));
}

/** A person has said that it is another one. */
export const isSeparate = (db: Database, projectId: number, here: ProjectIdentity): boolean =>
  readRoots(db, projectId, here).some(({ how }) => how === 'separate');

/** Told by its history, and not by a person or by having been there. */
export const isProven = (db: Database, projectId: number, here: ProjectIdentity): boolean =>
  readRoots(db, projectId, here).some(({ how }) => how === 'proven');

function readRoots(db: Database, projectId: number, here: ProjectIdentity): Root[] {
  return db
    .query<Root, [number, string, string]>(
      'SELECT root, how, born_at_epoch AS bornAt FROM project_roots WHERE project_id = ? AND root IN (?, ?)',
    )
    .all(projectId, placeOf(here), here.root);
}

/** Two clocks of one disk may round differently. */
const CLOSE_MS = 1;

const isThere = ({ bornAt }: Root, { bornAt: now = 0 }: ProjectIdentity) =>
  bornAt === null || now === 0 || Math.abs(bornAt - now) <= CLOSE_MS;

/** Inside a transaction. What is there now counts. A place that was known before stays known in the way it was. */
export function admit(db: Database, projectId: number, here: ProjectIdentity, how: HowKnown): void {
  const bornAt = how === 'merged' || how === 'separate' ? null : here.bornAt || null;
  db.query(
    `INSERT INTO project_roots (root, project_id, how, born_at_epoch) VALUES ($root, $projectId, $how, $bornAt)
     ON CONFLICT (root, project_id) DO UPDATE SET born_at_epoch = excluded.born_at_epoch,
       how = iif(excluded.how IN ('merged','separate'), excluded.how, how)`,
  ).run({ root: placeOf(here), projectId, how, bornAt });
}

/** Inside a transaction. A root that is known from before is noted with what is there now. */
export function noteAdmitted(db: Database, projectId: number, here: ProjectIdentity): void {
  const isNoted = readRoots(db, projectId, here).some(
    ({ root, how, bornAt }) => root === placeOf(here) && (bornAt !== null || how === 'merged'),
  );
  if (!isNoted && here.bornAt) admit(db, projectId, here, 'seen');
}

/** Inside a transaction: another repository is there, or the project has left. */
export function dropRoots(db: Database, projectId: number, here: Pick<ProjectIdentity, 'root' | 'mainRoot'>): void {
  db.query('DELETE FROM project_roots WHERE project_id = ? AND root IN (?, ?)').run(
    projectId,
    placeOf(here),
    here.root,
  );
}

/** Inside a transaction: one project becomes part of another. */
export function moveRoots(db: Database, from: number, into: number): void {
  db.query('UPDATE OR IGNORE project_roots SET project_id = ? WHERE project_id = ?').run(into, from);
}

/** The other places that it is known by. */
export const listOtherRoots = (db: Database, projectId: number, here: ProjectIdentity): string[] =>
  db
    .query<{ root: string }, [number, string, string]>(
      "SELECT root FROM project_roots WHERE project_id = ? AND root NOT IN (?, ?) AND how <> 'separate' ORDER BY root",
    )
    .all(projectId, placeOf(here), here.root)
    .map(({ root }) => root);
