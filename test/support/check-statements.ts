// Which of the statements that the product prepares an older SQLite refuses: each is explained by the system's own sqlite3, on such a store.
import { Database } from 'bun:sqlite';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqlite } from '../../src/hub/sqlite.ts';
import { openIndex } from '../../src/search/index-db.ts';
import { MIGRATIONS } from '../../src/store/migrations/index.ts';
import { openStore } from '../../src/store/open.ts';
import { GENERATIONS, writePeer } from '../import/original-database.ts';
import { askSystemSqlite, runSystemSqlite } from './system-sqlite.ts';

export type Checked = {
  asked: number;
  /** Of the sqlite3 that was asked. */
  version: string;
  /** Each with what sqlite3 said of it. */
  refused: string[];
  /** No store of ours has what these ask for, so nobody knows. */
  unknown: string[];
};

/** A store that statements are for, and what of it only its own connection has. */
type Place = { path: string; db: Database; temporary: string };

export function checkStatements(statements: string[]): Checked {
  const folder = mkdtempSync(join(tmpdir(), 'claude-mem-statements-'));
  try {
    const places = openPlaces(folder, statements);
    // The steps of the schema are taken one after the other elsewhere, test/holes/hole-P1.test.ts; a repair makes what they made once more.
    const steps = new Set([...MIGRATIONS.map(({ sql }) => sql), ...places.flatMap(({ db }) => readSchema(db))]);
    // A test may have the product prepare what nobody can. A PRAGMA takes effect when it is explained, and one that is not known is no error. A column cannot be added where it is.
    const asked = [...new Set(statements)].filter((sql) => !steps.has(sql) && !/^\s*(PRAGMA|ALTER TABLE)\b|-- of a test$/i.test(sql));
    const homes = asked.map((sql) => ({ sql, place: places.find(({ db }) => isAccepted(db, sql)) }));
    for (const { db } of places) db.close();
    const at = (place: Place | undefined) => homes.filter((home) => home.place === place).map(({ sql }) => sql);
    return {
      asked: asked.length,
      version: askSystemSqlite(':memory:', 'SELECT sqlite_version();'),
      refused: places.flatMap((place) => findRefused(place, at(place))),
      unknown: at(undefined),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Tables of one connection are made first, by the statements themselves. */
function openPlaces(folder: string, statements: string[]): Place[] {
  const place = (name: string, open: (path: string) => Database): Place => {
    const path = join(folder, name);
    const db = open(path);
    const rows = db.query<{ sql: string }, []>('SELECT sql FROM temp.sqlite_schema').all();
    const temporary = rows.map(({ sql }) => `${sql.replace(/^CREATE (?:TEMP )?/, 'CREATE TEMP ')};\n`).join('');
    return { path, db, temporary };
  };
  return [
    place('memory.db', (path) => {
      const db = openStore(path);
      for (const sql of statements) if (/^\s*CREATE TEMP /.test(sql)) db.run(sql);
      return db;
    }),
    place('index.db', openIndex),
    ...Object.entries(GENERATIONS).map(([name, tables]) =>
      place(`${name}.db`, (path) => {
        writePeer(path, tables, {});
        return new Database(path);
      }),
    ),
    place('hub.db', (path) => {
      openSqlite(path).close();
      return new Database(path);
    }),
    place('empty.db', (path) => new Database(path)),
  ];
}

const readSchema = (db: Database) =>
  db
    .query<{ sql: string }, []>('SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL')
    .all()
    .map(({ sql }) => sql);

const isScript = (sql: string) => /;\s*\S/.test(sql);

/** One statement is explained, several are run and taken back. */
const wrap = (sql: string) => (isScript(sql) ? `BEGIN;\n${sql};\nROLLBACK;` : `EXPLAIN ${sql.replace(/;\s*$/, '')};`);

function isAccepted(db: Database, sql: string): boolean {
  try {
    if (isScript(sql)) db.run(wrap(sql));
    else db.prepare(wrap(sql)).finalize();
    return true;
  } catch {
    if (db.inTransaction) db.run('ROLLBACK');
    return false;
  }
}

/** sqlite3 says in which line it stumbled. */
function findRefused({ path, temporary }: Place, statements: string[]): string[] {
  // As an older SQLite is used: src/store/open.ts.
  const before = `PRAGMA trusted_schema = ON;\n${temporary}`;
  let line = before.split('\n').length;
  const begins = statements.map((sql) => {
    const begin = line;
    line += wrap(sql).split('\n').length;
    return { begin, sql };
  });
  const { stderr } = runSystemSqlite(path, `${before}${statements.map(wrap).join('\n')}`);
  const complaints = stderr.split('\n').filter((said) => / near line \d+: /.test(said));
  return complaints.map((said) => {
    const at = Number(/ near line (\d+): /.exec(said)?.[1]);
    return `${said}\n${begins.findLast(({ begin }) => begin <= at)?.sql ?? before}`;
  });
}
