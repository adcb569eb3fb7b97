// sync_state: a few values by name: the device, its clock, how far each space has been read, what is given to a team.
import type { Database } from 'bun:sqlite';
import type { WireProject } from '../core/shapes/sync.ts';
import { readValue } from '../store/read.ts';

export const readState = (db: Database, name: string): string | null =>
  readValue<string>(db, 'SELECT value FROM sync_state WHERE name = ?', name);

export const writeState = (db: Database, name: string, value: string): void =>
  void db
    .query('INSERT INTO sync_state (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value')
    .run(name, value);

/** What the user gives to a team: of which project, and which kinds. */
type Published = { project: WireProject; kinds: string[] };
const PUBLISHED = 'published:';

export function readPublished(db: Database): Map<string, Published> {
  const rows = db
    .query<{ name: string; value: string }, [string, string]>('SELECT name, value FROM sync_state WHERE name > ? AND name < ?')
    .all(PUBLISHED, 'published;');
  return new Map(rows.map(({ name, value }) => [name.slice(PUBLISHED.length), JSON.parse(value)]));
}

/** Inside a transaction. Null: nothing more. */
export function writePublished(db: Database, space: string, published: Published | null): void {
  if (published) writeState(db, `${PUBLISHED}${space}`, JSON.stringify(published));
  else db.query('DELETE FROM sync_state WHERE name = ?').run(`${PUBLISHED}${space}`);
  db.query("INSERT OR IGNORE INTO sync_changes (kind, ref) VALUES ('published', ?)").run(space);
}
