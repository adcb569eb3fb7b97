// Records of turns in an export: they come back to their own person, without what is private, excluded or forgotten here.

import type { Database } from 'bun:sqlite';
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CaptureSettings } from '../../src/capture/judge.ts';
import { eraseMemories } from '../../src/forget/erase.ts';
import { runExport } from '../../src/import/export.ts';
import { runExportImport } from '../../src/import/from-export.ts';
import type { Log } from '../../src/log.ts';
import { hideMemories } from '../../src/memory/hide.ts';
import type { TurnRecord } from '../../src/turns/record.ts';
import { expireRecords, putTurn } from '../../src/turns/turns.ts';
import { checkDocuments } from '../store/check-documents.ts';
import { CAPTURE_ALL } from '../support/capture-settings.ts';
import { createControl } from '../support/job-control.ts';
import { openShelf } from '../support/memories.ts';
import { openNewStore } from '../support/store.ts';

const AT = Date.parse('2026-03-02T09:00:00Z');
const quiet = () => undefined;
const log: Log = { debug: quiet, info: quiet, warn: quiet, error: quiet };
let folder = '';
let opened: Database[] = [];
let db: Database;
let path = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cmem-records-'));
  path = join(folder, 'all.jsonl');
  db = open('first.db');
});
afterEach(() => {
  for (const one of opened) one.close(true);
  opened = [];
  rmSync(folder, { recursive: true });
});

function open(name: string): Database {
  const store = openNewStore(join(folder, name));
  opened.push(store);
  return store;
}

const RECORD: TurnRecord = {
  steps: [
    { kind: 'said', text: 'The list is the cause.\n\nThe customer is called Zebrowski GmbH, and nobody else may know.' },
    { kind: 'ran', command: 'cat secret/plan.txt', isOk: true, output: 'the excluded plan' },
    { kind: 'edited', file: 'secret/plan.txt', isNew: false, added: 1, removed: 0, diff: '+the excluded line' },
    { kind: 'ran', command: 'bun test', isOk: true, output: '3 pass' },
  ],
  closing: 'The list is sorted now.',
};

function addTurn(): { promptId: number; sessionId: number } {
  const shelf = openShelf(db, '/work/shop', 'session-1');
  const prompt = shelf.ask('Sort the list', AT);
  const place = { sessionId: shelf.sessionId, promptNumber: 1, branch: null, head: null };
  putTurn(db, { ...place, startedAt: AT, endedAt: AT + 5 }, RECORD);
  return { promptId: Number(prompt.slice(1)), sessionId: shelf.sessionId };
}

const exportAll = async (since: Database = db) => {
  const said = await runExport({ db: since, log, clock: Date.now })({ path, force: true }, createControl());
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  return { said, turns: lines.map((line) => JSON.parse(line)).filter(({ kind }) => kind === 'turn') };
};

function importInto(store: Database, { door = {}, asMine = true }: { door?: Partial<CaptureSettings>; asMine?: boolean } = {}) {
  const deps = { db: store, settings: () => ({ ...CAPTURE_ALL, ...door }), log, clock: Date.now, onStored: quiet };
  return runExportImport(deps)({ path, asMine }, createControl());
}

const recordsOf = (store: Database) =>
  store
    .query<{ record: string }, []>('SELECT record FROM turns')
    .all()
    .map(({ record }) => record);

test('a record is restored once, and what is there stays as it is', async () => {
  addTurn();
  await exportAll();
  const second = open('second.db');
  expect((await importInto(second))[0]).toBe('0 observations, 0 summaries, 1 prompt and 1 record of 1 new session');
  expect(recordsOf(second)).toEqual(recordsOf(db));
  expect((await importInto(second))[0]).toBe('Nothing in it is new.');
  // One that had expired comes back.
  second.transaction(() => expireRecords(second, AT + 1000, 10)).immediate();
  await importInto(second);
  expect(recordsOf(second)).toEqual(recordsOf(db));
  checkDocuments(second);
});

test('somebody else’s file brings no record: it would speak for this person', async () => {
  addTurn();
  await exportAll();
  const second = open('second.db');
  const said = await importInto(second, { asMine: false });
  expect(recordsOf(second)).toEqual([]);
  expect(said.join('\n')).toContain('that only their own person may say (prompts, records, summaries, marks)');
});

test('excluded steps, private words and secrets stay out', async () => {
  addTurn();
  await exportAll();
  const secret = ['ghp', 'aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xYz1A2'].join('_');
  const text = readFileSync(path, 'utf8').replace('The list is the cause.', `<private>hush</private> the key ${secret}`);
  writeFileSync(path, text);
  const second = open('second.db');
  await importInto(second, { door: { excludePaths: ['secret/**'] } });
  const [record = ''] = recordsOf(second);
  for (const gone of ['secret/plan', 'excluded plan', 'excluded line', 'hush', secret])
    expect([gone, record.includes(gone)]).toEqual([gone, false]);
  expect(record).toContain('bun test');
  expect(record).toContain('3 pass');
});

test('what was forgotten here does not come back: a paragraph, or the turn with its prompt', async () => {
  addTurn();
  await exportAll();
  const erase = (store: Database, ref: { kind: 'observation' | 'prompt'; id: number }) =>
    store.transaction(() => eraseMemories(store, [ref], { at: AT, onPieces: quiet })).immediate();
  const second = open('second.db');
  const shelf = openShelf(second, '/work/shop', 'elsewhere');
  const said = shelf.observe('The customer is called Zebrowski GmbH, and nobody else may know.', AT);
  erase(second, { kind: 'observation', id: Number(said) });
  await importInto(second);
  expect(recordsOf(second).join()).toContain('The list is the cause.');
  expect(recordsOf(second).join()).not.toContain('Zebrowski');

  const third = open('third.db');
  await importInto(third);
  erase(third, { kind: 'prompt', id: 1 });
  third.transaction(() => expireRecords(third, AT + 1000, 10)).immediate();
  const again = await importInto(third);
  expect(recordsOf(third)).toEqual([]);
  expect(again.join('\n')).toContain('that were private, excluded or forgotten');
});

test('of a turn with something hidden, or a damaged record, none is exported, and that is said', async () => {
  const { sessionId } = addTurn();
  db.query("UPDATE turns SET record = record || 'x'").run();
  const damaged = await exportAll();
  expect(damaged.turns).toEqual([]);
  expect(damaged.said.join('\n')).toContain('1 memory left out');
  putTurn(db, { sessionId, promptNumber: 1, startedAt: AT, endedAt: AT, branch: null, head: null }, RECORD);
  expect((await exportAll()).turns).toHaveLength(1);
  const shelf = openShelf(db, '/work/shop', 'session-1');
  hideMemories(db, [{ kind: 'observation', id: Number(shelf.observe('Hide me', AT)) }], AT);
  expect((await exportAll()).turns).toEqual([]);
});
