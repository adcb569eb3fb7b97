// What all steps together make of an empty file, as one text: put together when the program is built. A first session waits for a worker
// that makes its database, and the steps rename and fill tables that are not filled yet.
import { Database } from 'bun:sqlite';
import { MIGRATIONS } from './index.ts';

export function writeBlankSchema(): string {
  const db = new Database(':memory:');
  for (const { sql } of MIGRATIONS) db.run(sql);
  const parts = db.query<{ sql: string }, []>(
    `SELECT sql FROM sqlite_schema
     WHERE sql IS NOT NULL AND name NOT GLOB 'sqlite_*'
       AND name NOT IN (SELECT name FROM pragma_table_list WHERE type = 'shadow')
     ORDER BY type = 'trigger', type = 'index', type = 'view', rowid`,
  );
  return parts
    .all()
    .map(({ sql }) => `${sql};`)
    .join('\n');
}
