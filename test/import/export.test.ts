// Export and import of our own format: nothing is lost on the way, nothing comes twice, nothing unwanted comes in.

import type { Database } from 'bun:sqlite';
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CaptureSettings } from '../../src/capture/judge.ts';
import { eraseMemories } from '../../src/forget/erase.ts';
import { runExport } from '../../src/import/export.ts';
import { runExportImport } from '../../src/import/from-export.ts';
import type { Log } from '../../src/log.ts';
import { correct } from '../../src/memory/edit.ts';
import { countObservations } from '../../src/memory/observations.ts';
import { readRows } from '../../src/memory/read.ts';
import { sayBothHold } from '../../src/memory/replacements.ts';
import { checkDocuments, findAll } from '../store/check-documents.ts';
import { CAPTURE_ALL } from '../support/capture-settings.ts';
import { fillMemory, START } from '../support/full-memory.ts';
import { createControl } from '../support/job-control.ts';
import { openShelf, replaced } from '../support/memories.ts';
import { openNewStore } from '../support/store.ts';

const quiet = () => undefined;
const LOG: Log = { debug: quiet, info: quiet, warn: quiet, error: quiet };
let folder = '';
let opened: Database[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cmem-export-'));
});
afterEach(() => {
  for (const db of opened) db.close(true);
  opened = [];
  rmSync(folder, { recursive: true });
});

const open = (name: string) => {
  const db = openNewStore(join(folder, name));
  opened.push(db);
  return db;
};
const clock = () => START + 40 * 86_400_000;

async function exportTo(db: Database, name: string, more: Record<string, unknown> = {}) {
  const path = join(folder, name);
  const said = await runExport({ db, log: LOG, clock })({ path, ...more }, createControl());
  return { path, said, lines: readFileSync(path, 'utf8').trimEnd().split('\n') };
}

function importFrom(db: Database, path: string, door: Partial<CaptureSettings> = {}, control = createControl()) {
  const deps = { db, settings: () => ({ ...CAPTURE_ALL, ...door }), log: LOG, clock, onStored: () => undefined };
  return runExportImport(deps)({ path, asMine: true }, control);
}

test('a round trip through an empty store gives the same lines', async () => {
  const first = open('first.db');
  fillMemory(first);
  const before = await exportTo(first, 'before.jsonl');
  const second = open('second.db');
  const said = await importFrom(second, before.path);
  const after = await exportTo(second, 'after.jsonl');
  expect(after.lines.slice(1)).toEqual(before.lines.slice(1));
  const header = JSON.parse(before.lines[0] ?? '');
  expect(header).toMatchObject({ 'claude-mem': 'export', version: 1, project: null, since: null });
  expect(header.counts).toEqual({
    ...{ project: 3, session: 2, prompt: 2, turn: 1, observation: 10, summary: 1 },
    ...{ replaced: 1, commit: 1, distrusted: 1, forgotten: 2 },
  });
  expect(said).toEqual(['10 observations, 1 summary, 2 prompts and 1 record of 2 new sessions']);
  const text = (db: Database) => db.query('SELECT record, hash, head_before, head_after FROM turns').all();
  expect(text(second)).toEqual(text(first));
  expect(findAll(second, ['journal']).journal).toContain('prompt 1');
  checkDocuments(second);
});

test('what replaces what makes the round trip, also of turns and summaries, and where both hold', async () => {
  const first = open('first.db');
  const shelf = openShelf(first, '/work/shop', 'session-1');
  const asked = shelf.ask('Keep them for thirty days', START);
  const old = shelf.observe('Keep logs for thirty days', START + 1);
  const summary = shelf.sumUp(START + 2, { request: 'Thirty days' });
  const now = shelf.observe('Keep logs for seven days', START + 3);
  const again = shelf.ask('No, seven', START + 4);
  const maybe = { isCertain: false, why: 'model', madeBy: 'model', words: 'seven' } as const;
  replaced(first, old, now, { words: '30 → 7', at: START + 3 });
  replaced(first, asked, again, { why: 'refused', at: START + 4 });
  replaced(first, summary, now, { ...maybe, at: START + 5 });
  replaced(first, old, again, maybe);
  sayBothHold(first, { kind: 'observation', id: Number(old) }, { kind: 'prompt', id: Number(again.slice(1)) }, START + 6);
  const before = await exportTo(first, 'before.jsonl');
  const second = open('second.db');
  await importFrom(second, before.path);
  expect((await exportTo(second, 'after.jsonl')).lines.slice(1)).toEqual(before.lines.slice(1));
  expect(replaced(second, old, again)).toBe(false);
  expect((await importFrom(second, before.path))[0]).toBe('Nothing in it is new.');
});

test('what an export of 0.1.0 calls superseded is replaced', async () => {
  const first = open('first.db');
  fillMemory(first);
  const { path, lines } = await exportTo(first, 'all.jsonl');
  const older = lines.map((line) => {
    const { kind, ref, by } = JSON.parse(line);
    return kind === 'replaced' ? JSON.stringify({ kind: 'superseded', ref, by }) : line;
  });
  writeFileSync(path, older.join('\n'));
  const second = open('second.db');
  await importFrom(second, path);
  const [mark] = second
    .query<{ id: number }, []>("SELECT id FROM observations WHERE title = 'Retries use a fixed delay'")
    .all()
    .map(({ id }) => readRows(second, [{ kind: 'observation', id }]).get(String(id))?.replacedBy);
  expect(mark).toMatchObject({ isCertain: true, why: 'older version', at: START + 3000 });
});

test('what hung on a made-up session in an older export is of none', async () => {
  const db = open('first.db');
  fillMemory(db);
  db.query("UPDATE observations SET author = 'ann', origin = 'imported' WHERE session_id IS NULL AND id % 2").run();
  const { said, lines } = await exportTo(db, 'all.jsonl');
  expect(said[0]).toBe('10 observations, 1 summary, 2 prompts and 1 record of 2 sessions');
  const standIns = new Map<string, object>();
  const older = lines.map((line) => {
    const { author, ...row } = JSON.parse(line);
    if (row.kind !== 'observation' || row.session !== null) return row;
    const host = author ? `team/${author}` : 'claude-mem';
    const session = `${host}:${row.project}`;
    standIns.set(session, { kind: 'session', session, host, project: row.project, startedAt: row.at, updatedAt: row.at });
    return { ...row, session };
  });
  const [header, ...others] = older;
  header.counts.session += standIns.size;
  const at = others.findIndex(({ kind }) => kind === 'session');
  const path = join(folder, 'older.jsonl');
  const all = [header, ...others.slice(0, at), ...standIns.values(), ...others.slice(at)];
  writeFileSync(path, all.map((line) => JSON.stringify(line)).join('\n'));
  const second = open('second.db');
  const told = await importFrom(second, path);
  expect(told).toEqual([expect.stringMatching(/^10 observations.* of 2 new sessions$/), `${standIns.size} lines were known already`]);
  expect((await exportTo(second, 'again.jsonl')).lines.slice(1)).toEqual(lines.slice(1));
  expect((await importFrom(second, path))[0]).toBe('Nothing in it is new.');
});

test('hidden memories are not in it, and a private prompt is an empty marker', async () => {
  const db = open('first.db');
  fillMemory(db);
  const { lines } = await exportTo(db, 'all.jsonl');
  expect(lines.join('\n')).not.toContain('Nobody is to see this');
  const prompts = lines.map((line) => JSON.parse(line)).filter(({ kind }) => kind === 'prompt');
  expect(prompts.map(({ number, text, isPrivate }) => ({ number, text, isPrivate }))).toEqual([
    { number: 1, text: 'Make the queue survive a crash', isPrivate: false },
    { number: 2, text: '', isPrivate: true },
  ]);
});

test('importing twice adds nothing, and what a person changed meanwhile stays', async () => {
  const first = open('first.db');
  fillMemory(first);
  const { path } = await exportTo(first, 'all.jsonl');
  const second = open('second.db');
  await importFrom(second, path);
  second.query("UPDATE observations SET pinned = 0, outcome = 'failed'").run();
  correct(second, { kind: 'observation', id: 1 }, { title: 'Said anew', narrative: null, facts: [], by: 'user' }, START);
  const count = countObservations(second);
  const [said] = await importFrom(second, path);
  expect(said).toBe('Nothing in it is new.');
  expect(countObservations(second)).toBe(count);
  expect(second.query('SELECT count(*) AS n FROM observations WHERE pinned = 1').get()).toEqual({ n: 0 });
});

test('the memories of two machines become one', async () => {
  const [one, other, both] = [open('one.db'), open('other.db'), open('both.db')];
  const shared = (db: Database) => {
    const shelf = openShelf(db, '/work/shop', 'session-shared');
    shelf.observe('Said on both', START);
    return shelf;
  };
  shared(one).observe('Said on one', START + 1);
  shared(other).observe('Said on the other', START + 2);
  await importFrom(both, (await exportTo(one, 'one.jsonl')).path);
  await importFrom(both, (await exportTo(other, 'other.jsonl')).path);
  const titles = both.query<{ title: string }, []>('SELECT title FROM observations ORDER BY created_at_epoch').all();
  expect(titles.map(({ title }) => title)).toEqual(['Said on both', 'Said on one', 'Said on the other']);
});

test('what was forgotten does not come back by an old export, nor does it on another machine', async () => {
  const [first, second] = [open('first.db'), open('second.db')];
  const shelf = openShelf(first, '/work/shop', 'session-1');
  const id = shelf.observe('The customer is called Zebrowski GmbH', START);
  shelf.observe('Something else', START + 1);
  const old = await exportTo(first, 'old.jsonl');
  first
    .transaction(() => eraseMemories(first, [{ kind: 'observation', id: Number(id) }], { at: START, onPieces: () => undefined }))
    .immediate();
  await importFrom(first, old.path);
  const { path } = await exportTo(first, 'new.jsonl');
  await importFrom(second, path);
  const said = await importFrom(second, old.path);
  for (const db of [first, second]) expect(countObservations(db)).toBe(1);
  expect(said.join('\n')).toContain('left out: 1 that were private, excluded or forgotten');
});

test('the same checks hold: secrets are scrubbed, excluded files and silent projects stay out', async () => {
  const first = open('first.db');
  const shelf = openShelf(first, '/work/shop', 'session-1');
  shelf.observe('The key is in the environment', START, { narrative: `export API_KEY=sk-ant-api03-${'a1B2'.repeat(20)}AA` });
  shelf.observe('Read the customers', START + 1, { filesRead: ['private/customers.csv'] });
  openShelf(first, '/work/quiet', 'session-2').observe('Not to be kept', START + 2);
  const { path } = await exportTo(first, 'all.jsonl');
  const second = open('second.db');
  await importFrom(second, path, { excludePaths: ['private/**'], projects: { quiet: { off: true } }, off: false });
  const rows = second.query<{ title: string; narrative: string }, []>('SELECT title, narrative FROM observations').all();
  expect(rows.map(({ title }) => title)).toEqual(['The key is in the environment']);
  expect(rows[0]?.narrative).not.toContain('a1B2a1B2');
  expect(second.query("SELECT 1 FROM sessions WHERE host_session_id = 'session-2'").get()).toBeNull();
});

test('damaged and foreign lines are told by their number and stop nothing', async () => {
  const first = open('first.db');
  fillMemory(first);
  const { path, lines } = await exportTo(first, 'all.jsonl');
  const broken = [...lines];
  broken.splice(3, 0, '{"kind":"observation","session":', '[1,2]', '{"kind":"what"}', '', '{"kind":"prompt","text":7}');
  broken.splice(8, 0, JSON.stringify({ kind: 'prompt', text: 'x'.repeat(5 * 1024 * 1024) }));
  broken.push(JSON.stringify({ kind: 'observation', session: 'nowhere', project: '/work/shop', at: '2026-01-01' }));
  const bytes = Buffer.concat([Buffer.from(`${broken.join('\n')}\n`), Buffer.from([0xff, 0xfe, 0x0a])]);
  writeFileSync(path, bytes);
  const second = open('second.db');
  const said = await importFrom(second, path);
  expect(said[0]).toBe('10 observations, 1 summary, 2 prompts and 1 record of 2 new sessions');
  expect(said[1]).toBe('7 lines could not be read:');
  expect(said.slice(2, 9).map((line) => line.trim().split(':')[0])).toEqual([
    ...['line 4', 'line 5', 'line 6', 'line 8', 'line 9'],
    ...[`line ${broken.length}`, `line ${broken.length + 1}`],
  ]);
});

test('a file that was cut off says so, and what is in it is there', async () => {
  const first = open('first.db');
  fillMemory(first);
  const { path } = await exportTo(first, 'all.jsonl');
  const bytes = readFileSync(path);
  writeFileSync(path, bytes.subarray(0, Math.floor(bytes.length * 0.7)));
  const second = open('second.db');
  const said = await importFrom(second, path);
  expect(said.at(-1)).toMatch(/^The file ends early: \d+ lines/);
  expect(countObservations(second)).toBeGreaterThan(2);
});

test('a newer format and a file of something else are refused, and change nothing', async () => {
  const db = open('first.db');
  const path = join(folder, 'strange.jsonl');
  writeFileSync(path, '{"claude-mem":"export","version":2}\n{"kind":"project","key":"k","name":"n","at":"2026-01-01"}\n');
  expect(importFrom(db, path)).rejects.toThrow('written by a newer claude-mem (format 2, this one knows 1)');
  writeFileSync(path, '{"type":"user"}\n');
  expect(importFrom(db, path)).rejects.toThrow('is not an export of claude-mem');
  expect(importFrom(db, join(folder, 'missing'))).rejects.toThrow('There is no file');
  expect(db.query('SELECT count(*) AS n FROM projects').get()).toEqual({ n: 0 });
});

test('an export is for its owner alone, is there whole or not at all, and overwrites nothing', async () => {
  const db = open('first.db');
  fillMemory(db);
  const { path } = await exportTo(db, 'all.jsonl');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(exportTo(db, 'all.jsonl')).rejects.toThrow('is there already');
  await exportTo(db, 'all.jsonl', { force: true });
  const control = createControl(() => control.abort());
  const target = join(folder, 'never.jsonl');
  expect(await runExport({ db, log: LOG, clock })({ path: target }, control)).toEqual(['Nothing was written.']);
  expect(existsSync(target)).toBe(false);
  expect(readdirSync(folder).filter((name) => name.includes('part'))).toEqual([]);
});

test('only one project, and only since then', async () => {
  const db = open('first.db');
  fillMemory(db);
  const kinds = (lines: string[]) => lines.slice(1).map((line) => JSON.parse(line));
  const shop = kinds((await exportTo(db, 'shop.jsonl', { project: 'shop' })).lines);
  expect(new Set(shop.flatMap(({ project }) => project ?? []))).toEqual(new Set(['/work/shop']));
  expect(shop.filter(({ kind }) => kind === 'observation')).toHaveLength(8);
  expect(shop.some(({ kind }) => kind === 'forgotten')).toBe(false);
  const late = await exportTo(db, 'late.jsonl', { since: new Date(START + 9000).toISOString() });
  expect(kinds(late.lines).filter(({ kind }) => kind === 'observation')).toHaveLength(2);
  expect(exportTo(db, 'x.jsonl', { project: 'nothing' })).rejects.toThrow('No project is called');
});

const MANY_SESSIONS = process.env.CLAUDE_MEM_TEST_FULL ? 200 : 20;
const MANY = MANY_SESSIONS * 100;

test(`${MANY} observations go out and in, in little memory and in small slices, and an import that is cut off goes on`, async () => {
  const first = open('first.db');
  const words = 'queue retry backoff server token cache index session worker hook spool commit'.split(' ');
  first
    .transaction(() => {
      for (let session = 0; session < MANY_SESSIONS; session++) {
        const shelf = openShelf(first, `/work/project-${session % 7}`, `session-${session}`);
        for (let at = 0; at < 100; at++)
          shelf.observe(`${words[(at * 7 + session) % 12]} ${words[at % 12]} number ${at} of ${session}`, START + at, {
            narrative: `${words[(at + session) % 12]} `.repeat(40),
          });
      }
    })
    .immediate();
  const before = await exportTo(first, 'before.jsonl');
  const second = open('second.db');
  let pauses = 0;
  const control = createControl(() => {
    pauses++;
    if (pauses === 10) control.abort();
  });
  Bun.gc(true);
  const rss = process.memoryUsage().rss;
  await importFrom(second, before.path, {}, control);
  const part = countObservations(second);
  expect(part).toBeGreaterThan(0);
  expect(part).toBeLessThan(MANY);
  const rest = createControl();
  await importFrom(second, before.path, {}, rest);
  expect((process.memoryUsage().rss - rss) / 1e6).toBeLessThan(150);
  const after = await exportTo(second, 'after.jsonl');
  // A head, seven projects, and a line for each session.
  expect(after.lines.length).toBe(MANY + MANY_SESSIONS + 8);
  expect(Bun.hash(after.lines.slice(1).join('\n'))).toBe(Bun.hash(before.lines.slice(1).join('\n')));
  expect(rest.longestHold()).toBeLessThan(200);
});

test('commits that say the same at the same moment are two, by their hashes', async () => {
  const db = open('first.db');
  const shop = openShelf(db, '/home/dev/shop', 'git:shop');
  for (const hash of ['a'.repeat(40), 'b'.repeat(40)]) {
    const id = shop.observe('Write the parser', START, { origin: 'commit' });
    db.query('UPDATE observations SET commit_hash = ? WHERE id = ?').run(hash, Number(id));
    db.query('INSERT INTO commits (project_id, hash, observation_id, author_at_epoch) VALUES (?, ?, ?, ?)').run(
      ...[shop.projectId, hash, Number(id), START],
    );
  }
  const { path, lines } = await exportTo(db, 'all.jsonl');
  const second = open('second.db');
  await importFrom(second, path);
  expect((await exportTo(second, 'again.jsonl')).lines.slice(1)).toEqual(lines.slice(1));
  await importFrom(second, path);
  expect(countObservations(second)).toBe(2);
});
