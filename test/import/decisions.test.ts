// Decisions as Markdown: one file for each topic, the same bytes for the same decisions, and nobody else's file is touched.
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runExport } from '../../src/import/export.ts';
import type { Log } from '../../src/log.ts';
import { markWrong } from '../../src/memory/edit.ts';
import { hideMemories } from '../../src/memory/hide.ts';
import { createControl } from '../support/job-control.ts';
import { openShelf, replaced, type Shelf } from '../support/memories.ts';
import { createTestStore, type TestStore } from '../support/store.ts';

const quiet = () => undefined;
const LOG: Log = { debug: quiet, info: quiet, warn: quiet, error: quiet };
const AT = Date.parse('2026-01-02T23:30:00Z');
const DAY = 86_400_000;
let store: TestStore;
let shop: Shelf;
let folder = '';

beforeEach(() => {
  store = createTestStore();
  folder = mkdtempSync(join(tmpdir(), 'cmem-decisions-'));
  shop = openShelf(store.db, '/work/shop', 'session-1');
});
afterEach(() => {
  store.close();
  rmSync(folder, { recursive: true });
});

const decide = (title: string, at: number, more = {}) => shop.observe(title, at, { type: 'decision', ...more });
const run = (target = folder, project = 'shop') =>
  runExport({ db: store.db, log: LOG, clock: Date.now })({ decisions: target, project }, createControl());
const read = (name: string) => readFileSync(join(folder, name), 'utf8');

test('one file for each topic, with what replaced what', async () => {
  const old = decide('Retry the queue with a fixed delay', AT, { narrative: 'It is simple.\n# not a heading <b>' });
  const now = decide('Exponential backoff from now on', AT + DAY, {
    narrative: 'The server was hammered.',
    facts: [{ text: 'It begins at 1 s', sources: [] }],
    filesModified: ['src/queue.ts'],
    outcome: 'passed',
  });
  replaced(store.db, old, now);
  decide('Retry the queue at most five times', AT + 2 * DAY);
  decide('Tokens are never logged', AT + 3 * DAY);
  shop.observe('Not a decision', AT);
  const said = await run();
  expect(said[0]).toBe(`4 decisions of shop on 2 topics in ${folder}`);
  expect(readdirSync(folder).sort()).toEqual(['retry-queue-fixed-delay.md', 'tokens-never-logged.md']);
  const [mark, ...page] = read('retry-queue-fixed-delay.md').split('\n');
  expect(mark).toMatch(/^<!-- claude-mem decisions [0-9a-f]{16}: .* -->$/);
  expect(page.join('\n')).toBe(`
# Retry the queue with a fixed delay

## ~~2026-01-02 · Retry the queue with a fixed delay~~

Replaced by: Exponential backoff from now on (2026-01-03)

It is simple.
\\# not a heading \\<b>

## 2026-01-03 · Exponential backoff from now on

The server was hammered.

- It begins at 1 s

Files: \`src/queue.ts\`

Outcome: passed

## 2026-01-04 · Retry the queue at most five times
`);
});

test('a new decision changes its own file alone, at its end', async () => {
  decide('Retry the queue with a fixed delay', AT);
  decide('Tokens are never logged', AT + 1);
  await run();
  const [before, other] = [read('retry-queue-fixed-delay.md'), statSync(join(folder, 'tokens-never-logged.md'))];
  decide('Retry the queue with a delay of 5 s', AT + DAY);
  expect((await run())[1]).toBe('1 files written, 1 as they were, 0 removed');
  expect(read('retry-queue-fixed-delay.md')).toStartWith(before);
  expect(statSync(join(folder, 'tokens-never-logged.md')).mtimeMs).toBe(other.mtimeMs);
});

test('what may not be told is not in it, and the file of a topic that is gone goes', async () => {
  const wrong = decide('The cache is shared by all users', AT);
  const hidden = decide('The customer pays in Zloty', AT + 1);
  decide('From the web: disable every check', AT + 2, { origin: 'web' });
  decide('Tokens are never logged', AT + 3);
  await run();
  expect(readdirSync(folder)).toHaveLength(3);
  markWrong(store.db, Number(wrong), AT);
  hideMemories(store.db, [{ kind: 'observation', id: Number(hidden) }], AT);
  expect((await run())[1]).toBe('0 files written, 1 as they were, 2 removed');
  expect(readdirSync(folder)).toEqual(['tokens-never-logged.md']);
});

test('files of somebody else, and of another project, stay as they are', async () => {
  const own = '# My own notes\n';
  writeFileSync(join(folder, 'tokens-never-logged.md'), own);
  writeFileSync(join(folder, 'README.md'), own);
  mkdirSync(join(folder, 'retry-queue.md'));
  symlinkSync(join(folder, 'README.md'), join(folder, 'ports-fixed.md'));
  openShelf(store.db, '/work/other', 'session-2').observe('Of another project', AT, { type: 'decision' });
  await run(folder, 'other');
  for (const title of ['Tokens are never logged', 'Retry the queue', 'Ports are fixed']) decide(title, AT);
  await run();
  await run();
  expect(readdirSync(folder).sort()).toEqual([
    ...['README.md', 'another-project.md', 'ports-fixed-2.md', 'ports-fixed.md', 'retry-queue-2.md', 'retry-queue.md'],
    ...['tokens-never-logged-2.md', 'tokens-never-logged.md'],
  ]);
  expect(read('tokens-never-logged.md')).toBe(own);
  expect(read('README.md')).toBe(own);
});

test('the folder is made, and one that is a file is refused', async () => {
  decide('Tokens are never logged', AT);
  await run(join(folder, 'docs', 'decisions'));
  expect(readdirSync(join(folder, 'docs', 'decisions'))).toEqual(['tokens-never-logged.md']);
  writeFileSync(join(folder, 'file'), '');
  expect(run(join(folder, 'file'))).rejects.toThrow('is not a folder');
});
