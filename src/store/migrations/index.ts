// The steps from an empty file to today's schema, each a file of SQL. A released step is never edited; 0.1.0 ended with the fifth.
/// <reference path="./sql.d.ts" />
import { Database } from 'bun:sqlite';
import spine from './001-spine.sql' with { type: 'text' };
import model from './002-model.sql' with { type: 'text' };
import search from './003-search.sql' with { type: 'text' };
import context from './004-context.sql' with { type: 'text' };
import past from './005-past.sql' with { type: 'text' };
import since from './019-since-0.1.0.sql' with { type: 'text' };
import documentMarks from './020-document-marks.sql' with { type: 'text' };
import syncHeld from './021-sync-held.sql' with { type: 'text' };
import outcomes from './022-outcomes.sql' with { type: 'text' };

export type Migration = { version: number; sql: string };

/** What came after 0.1.0 was once fourteen steps, none of them released: its number is that of the last. */
export const MIGRATIONS: Migration[] = [
  ...[spine, model, search, context, past].map((sql, at) => ({ version: at + 1, sql })),
  { version: 19, sql: since },
  { version: 20, sql: documentMarks },
  { version: 21, sql: syncHeld },
  { version: 22, sql: outcomes },
];

/**
 * What all steps together make of an empty file, as one text: put together when the program is built. A first session waits for a worker
 * that makes its database, and the steps rename and fill tables that are not filled yet.
 */
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
