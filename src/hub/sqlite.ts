// A hub on SQLite: one box, one file, a small team. Transactions come one after the other.
import { Database } from 'bun:sqlite';
import { chmodSync } from 'node:fs';
import { STEPS, type Storage, type Tx, type Value } from './storage.ts';

/** "cmhb": a file of another program is left alone. */
const APPLICATION_ID = 0x636d6862;

/** `mostPages`: as if the disk ended there. */
export function openSqlite(path: string, { mostPages, steps = STEPS }: { mostPages?: number; steps?: string[][] } = {}): Storage {
  const db = new Database(path, { create: true });
  prepare(db, path, steps);
  if (mostPages) db.run(`PRAGMA max_page_count = ${mostPages}`);
  let last: Promise<unknown> = Promise.resolve();
  return {
    kind: 'sqlite',
    inTenant(tenant, work) {
      const own = last.then(() => run(db, tenant, work));
      // Whoever asked hears of its failure; the next one does not.
      last = own.catch(() => undefined);
      return own;
    },
    problems: async () => [],
    scour() {
      const own = last.then(() => void db.query('PRAGMA wal_checkpoint(TRUNCATE)').all());
      last = own.catch(() => undefined);
      return own;
    },
    close: async () => {
      await last;
      db.close();
    },
  };
}

function prepare(db: Database, path: string, steps: string[][]): void {
  const pragma = (name: string) => Number(Object.values(db.query(`PRAGMA ${name}`).get() ?? {})[0]);
  db.run('PRAGMA busy_timeout = 5000');
  if (pragma('application_id') !== APPLICATION_ID) {
    const isEmpty = (db.query('SELECT count(*) AS n FROM sqlite_schema').get() as { n: number }).n === 0;
    if (!isEmpty) throw new Error(`${path} is not a hub of claude-mem. It was left as it is.`);
  }
  if (path !== ':memory:') chmodSync(path, 0o600);
  for (const setting of ['journal_mode = WAL', 'synchronous = FULL', 'secure_delete = ON']) db.run(`PRAGMA ${setting}`);
  db.transaction(() => {
    const version = pragma('user_version');
    if (version > steps.length) throw new Error(`${path} was written by a newer claude-mem. Update this one.`);
    for (const sql of steps.slice(version).flat()) db.run(asStrict(sql));
    db.run(`PRAGMA application_id = ${APPLICATION_ID}`);
    db.run(`PRAGMA user_version = ${steps.length}`);
  }).immediate();
}

const asStrict = (sql: string) => sql.replaceAll('BIGINT', 'INTEGER') + (/CREATE TABLE/.test(sql) ? ' STRICT' : '');

async function run<T>(db: Database, tenant: string, work: (tx: Tx) => Promise<T>): Promise<T> {
  db.run('BEGIN IMMEDIATE');
  try {
    const result = await work({
      all: async <Row>(sql: string, params: Value[] = []) => {
        // SQLite has no row-level security: what names no tenant is refused.
        if (params[0] !== tenant || !/\$1\b/.test(sql)) throw new Error(`a statement is not bound to its tenant: ${sql.slice(0, 80)}`);
        return db.query<Row, Value[]>(sql.replace(/\$(\d+)/g, '?$1')).all(...params);
      },
      listOf: (parameter) => `(SELECT value FROM json_each(${parameter}))`,
      matching: null,
      hasMeaning: false,
    });
    db.run('COMMIT');
    return result;
  } catch (error) {
    // A full disk has ended it already.
    if (db.inTransaction) db.run('ROLLBACK');
    throw error;
  }
}
