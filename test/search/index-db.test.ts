import { Database } from 'bun:sqlite';
import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, openSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  addCovered,
  ensureIndexModel,
  listCovered,
  listIndexModels,
  openIndex,
  putVectors,
  readDocumentVectors,
} from '../../src/search/index-db.ts';
import { isDamage } from '../../src/store/open.ts';

const folder = mkdtempSync(join(tmpdir(), 'cmem-index-'));
afterAll(() => rmSync(folder, { recursive: true }));
const place = (name: string) => join(folder, `${name.replaceAll(' ', '-')}.db`);
const pragma = (db: Database, name: string) => Object.values(db.query(`PRAGMA ${name}`).get() as object)[0];

function fill(path: string, vectors = 200): void {
  const db = openIndex(path);
  const model = ensureIndexModel(db, 'm', 384);
  const rows = Array.from({ length: vectors }, (_, i) => ({ document: i + 1, part: 0, vector: new Int8Array(384).fill((i % 126) + 1) }));
  db.transaction(() => putVectors(db, model.id, rows))();
  db.close(true);
}

describe('index.db', () => {
  test('is made new, marked as ours, for this user alone', () => {
    const path = place('new');
    const db = openIndex(path);
    expect(pragma(db, 'application_id')).toBe(Buffer.from('cmix').readInt32BE());
    expect(pragma(db, 'journal_mode')).toBe('wal');
    expect(pragma(db, 'synchronous')).toBe(1);
    expect(pragma(db, 'secure_delete')).toBe(1);
    for (const file of [path, `${path}-wal`]) expect([file, statSync(file).mode & 0o077]).toEqual([file, 0]);
    db.close(true);
  });

  const damages: [string, (path: string) => void][] = [
    ['of an older version', (path) => setVersion(path, 0x7fff)],
    ['of a newer version', (path) => setVersion(path, 2)],
    ['cut off in its first page', (path) => truncateSync(path, 1000)],
    ['full of zeros', (path) => writeFileSync(path, Buffer.alloc(8192))],
    ['with a broken schema page', (path) => overwrite(path, 100, 3900)],
  ];
  test.each(damages)('%s is thrown away and made anew', (name, damage) => {
    const path = place(name);
    fill(path);
    damage(path);
    const db = openIndex(path);
    expect(listIndexModels(db)).toEqual([]);
    db.close(true);
  });

  test('says that it is damaged when that is found out later', () => {
    const path = place('later');
    fill(path, 2000);
    overwrite(path, 8 * 4096, 400_000);
    const db = openIndex(path);
    let error: unknown;
    try {
      readDocumentVectors(
        db,
        1,
        Array.from({ length: 2000 }, (_, i) => i + 1),
      );
    } catch (caught) {
      error = caught;
    }
    expect(isDamage(error)).toBe(true);
    expect(isDamage(new Error('other'))).toBe(false);
    db.close();
  });

  test.each([
    ['a database of somebody else', (path: string) => new Database(path).run('CREATE TABLE theirs (x)')],
    ['a database marked by another program', (path: string) => new Database(path).run('PRAGMA application_id = 77')],
    ['a text file', (path: string) => writeFileSync(path, 'my notes, long enough to look like a file'.repeat(9))],
  ])('refuses %s and leaves every byte of it', (name, make) => {
    const path = place(name);
    make(path);
    const before = readFileSync(path);
    expect(() => openIndex(path)).toThrow(/not an index of claude-mem.*left as it is/);
    expect(readFileSync(path).equals(before)).toBe(true);
  });
});

describe('what is covered', () => {
  test('is joined where it touches, and kept apart where it does not', () => {
    const db = openIndex(place('covered'));
    const model = ensureIndexModel(db, 'm', 4).id;
    for (const [low, high, expected] of [
      [10, 20, '10-20'],
      [30, 40, '30-40 10-20'],
      [21, 22, '30-40 10-22'],
      [28, 29, '28-40 10-22'],
      [23, 27, '10-40'],
      [12, 13, '10-40'],
      [1, 50, '1-50'],
    ] as const) {
      addCovered(db, model, { low, high });
      const covered = listCovered(db, model).map((one) => `${one.low}-${one.high}`);
      expect(covered.join(' ')).toBe(expected);
    }
    db.close(true);
  });
});

function setVersion(path: string, version: number): void {
  const db = new Database(path);
  db.run(`PRAGMA user_version = ${version}`);
  db.close(true);
}

function overwrite(path: string, at: number, length: number): void {
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(length, 0xa5), 0, length, at);
}
