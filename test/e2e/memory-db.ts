// Reading the store of a sandbox from outside, as a test may: read-only, one query, closed again.
import { Database, type SQLQueryBindings } from 'bun:sqlite';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

export function readMemory<Row>(dataDir: string, sql: string, ...params: SQLQueryBindings[]): Row[] {
  const file = join(dataDir, 'memory.db');
  if (!existsSync(file)) return [];
  const db = new Database(file, { readonly: true });
  try {
    db.run('PRAGMA busy_timeout = 5000');
    return db.query<Row, SQLQueryBindings[]>(sql).all(...params);
  } finally {
    db.close();
  }
}
