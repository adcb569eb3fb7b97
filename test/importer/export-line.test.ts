// What a line of an export needs, as docs/export.md says it, and nothing else.
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LINE_KINDS } from '../../src/core/export.ts';
import { readExportLine } from '../../src/importer/export-line.ts';

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
  at: '2026-01-02T10:00:00.000Z',
  startedAt: '2026-01-02T10:00:00.000Z',
  updatedAt: '2026-01-02T10:00:00.000Z',
};

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

test.each([...LINE_KINDS])('%s needs what the page says', (kind) => {
  const needs = readNeeds().get(kind) ?? [];
  const line = Object.fromEntries([['kind', kind], ...needs.map((name) => [name, EXAMPLES[name]])]);
  expect(readExportLine(JSON.stringify(line))).toMatchObject({ kind: 'line' });
  for (const name of needs) {
    const { [name]: _, ...less } = line;
    expect({ without: name, ...readExportLine(JSON.stringify(less)) }).toMatchObject({ kind: 'bad' });
  }
});
