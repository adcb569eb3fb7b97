// What a line of an export needs, as docs/export.md says it, and nothing else.

import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LINE_KINDS } from '../../src/core/shapes/export.ts';
import { runExportImport } from '../../src/import/from-export.ts';
import { openStore } from '../../src/store/open.ts';
import { CAPTURE_ALL } from '../support/capture-settings.ts';
import { createControl } from '../support/job-control.ts';

const AT = '2026-01-02T10:00:00.000Z';
const EXAMPLES: Record<string, unknown> = {
  key: 'github.com/acme/shop',
  name: 'shop',
  session: 's1',
  project: 'github.com/acme/shop',
  host: 'claude-code',
  number: 1,
  text: 'Go on',
  record: '── closing\nDone.',
  endedAt: '2026-01-02T10:05:00.000Z',
  ref: 1,
  by: 2,
  hash: 'abcdef1',
  source: 'origin:web',
  what: 'text',
  at: AT,
  startedAt: AT,
  updatedAt: AT,
};

const folder = mkdtempSync(join(tmpdir(), 'cmem-line-'));
const db = openStore(join(folder, 'memory.db'));
afterAll(() => {
  db.close(true);
  rmSync(folder, { recursive: true });
});

/** The numbers of the lines that could not be read, of which the header is the first. */
async function listUnreadable(lines: object[]): Promise<number[]> {
  const path = join(folder, 'lines.jsonl');
  const header = { 'claude-mem': 'export', version: 1 };
  writeFileSync(path, [header, ...lines].map((line) => `${JSON.stringify(line)}\n`).join(''));
  const quiet = () => undefined;
  const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };
  const deps = { db, settings: () => CAPTURE_ALL, log, clock: () => Date.parse(AT), onStored: quiet };
  const said = await runExportImport(deps)({ path, asMine: true }, createControl());
  return said.flatMap((line) => /^ {2}line (\d+): /.exec(line)?.slice(1).map(Number) ?? []);
}

/** Of the table under "these fields it needs". */
function readNeeds(): Map<string, string[]> {
  const page = readFileSync(join(import.meta.dir, '../../docs/export.md'), 'utf8');
  const rows = page.split('these fields it needs')[1]?.split('\n\n')[1]?.split('\n').slice(2) ?? [];
  const words = (cell = '') => [...cell.matchAll(/`(\w+)`/g)].map(([, word = '']) => word);
  return new Map(
    rows.flatMap((row) => {
      const [, kinds, needs] = row.split('|');
      return words(kinds).map((kind) => [kind, words(needs)] as const);
    }),
  );
}

const needs = readNeeds();
const lineOf = (kind: string) => Object.fromEntries([['kind', kind], ...(needs.get(kind) ?? []).map((name) => [name, EXAMPLES[name]])]);

test.each(LINE_KINDS)('%s needs what the page says', async (kind) => {
  const around = [lineOf('project'), lineOf('session')];
  const whole = lineOf(kind);
  const lacking = (needs.get(kind) ?? []).map((name) => {
    const { [name]: _, ...less } = whole;
    return less;
  });
  expect(lacking.length).toBeGreaterThan(0);
  expect(await listUnreadable([...around, whole, ...lacking])).toEqual(lacking.map((_, at) => at + 5));
});
