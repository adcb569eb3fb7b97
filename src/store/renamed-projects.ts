// A project got another name: its documents say it as words to be found by, and learn the new one a few at a time.
import type { Database } from 'bun:sqlite';
import { isoTime } from './time.ts';

export function renameProject(db: Database, projectId: number, name: string, now: number): void {
  db.transaction(() => {
    db.query('UPDATE projects SET name = ?, is_renamed = 1 WHERE id = ?').run(name, projectId);
    noteRenamed(db, projectId, now);
  }).immediate();
}

const MARK = 'renamed-project:';

/** Inside a transaction: a worker that is killed goes on with it. */
export function noteRenamed(db: Database, projectId: number, now: number): void {
  const add = 'INSERT OR IGNORE INTO notices (name, created_at) VALUES (?, ?)';
  db.query(add).run(`${MARK}${projectId}`, isoTime(now));
}

/** Some documents learn the name of their project. False when there is nothing left to do. */
export function respellMore(db: Database, limit = 25): boolean {
  const mark = db
    .query<{ name: string }, [string, string]>('SELECT name FROM notices WHERE name >= ? AND name < ? LIMIT 1')
    .get(MARK, `${MARK}:`);
  if (!mark) return false;
  const projectId = Number(mark.name.slice(MARK.length));
  db.transaction(() => {
    if (respellSome(db, projectId, limit) < limit) db.query('DELETE FROM notices WHERE name = ?').run(mark.name);
  }).immediate();
  return true;
}

type Spelled = { id: number; whence: string; name: string };

function respellSome(db: Database, projectId: number, limit: number): number {
  const stale = db
    .query<Spelled, [number, number]>(
      `SELECT d.id, d.whence, p.name FROM projects p JOIN documents d ON d.project_id = p.id
       WHERE p.id = ?1 AND (substr(d.whence, -length(' ' || p.name)) <> ' ' || p.name
         OR substr(d.whence, 1, length(d.whence) - length(p.name) - 1) GLOB '*[^0-9]') ORDER BY d.at LIMIT ?2`,
    )
    .all(projectId, limit);
  // The words of a document are taken out and put in again with its neighbours: see the triggers of the migration.
  const respell = db.query('UPDATE documents SET whence = ?, neighbours = neighbours WHERE id = ?');
  for (const { id, whence, name } of stale) respell.run(`${dayOf(whence)} ${name}`, id);
  return stale.length;
}

/** `Monday 16 November 2026`, or nothing. */
const dayOf = (whence: string) => /^[A-Z]\w+ \d+ \w+ \d+(?= )/.exec(whence)?.[0] ?? '';
