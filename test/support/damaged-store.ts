// A store filled through the real door, damaged in a copy of it, and compared row by row with what it was.
import { Database } from 'bun:sqlite';
import { closeSync, cpSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isIntactRow } from '../../src/backup/check.ts';
import { readShapes, type Shape } from '../../src/backup/salvage.ts';
import { findPaths, type Paths } from '../../src/paths.ts';
import { bash, edit, sessionEnd, stop, userPrompt } from './payloads.ts';
import { createTestWorker } from './worker-app.ts';

export const PAGE = 4096;

/** Sessions of some turns each, taken in and observed by a worker that has ended since. */
export async function fillStore(sessions: number): Promise<Paths> {
  const worker = createTestWorker();
  await worker.start();
  const cwd = '/home/dev/shop';
  for (let session = 0; session < sessions; session++) {
    const id = `session-${session}`;
    for (let turn = 0; turn < 4; turn++) {
      const more = { prompt_id: `prompt-${session}-${turn}` };
      const file = `src/part${(session * 7 + turn) % 23}.ts`;
      await Promise.all([
        worker.send('new', userPrompt(id, cwd, `Make part ${session} of step ${turn} faster, it is slow`, more)),
        worker.send('save', edit(id, cwd, file, [`-const wait${turn} = ${session};`, `+const wait${turn} = ${session + 1};`])),
        worker.send('save', bash(id, cwd, `bun test ${file}`, `${session} pass\n`.repeat(150), more)),
        worker.send('save', bash(id, cwd, `cat ${file}`, longText(session, turn), more)),
      ]);
      const said = `We decided to keep the value of part ${session} in a cache of ${turn} MB instead of counting again, because counting takes ${session} s.`;
      await worker.send('summary', stop(id, cwd, said, more));
    }
    await worker.send('cleanup', sessionEnd(id, cwd));
  }
  await worker.settle();
  await worker.stop();
  return worker.paths;
}

/** Long enough to go on beyond its page. */
const longText = (session: number, turn: number) =>
  Array.from({ length: 120 }, (_, line) => `${line}: the value ${session * 31 + turn * 17 + line} of ${session}`).join('\n');

export function copyStore(paths: Paths): { paths: Paths; dispose: () => void } {
  const home = mkdtempSync(join(tmpdir(), 'cmem-damaged-'));
  const dataDir = join(home, '.claude-mem');
  cpSync(paths.dataDir, dataDir, { recursive: true, filter: (path) => !/\.(sock|lock)$/.test(path) });
  return { paths: findPaths(dataDir), dispose: () => rmSync(home, { recursive: true, force: true }) };
}

/** Whether anything is another byte than before. */
export function writePage(database: string, page: number, change: (bytes: Buffer) => void): boolean {
  const file = openSync(database, 'r+');
  const bytes = Buffer.alloc(PAGE);
  readSync(file, bytes, 0, PAGE, (page - 1) * PAGE);
  const before = Buffer.from(bytes);
  change(bytes);
  writeSync(file, bytes, 0, PAGE, (page - 1) * PAGE);
  closeSync(file);
  return !before.equals(bytes);
}

export type Dump = Map<string, Map<string, string>>;

/** Every row of every table that is not made of others, by its key. */
export function dumpStore(database: string): Dump {
  const db = new Database(database, { readonly: true });
  try {
    return new Map(ownShapes(db).map((shape) => [shape.name, dumpTable(db, shape)]));
  } finally {
    db.close(true);
  }
}

const ownShapes = (db: Database) => readShapes(db).filter(({ name }) => !/^(words|fragments)_/.test(name));

function dumpTable(db: Database, { name, columns, isIndexed }: Shape): Map<string, string> {
  const key = isIndexed ? '' : 'rowid AS __key, ';
  const names = columns.map((column) => column.name).join(', ');
  const rows = db.query<Record<string, unknown>, []>(`SELECT ${key}${names} FROM ${name}`).all();
  return new Map(rows.map(({ __key, ...row }) => [isIndexed ? JSON.stringify(Object.values(row)) : String(__key), JSON.stringify(row)]));
}

export type PageUse = { table: string; mostRows: number };

/** Of a store that is sound, by SQLite's own account: how many rows of which table each page holds at most. Of an index it is none. */
export function readPageUse(database: string): Map<number, PageUse> {
  const db = new Database(database, { readonly: true });
  try {
    const shapes = new Map(ownShapes(db).map((shape) => [shape.name, shape]));
    type Stat = { pageno: number; name: string; pagetype: string; ncell: number };
    const stats = db.query<Stat, []>('SELECT pageno, name, pagetype, ncell FROM dbstat').all();
    return new Map(
      stats.map(({ pageno, name, pagetype, ncell }) => {
        const shape = shapes.get(name);
        const inRows = pagetype === 'leaf' || shape?.isIndexed ? ncell : 0;
        const mostRows = shape === undefined ? 0 : pagetype === 'overflow' ? 1 : inRows;
        return [pageno, { table: name, mostRows }];
      }),
    );
  } finally {
    db.close(true);
  }
}

/** Details that go with the memory they belong to, and what is made of other rows. */
const DETAILS = new Set(['citations', 'error_marks', 'injections', 'documents', 'dropped_documents']);

export type Difference = { lost: Map<string, number>; changed: string[] };

/** What of `before` is not in `after`, or is another: by table. */
export function compareDumps(before: Dump, after: Dump): Difference {
  const difference: Difference = { lost: new Map(), changed: [] };
  for (const [table, rows] of before) {
    if (DETAILS.has(table)) continue;
    for (const [key, row] of rows) {
      const now = after.get(table)?.get(key);
      const isStandIn = now?.includes('"lost:') === true;
      if (now === undefined || isStandIn) difference.lost.set(table, (difference.lost.get(table) ?? 0) + 1);
      else if (now !== row) difference.changed.push(`${table} ${key}: ${row} is now ${now}`);
    }
  }
  return difference;
}

const MEMORIES = new Set(['observations', 'summaries', 'prompts', 'sessions']);

/** After the repair of one damaged page: how many rows are lost, and what is not as a repair may leave it. */
export function judgeRepair(before: Dump, database: string, use: PageUse, hasBackup: boolean): { lost: number; amiss: string[] } {
  const { lost, changed } = compareDumps(before, dumpStore(database));
  // What relates two memories goes with either.
  if (!hasBackup && MEMORIES.has(use.table)) lost.delete('replacements');
  const total = [...lost.values()].reduce((sum, count) => sum + count, 0);
  const most = hasBackup ? 0 : use.mostRows;
  const others = [...lost.keys()].filter((table) => table !== use.table).map((table) => `rows of ${table} are lost`);
  const tooMany = total > most ? [`${total} rows are lost, and ${most} were on the page`] : [];
  return { lost: total, amiss: [...changed.filter((row) => !isLinked(row)), ...others, ...tooMany] };
}

/** It names a row that is lost, or what neither the hash nor the seal of a memory covers was damaged: the report counts it. */
function isLinked(row: string): boolean {
  const [, table = '', was = '', is = ''] = /^(\w+) \w+: (\{.*\}) is now (\{.*\})$/s.exec(row) ?? [];
  const [before, after] = [JSON.parse(was || '{}'), JSON.parse(is || '{}')];
  const isIntact = isIntactRow(table, after);
  if (isIntact === null) return /"superseded_by":null|"batch_id":null/.test(row);
  return isIntact && before.hash === after.hash && before.seal === after.seal;
}
