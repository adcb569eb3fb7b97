// Two projects that turn out to be one: all that one has goes to the other, which from then on goes by both keys.
import type { Database } from 'bun:sqlite';
import { type Moved, type ProjectIdentity, partKey } from '../../core/project.ts';
import { addAlias, dropAlias, formerKey, type Keyed, listParts, moveSilences, rekeyProject } from './project-keys.ts';
import { admit, moveRoots } from './project-roots.ts';
import { noteRenamed } from './renamed-projects.ts';

export type Merge = { from: Keyed; into: Keyed };

/** One transaction, or inside of one. `from` is no more afterwards. */
export function mergeProjects(db: Database, { from, into }: Merge, now: number): Moved {
  if (from.id === into.id) throw new Error('a project cannot be merged into itself');
  return db
    .transaction(() => {
      const moved = countMoved(db, from.id);
      moveRows(db, from.id, into.id);
      db.query('UPDATE project_aliases SET project_id = ? WHERE project_id = ?').run(into.id, from.id);
      moveSilences(db, from.key, into.key);
      moveRoots(db, from.id, into.id);
      db.query('DELETE FROM projects WHERE id = ?').run(from.id);
      addAlias(db, from.key, into.id, now);
      noteRenamed(db, into.id, now);
      return moved;
    })
    .immediate();
}

/** As people count them: what stands for notes by hand and for commits is no session. */
export function countMoved(db: Database, projectId: number): Moved {
  const count = (rows: string) =>
    db.query<{ n: number }, [number]>(`SELECT count(*) AS n FROM ${rows} project_id = ?`).get(projectId)?.n ?? 0;
  return {
    sessions: count("sessions WHERE host NOT IN ('claude-mem','git') AND"),
    observations: count('observations WHERE'),
    summaries: count('summaries WHERE'),
  };
}

/** Every table with a project_id; test/store/merge-projects.test.ts fails when one is missing. */
const PLAIN_TABLES = ['sessions', 'observations', 'summaries', 'citations', 'documents', 'git_logs', 'open_steps'];
/** Where the project is part of what a row is known by: both may have it. */
const KEYED_TABLES = ['error_marks', 'commits'];

function moveRows(db: Database, from: number, into: number): void {
  for (const table of PLAIN_TABLES) db.query(`UPDATE ${table} SET project_id = ? WHERE project_id = ?`).run(into, from);
  for (const table of KEYED_TABLES)
    db.query(`UPDATE OR IGNORE ${table} SET project_id = ? WHERE project_id = ?`).run(into, from);
  // What both have made of one commit is said once; what a person has put a hand to stays.
  db.query(
    `DELETE FROM observations WHERE pinned = 0 AND edited_at IS NULL
       AND id IN (SELECT observation_id FROM commits WHERE project_id = ?)`,
  ).run(from);
  for (const table of KEYED_TABLES) db.query(`DELETE FROM ${table} WHERE project_id = ?`).run(from);
}

export type Reunion = {
  /** What is remembered, under the key it had. */
  old: Keyed;
  /** The same repository as it was met again: under another key, or in another place. */
  fresh: Keyed & { name: string; remote: string | null };
};

/** The old one goes on under the key and in the place of the fresh one. */
export function reuniteProjects(db: Database, { old, fresh }: Reunion, now: number): void {
  db.transaction(() => {
    const hasMoved = old.root !== fresh.root;
    const parts = new Map(listParts(db, old).map((part) => [part.folder, part]));
    const freshParts = listParts(db, fresh);
    mergeProjects(db, { from: fresh, into: old }, now);
    for (const part of freshParts) {
      const before = parts.get(part.folder);
      if (before) mergeProjects(db, { from: part, into: before }, now);
    }
    dropAlias(db, fresh.key);
    for (const { key } of freshParts) dropAlias(db, key);
    rekeyProject(db, old, { ...fresh, hasMoved: hasMoved && old.key.startsWith('/') }, now);
    db.query('UPDATE projects SET name = ? WHERE id = ? AND is_renamed = 0').run(fresh.name, old.id);
    noteRenamed(db, old.id, now);
  }).immediate();
}

export type Joining = {
  /** What went by its place until its history was looked at. */
  fresh: Keyed;
  /** The project that has the same remote, known from elsewhere. */
  into: Keyed;
  /** The repository as it lies there. */
  here: ProjectIdentity;
};

/** The history of a repository has proven that it is the project of its remote: what is remembered of its place joins that. */
export function joinProject(db: Database, { fresh, into, here }: Joining, now: number): void {
  db.transaction(() => {
    const parts = new Map(listParts(db, into).map((part) => [part.folder, part]));
    for (const part of listParts(db, fresh)) {
      const known = parts.get(part.folder);
      if (known) mergeProjects(db, { from: part, into: known }, now);
      else rekeyProject(db, part, { key: partKey(into.key, part.folder), root: here.root, remote: here.remote }, now);
      dropAlias(db, part.key);
    }
    mergeProjects(db, { from: fresh, into }, now);
    // The place means the project only as long as this repository is in it.
    dropAlias(db, fresh.key);
    addAlias(db, formerKey(fresh.key), into.id, now);
    admit(db, into.id, here, 'proven');
  }).immediate();
}
