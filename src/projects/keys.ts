// project_aliases: the other keys of a project, and what goes along when its key becomes another.
import type { Database } from 'bun:sqlite';
import { type ProjectIdentity, partKey } from '../core/project.ts';
import { isoTime } from '../core/time.ts';
import { exists, readAll, readColumn, readValue } from '../store/read.ts';

export type Keyed = { id: number; key: string; root: string };

/**
 * A path where it was before it moved. Only while no repository is there does it still mean the project: another one may come to
 * lie in the same place.
 */
export const formerKey = (key: string) => `${FORMER}${key}`;
const FORMER = 'formerly:';

type NewKey = {
  key: string;
  root: string;
  remote: string | null;
  /** The old key is a place that it has left. */
  hasMoved?: boolean;
};

/** Inside a transaction. The key must be free. Silences and the parts of a repository go along. */
export function rekeyProject(db: Database, { id, key: before }: Keyed, to: NewKey, now: number): void {
  const { key, root, remote, hasMoved = false } = to;
  dropAlias(db, key);
  db.query('UPDATE projects SET key = ?, root = ?, remote = ? WHERE id = ?').run(key, root, remote, id);
  if (before === key) return;
  addAlias(db, hasMoved ? formerKey(before) : before, id, now);
  moveSilences(db, before, key);
  for (const part of listParts(db, { key: before })) {
    const next = partKey(key, part.folder);
    if (!isTaken(db, next)) rekeyProject(db, part, { ...to, key: next }, now);
  }
}

export function addAlias(db: Database, key: string, projectId: number, now: number): void {
  db.query('INSERT OR REPLACE INTO project_aliases (key, project_id, created_at) VALUES (?, ?, ?)').run(key, projectId, isoTime(now));
}

export const dropAlias = (db: Database, key: string) =>
  db.query('DELETE FROM project_aliases WHERE key IN (?, ?)').run(key, formerKey(key));

export function moveSilences(db: Database, from: string, into: string): void {
  db.query("UPDATE silences SET key = ? WHERE scope = 'project' AND key = ?").run(into, from);
}

const isTaken = (db: Database, key: string) => exists(db, 'SELECT 1 FROM projects WHERE key = ?', key);

export function listParts(db: Database, { key }: { key: string }): (Keyed & { folder: string })[] {
  return readAll<Keyed>(db, `SELECT id, key, root FROM projects WHERE substr(key, 1, length(?1) + 1) = ?1 || '#' AND key <> root`, key).map(
    (part) => ({ ...part, folder: part.key.slice(key.length + 1) }),
  );
}

export const listAliases = (db: Database, projectId: number): string[] =>
  readAliases(db, projectId).map((key) => (isFormer(key) ? key.slice(FORMER.length) : key));

export const listFormerPlaces = (db: Database, projectId: number): string[] =>
  readAliases(db, projectId)
    .filter(isFormer)
    .map((key) => key.slice(FORMER.length));

const isFormer = (key: string) => key.startsWith(FORMER);

const readAliases = (db: Database, projectId: number): string[] =>
  readColumn(db, 'SELECT key FROM project_aliases WHERE project_id = ? ORDER BY created_at, key', projectId);

/** How a root came to count: see the migration. */
type HowKnown = 'seen' | 'proven' | 'merged' | 'separate';

type Root = { root: string; how: HowKnown; bornAt: number | null };

/** Two clocks of one disk may round differently. */
const CLOSE_MS = 1;

/** Where the repository itself lies: its work trees are one. */
export const placeOf = ({ root, mainRoot }: Pick<ProjectIdentity, 'root' | 'mainRoot'>) => mainRoot ?? root;

/** The repository that lies there now is known to be of this project. */
export function isAdmitted(db: Database, projectId: number, here: ProjectIdentity): boolean {
  const rows = readRoots(db, projectId, here);
  return !rows.some(({ how }) => how === 'separate') && rows.some((row) => isThere(row, here));
}

/** The project that the repository which lies there is known to be of, whatever its remote is now. */
export const findAdmittedAt = (db: Database, here: ProjectIdentity): number | null => {
  const sql = `SELECT project_id FROM project_roots WHERE root = ?1 AND how IN ('seen','proven') AND ?2 > 0
    AND abs(born_at_epoch - ?2) <= ${CLOSE_MS} ORDER BY project_id DESC LIMIT 1`;
  return readValue(db, sql, placeOf(here), here.bornAt ?? 0);
};

/** A person has said that it is another one. */
export const isSeparate = (db: Database, projectId: number, here: ProjectIdentity): boolean =>
  readRoots(db, projectId, here).some(({ how }) => how === 'separate');

/** Told by its history, and not by a person or by having been there. */
export const isProven = (db: Database, projectId: number, here: ProjectIdentity): boolean =>
  readRoots(db, projectId, here).some(({ how }) => how === 'proven');

function readRoots(db: Database, projectId: number, here: ProjectIdentity): Root[] {
  const sql = 'SELECT root, how, born_at_epoch AS bornAt FROM project_roots WHERE project_id = ? AND root IN (?, ?)';
  return readAll<Root>(db, sql, projectId, placeOf(here), here.root);
}

const isThere = ({ bornAt }: Root, { bornAt: now = 0 }: ProjectIdentity) =>
  bornAt === null || now === 0 || Math.abs(bornAt - now) <= CLOSE_MS;

/** Inside a transaction. What is there now counts. A place that was known before stays known in the way it was. */
export function admit(db: Database, projectId: number, here: ProjectIdentity, how: HowKnown): void {
  const bornAt = how === 'merged' || how === 'separate' ? null : here.bornAt || null;
  const sql = `INSERT INTO project_roots (root, project_id, how, born_at_epoch) VALUES ($root, $projectId, $how, $bornAt)
    ON CONFLICT (root, project_id) DO UPDATE SET born_at_epoch = excluded.born_at_epoch,
      how = iif(excluded.how IN ('merged','separate'), excluded.how, how)`;
  db.query(sql).run({ root: placeOf(here), projectId, how, bornAt });
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
  db.query('DELETE FROM project_roots WHERE project_id = ? AND root IN (?, ?)').run(projectId, placeOf(here), here.root);
}

/** Inside a transaction: one project becomes part of another. */
export function moveRoots(db: Database, from: number, into: number): void {
  db.query('UPDATE OR IGNORE project_roots SET project_id = ? WHERE project_id = ?').run(into, from);
}

export const listOtherRoots = (db: Database, projectId: number, here: ProjectIdentity): string[] => {
  const sql = "SELECT root FROM project_roots WHERE project_id = ? AND root NOT IN (?, ?) AND how <> 'separate' ORDER BY root";
  return readColumn(db, sql, projectId, placeOf(here), here.root);
};
