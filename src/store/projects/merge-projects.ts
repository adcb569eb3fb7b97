// Two projects that turn out to be one: all that one has goes to the other, which from then on goes by both keys.
import type { Database } from 'bun:sqlite';
import type { Moved } from '../../core/project.ts';
import { addAlias, dropAlias, type Keyed, listParts, moveSilences, rekeyProject } from './project-keys.ts';
import { noteRenamed } from './renamed-projects.ts';

export type Merge = { from: Keyed; into: Keyed };

/** One transaction, or inside of one. `from` is no more afterwards. */
export function mergeProjects(db: Database, { from, into }: Merge, now: number): Moved {
  if (from.id === into.id) throw new Error('a project cannot be merged into itself');
  return db
    .transaction(() => {
      const moved = countRows(db, from.id);
      moveRows(db, from.id, into.id);
      db.query('UPDATE project_aliases SET project_id = ? WHERE project_id = ?').run(into.id, from.id);
      moveSilences(db, from.key, into.key);
      db.query('DELETE FROM projects WHERE id = ?').run(from.id);
      addAlias(db, from.key, into.id, now);
      noteRenamed(db, into.id, now);
      return moved;
    })
    .immediate();
}

/** As people count them: what stands for notes by hand and for commits is no session. */
function countRows(db: Database, projectId: number): Moved {
  const count = (rows: string) =>
    db.query<{ n: number }, [number]>(`SELECT count(*) AS n FROM ${rows} project_id = ?`).get(projectId)?.n ?? 0;
  return {
    sessions: count("sessions WHERE host NOT IN ('claude-mem','git') AND"),
    observations: count('observations WHERE'),
    summaries: count('summaries WHERE'),
  };
}

/** Every table with a project_id; test/store/merge-projects.test.ts fails when one is missing. */
const PLAIN_TABLES = ['sessions', 'observations', 'summaries', 'citations', 'documents', 'git_logs'];
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
