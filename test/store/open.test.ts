import { Database } from 'bun:sqlite';
import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { emptyLog } from '../../src/store/erasing.ts';
import { MIGRATIONS } from '../../src/store/migrations/index.ts';
import { APPLICATION_ID, openStore } from '../../src/store/open.ts';

const folder = mkdtempSync(join(tmpdir(), 'cmem-store-'));
afterAll(() => rmSync(folder, { recursive: true }));
const place = (name: string) => join(folder, name);
const pragma = (db: Database, name: string) => Object.values(db.query(`PRAGMA ${name}`).get() as object)[0];

describe('the store', () => {
  test('is made new, marked as ours, for this user alone, with synced commits', () => {
    const path = place('new.db');
    const db = openStore(path);
    expect(pragma(db, 'application_id')).toBe(APPLICATION_ID);
    expect(pragma(db, 'user_version')).toBe(MIGRATIONS.at(-1)?.version ?? 0);
    expect(pragma(db, 'journal_mode')).toBe('wal');
    expect(pragma(db, 'synchronous')).toBe(2);
    expect(pragma(db, 'foreign_keys')).toBe(1);
    expect(pragma(db, 'secure_delete')).toBe(1);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    db.close(true);
  });

  test('waits for others as long after its log was emptied as before', () => {
    const db = openStore(place('patient.db'));
    db.run('PRAGMA busy_timeout = 25');
    expect(emptyLog(db)).toBe(true);
    expect(pragma(db, 'busy_timeout')).toBe(25);
    db.close(true);
  });

  test('is opened again with what it held', () => {
    const path = place('again.db');
    const first = openStore(path);
    first.run("INSERT INTO counters VALUES ('x', 1, 'now')");
    first.close(true);
    const second = openStore(path);
    expect(second.query('SELECT value FROM counters').get()).toEqual({ value: 1 });
    second.close(true);
  });

  test('of an older SQLite has no write-ahead log, which that could corrupt, and is the same store again for a newer', () => {
    const path = place('older.db');
    const [versions, modes] = [['3.53.4', '3.43.2', '3.51.2', '3.51.3'], [] as unknown[]];
    for (const version of versions) {
      const db = openStore(path, MIGRATIONS, version);
      db.run("INSERT INTO counters VALUES (?, 1, 'now')", [version]);
      modes.push(pragma(db, 'journal_mode'));
      expect(pragma(db, 'synchronous')).toBe(2);
      db.close(true);
    }
    expect(modes).toEqual(['wal', 'truncate', 'truncate', 'wal']);
    const db = openStore(path);
    expect(db.query('SELECT count(*) AS n FROM counters').get()).toEqual({ n: 4 });
    db.close(true);
  });

  test('is refused by a SQLite that cannot read it', () => {
    expect(() => openStore(place('too-old.db'), MIGRATIONS, '3.39.5')).toThrow(/SQLite 3\.39\.5 .*3\.40\.0 or newer/);
  });

  test.each([
    ['a database of somebody else', (path: string) => new Database(path).run('CREATE TABLE theirs (x)')],
    ['a database marked by another program', (path: string) => new Database(path).run('PRAGMA application_id = 77')],
    ['a text file', (path: string) => writeFileSync(path, 'my notes, not a database, long enough to look like one'.repeat(4))],
  ])('refuses %s and leaves every byte of it', (name, make) => {
    const path = place(`${name.replaceAll(' ', '-')}.db`);
    make(path);
    const before = readFileSync(path);
    expect(() => openStore(path)).toThrow(/not a claude-mem memory.*left as it is/);
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  test('of a newer version is refused and left as it is', () => {
    const path = place('newer.db');
    const db = openStore(path);
    db.run('PRAGMA user_version = 99');
    db.close(true);
    const before = readFileSync(path);
    expect(() => openStore(path)).toThrow(/newer claude-mem \(schema 99/);
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  test('is the same made at once as made by all the steps', () => {
    const read = (name: string, migrations: typeof MIGRATIONS) => {
      const db = openStore(place(name), migrations);
      const schema = db.query('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name').all();
      const rows = db.query("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'").all() as { name: string }[];
      const filled = rows.filter(({ name }) => !name.startsWith('sqlite_') && db.query(`SELECT 1 FROM "${name}"`).get() !== null);
      const version = pragma(db, 'user_version');
      db.close(true);
      return { schema, filled, version };
    };
    const bySteps = read('by-steps.db', [...MIGRATIONS]);
    expect(bySteps.schema.length).toBeGreaterThan(100);
    expect(read('at-once.db', MIGRATIONS)).toEqual(bySteps);
  });

  test('starts a killed migration again from the step before', () => {
    const path = place('killed.db');
    const broken = { version: (MIGRATIONS.at(-1)?.version ?? 0) + 1, sql: 'CREATE TABLE half (x); SELECT nonsense(); -- of a test' };
    expect(() => openStore(path, [...MIGRATIONS, broken])).toThrow();
    const db = openStore(path);
    expect(db.query("SELECT name FROM sqlite_schema WHERE name = 'half'").get()).toBeNull();
    expect(pragma(db, 'user_version')).toBe(MIGRATIONS.at(-1)?.version ?? 0);
    db.close(true);
  });

  test.each(MIGRATIONS.slice(0, -1).map(({ version }) => version))('keeps what schema %d held', (version) => {
    const path = place(`from-${version}.db`);
    const old = openStore(path, MIGRATIONS.slice(0, version));
    old.run("INSERT INTO projects (id, key, name, root, created_at) VALUES (1, 'k', 'shop', '/shop', 'now')");
    old.run(
      `INSERT INTO sessions (id, host, host_session_id, project_id, cwd, root, started_at, started_at_epoch, updated_at, updated_at_epoch, status)
       VALUES (1, 'claude-code', 's', 1, '/shop', '/shop', 'now', 1, 'now', 1, 'active')`,
    );
    old.run(
      `INSERT INTO observations (session_id, project_id, type, title, origin, trust, tokens, hash, created_at, created_at_epoch)
       VALUES (1, 1, 'change', 'Kept', 'agent', 2, 1, 'h', 'now', 1)`,
    );
    old.close(true);
    const db = openStore(path);
    expect(pragma(db, 'user_version')).toBe(MIGRATIONS.at(-1)?.version ?? 0);
    expect(db.query('SELECT title, provisional, batch_id AS batch FROM observations').all()).toEqual([
      { title: 'Kept', provisional: 0, batch: null },
    ]);
    expect(db.query('PRAGMA foreign_key_check').all()).toEqual([]);
    db.close(true);
  });

  test('is migrated once by two processes at once', async () => {
    const path = place('two.db');
    const program = `
      const { openStore } = await import(${JSON.stringify(join(import.meta.dir, '../../src/store/open.ts'))});
      openStore(${JSON.stringify(path)}).close(true);`;
    const children = Array.from({ length: 4 }, () => Bun.spawn([process.execPath, '-e', program], { stderr: 'pipe', stdout: 'ignore' }));
    expect(await Promise.all(children.map((child) => child.exited))).toEqual([0, 0, 0, 0]);
  });
});
