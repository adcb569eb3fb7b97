// A project got another name: its documents say it as words to be found by, and learn the new one a few at a time.
import type { Database } from 'bun:sqlite';
import { isoTime } from '../time.ts';

export function renameProject(db: Database, projectId: number, name: string, now: number): void {
  db.transaction(() => {
    db.query('UPDATE projects SET name = ?, is_renamed = 1 WHERE id = ?').run(name, projectId);
    noteRenamed(db, projectId, now);
  }).immediate();
}

const MARK = 'renamed-project:';

/** Inside a transaction: a worker that is killed goes on with it. */
export function noteRenamed(db: Database, projectId: number, now: number): void {
  const add = 'INSERT OR REPLACE INTO notices (name, created_at) VALUES (?, ?)';
  db.query(add).run(`${MARK}${projectId}`, isoTime(now));
}

/** How far it is with the project that got its name at that time; with any other it begins anew. */
export type Respelled = { name: string; since: string; after: number };

/** Some documents learn the name of their project. Returns where to go on; null when there is nothing left to do. */
export function respellMore(db: Database, from: Respelled | null = null, limit = 10): Respelled | null {
  const mark = db
    .query<Omit<Respelled, 'after'>, [string, string]>(
      'SELECT name, created_at AS since FROM notices WHERE name >= ? AND name < ? LIMIT 1',
    )
    .get(MARK, `${MARK}:`);
  if (!mark) return null;
  const after = from?.name === mark.name && from.since === mark.since ? from.after : 0;
  return db
    .transaction(() => {
      const next = respellSome(db, { projectId: Number(mark.name.slice(MARK.length)), after, limit });
      if (next === 0) db.query('DELETE FROM notices WHERE name = ?').run(mark.name);
      return { ...mark, after: next };
    })
    .immediate();
}

type Slice = { projectId: number; after: number; limit: number };
type Spelled = { id: number; whence: string; name: string };

/** To see that nothing has to be done takes time, too. */
const SEEN = 200;

/** Returns the last one seen; 0 when none is left. */
function respellSome(db: Database, { projectId, after, limit }: Slice): number {
  const documents = db
    .query<Spelled, [number, number, number]>(
      // By the index that has no texts: the way to them is long in a large store.
      `SELECT d.id, d.whence, p.name FROM (SELECT id FROM documents INDEXED BY documents_places
         WHERE id > ?1 AND project_id = ?2 ORDER BY id LIMIT ?3) AS seen
       JOIN documents d ON d.id = seen.id JOIN projects p ON p.id = d.project_id ORDER BY d.id`,
    )
    .all(after, projectId, SEEN);
  const stale = documents.flatMap(({ id, whence, name }) => {
    const now = `${dayOf(whence)} ${name}`;
    return now === whence ? [] : [{ id, now }];
  });
  // The words of a document are taken out and put in again with its neighbours: see the triggers of the migration.
  const respell = db.query('UPDATE documents SET whence = ?, neighbours = neighbours WHERE id = ?');
  for (const { id, now } of stale.slice(0, limit)) respell.run(now, id);
  if (stale.length > limit) return stale[limit - 1]?.id ?? 0;
  return documents.length < SEEN ? 0 : (documents.at(-1)?.id ?? 0);
}

/** `Monday 16 November 2026`, or nothing. */
const dayOf = (whence: string) => /^[A-Z]\w+ \d+ \w+ \d+(?= )/.exec(whence)?.[0] ?? '';
