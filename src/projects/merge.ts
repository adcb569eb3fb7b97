// Two projects that turn out to be one: all that one has goes to the other, which from then on goes by both keys.
import type { Database } from 'bun:sqlite';
import { asPart, type ProjectIdentity, partKey } from '../core/project.ts';
import type { Moved } from '../core/shapes/project.ts';
import { readAll, readValue } from '../store/read.ts';
import {
  addAlias,
  admit,
  dropAlias,
  dropRoots,
  formerKey,
  type Keyed,
  listOtherRoots,
  listParts,
  moveRoots,
  moveSilences,
  placeOf,
  rekeyProject,
} from './keys.ts';
import { ensureProject, type Project, projectName } from './projects.ts';

export function renameProject(db: Database, projectId: number, name: string): void {
  db.transaction(() => {
    const before = projectName(db, projectId);
    db.query('UPDATE projects SET name = ?, is_renamed = 1 WHERE id = ?').run(name, projectId);
    respell(db, projectId, before, name);
  }).immediate();
}

/** Memories are also found by the name of their project, which ends the words about where they come from. Inside a transaction. */
function respell(db: Database, projectId: number, from: string, to: string): void {
  if (from === to) return;
  // The words of a document are taken out and put in again with its neighbours: see the triggers of the migration.
  const sql = `UPDATE documents SET whence = substr(whence, 1, length(whence) - length($from)) || $to, neighbours = neighbours
    WHERE project_id = $projectId AND substr(whence, -length($from)) = $from`;
  db.query(sql).run({ projectId, from, to });
}

type Merge = { from: Keyed; into: Keyed };

/** One transaction, or inside of one. `from` is no more afterwards. */
export function mergeProjects(db: Database, { from, into }: Merge, now: number): Moved {
  if (from.id === into.id) throw new Error('a project cannot be merged into itself');
  return db
    .transaction(() => {
      const moved = countMoved(db, from.id);
      respell(db, from.id, projectName(db, from.id), projectName(db, into.id));
      moveRows(db, from.id, into.id);
      db.query('UPDATE project_aliases SET project_id = ? WHERE project_id = ?').run(into.id, from.id);
      moveSilences(db, from.key, into.key);
      moveRoots(db, from.id, into.id);
      db.query('DELETE FROM projects WHERE id = ?').run(from.id);
      addAlias(db, from.key, into.id, now);
      return moved;
    })
    .immediate();
}

function countMoved(db: Database, projectId: number): Moved {
  const count = (table: string) => readValue<number>(db, `SELECT count(*) FROM ${table} WHERE project_id = ?`, projectId) ?? 0;
  return { sessions: count('sessions'), observations: count('observations'), summaries: count('summaries') };
}

/** Every table with a project_id; test/projects/merge.test.ts fails when one is missing. */
const PLAIN_TABLES = ['sessions', 'observations', 'summaries', 'citations', 'documents', 'git_logs', 'open_steps'];
/** Where the project is part of what a row is known by: both may have it. */
const KEYED_TABLES = ['error_marks', 'commits'];

function moveRows(db: Database, from: number, into: number): void {
  for (const table of PLAIN_TABLES) db.query(`UPDATE ${table} SET project_id = ? WHERE project_id = ?`).run(into, from);
  for (const table of KEYED_TABLES) db.query(`UPDATE OR IGNORE ${table} SET project_id = ? WHERE project_id = ?`).run(into, from);
  // What both have made of one commit is said once; what a person has put a hand to stays.
  const sql = `DELETE FROM observations WHERE pinned = 0 AND edited_at IS NULL
    AND id IN (SELECT observation_id FROM commits WHERE project_id = ?)`;
  db.query(sql).run(from);
  for (const table of KEYED_TABLES) db.query(`DELETE FROM ${table} WHERE project_id = ?`).run(from);
}

type Joining = {
  /** What went by its place until its history was looked at. */
  fresh: Keyed;
  into: Keyed;
  /** The repository as it lies there. */
  here: ProjectIdentity;
  /** It is where the project is now: that goes on under its key. Else it is another clone of the same remote. */
  hasMoved: boolean;
};

/** The history of a repository has proven that it is a known project: what is remembered of its place joins that. */
export function joinProject(db: Database, { fresh, into, here, hasMoved }: Joining, now: number): void {
  db.transaction(() => {
    const parts = new Map(listParts(db, into).map((part) => [part.folder, part]));
    for (const part of listParts(db, fresh)) {
      const known = parts.get(part.folder);
      if (known) mergeProjects(db, { from: part, into: known }, now);
      else rekeyProject(db, part, { key: partKey(into.key, part.folder), root: here.root, remote: here.remote }, now);
      dropAlias(db, part.key);
    }
    mergeProjects(db, { from: fresh, into }, now);
    dropAlias(db, fresh.key);
    if (hasMoved) {
      rekeyProject(db, into, { ...here, key: fresh.key, hasMoved }, now);
      const before = projectName(db, into.id);
      db.query('UPDATE projects SET name = ? WHERE id = ? AND is_renamed = 0').run(here.name, into.id);
      respell(db, into.id, before, projectName(db, into.id));
      return;
    }
    // The place means the project only as long as this repository is in it.
    addAlias(db, formerKey(fresh.key), into.id, now);
    admit(db, into.id, here, 'proven');
  }).immediate();
}

type Moving = { from: number; roots: string[]; into: () => number };

/** Inside a transaction. Those that worked in one of these work trees. */
function moveSessionsOf(db: Database, { from, roots, into }: Moving): void {
  const sql = 'SELECT id, cwd, root FROM sessions WHERE project_id = ? AND root IN (SELECT value FROM json_each(?))';
  const rows = readAll<{ id: number; cwd: string; root: string }>(db, sql, from, JSON.stringify(roots));
  for (const { id, cwd, root } of rows) moveSession(db, id, { projectId: into(), cwd, root });
}

/** With its memories. Inside a transaction. */
export function moveSession(db: Database, id: number, { projectId, cwd, root }: { projectId: number; cwd: string; root: string }): void {
  db.query('UPDATE sessions SET project_id = ?, cwd = ?, root = ? WHERE id = ?').run(projectId, cwd, root, id);
  const own = '(SELECT id FROM observations WHERE session_id = ?)';
  for (const table of ['citations', 'error_marks'])
    db.query(`UPDATE OR IGNORE ${table} SET project_id = ? WHERE observation_id IN ${own}`).run(projectId, id);
  for (const table of ['observations', 'summaries', 'documents', 'open_steps'])
    db.query(`UPDATE ${table} SET project_id = ? WHERE session_id = ?`).run(projectId, id);
}

type Separation = {
  from: Keyed;
  here: ProjectIdentity;
  /** Its work trees, as far as sessions worked in them. */
  roots: string[];
};

/** One transaction. The project that begins, by its place. */
export function separateRoot(db: Database, { from, here, roots }: Separation, now: number): { project: Project; moved: Moved } {
  return db
    .transaction(() => {
      dropRoots(db, from.id, here);
      dropAlias(db, placeOf(here));
      admit(db, from.id, here, 'separate');
      const project = ensureProject(db, here, now);
      if (project.id === from.id) throw new Error('a place could not be given up');
      for (const { id, into } of [
        { id: from.id, into: () => project.id },
        ...listParts(db, from).map(({ id, folder }) => ({
          id,
          into: () => ensureProject(db, asPart(here, folder), now).id,
        })),
      ]) {
        moveSessionsOf(db, { from: id, roots, into });
        // Its log is read anew, as that of the project that it is now.
        const isThere = db.query("DELETE FROM git_logs WHERE project_id = ?1 AND (root = ?2 OR root LIKE ?2 || '/%')");
        for (const root of roots) isThere.run(id, root);
      }
      const [other] = listOtherRoots(db, from.id, here);
      if (other) db.query('UPDATE projects SET root = ? WHERE id = ? AND root IN (?, ?)').run(other, from.id, here.root, placeOf(here));
      respell(db, project.id, projectName(db, from.id), project.name);
      return { project, moved: countMoved(db, project.id) };
    })
    .immediate();
}
