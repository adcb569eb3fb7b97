// The rows of the feed: in order of time, by day, without what is gone.
import { describe, expect, test } from 'bun:test';
import type { Memory } from '../../src/core/shapes/memory.ts';
import { insertByTime } from '../../viewer/src/pages/feed/insert-by-time.ts';
import { makeRows, NO_ROWS, type Row } from '../../viewer/src/pages/feed/rows.ts';

const at = (day: number, hour: number) => new Date(2026, 2, day, hour).getTime();

const memory = (id: string, time: number): Memory => ({
  id,
  kind: 'observation',
  type: 'change',
  title: id,
  at: time,
  project: 'shop',
  session: 's',
  file: null,
  tokens: 1,
  outcome: null,
  isFromOutside: false,
  replacedBy: null,
  subtitle: null,
  narrative: null,
  facts: [],
  concepts: [],
  filesRead: [],
  filesModified: [],
  branch: null,
  promptNumber: null,
  summary: null,
  text: null,
  turn: null,
  record: null,
});

const nameOf = (row: Row) => (row.kind === 'day' ? new Date(row.day).getDate() : row.key);

const keys = (items: Memory[], gone: string[] = []) => makeRows(NO_ROWS, items, new Set(gone)).rows.map(nameOf);

describe('rows of the feed', () => {
  const items = [memory('4', at(3, 9)), memory('3', at(3, 0)), memory('2', at(2, 23)), memory('1', at(1, 12))];

  test('have a heading before the first of each day', () => {
    expect(keys(items)).toEqual([3, '4', '3', 2, '2', 1, '1']);
  });

  test('have no heading for a day of which everything is gone', () => {
    expect(keys(items, ['2', '4'])).toEqual([3, '3', 1, '1']);
  });

  test('keep their keys when something comes before them', () => {
    const before = makeRows(NO_ROWS, items, new Set());
    const known = new Set(before.rows.map(({ key }) => key));
    const after = makeRows(before, [memory('5', at(3, 10)), ...items], before.gone);
    expect(after.rows.map(({ key }) => key).filter((key) => !known.has(key))).toEqual(['5']);
  });

  test('are the same whether the list came at once or page by page', () => {
    for (const cut of [1, 2, 3]) {
      const first = makeRows(NO_ROWS, items.slice(0, cut), new Set(['2']));
      expect(makeRows(first, items, first.gone).rows.map(nameOf)).toEqual(keys(items, ['2']));
    }
  });

  test('are made anew when something comes into the middle', () => {
    const first = makeRows(NO_ROWS, items, new Set());
    const late = insertByTime(items, memory('x', at(2, 8)));
    expect(makeRows(first, late, first.gone).rows.map(nameOf)).toEqual([3, '4', '3', 2, '2', 'x', 1, '1']);
  });
});

describe('a memory that comes live', () => {
  const ids = (all: readonly Memory[]) => all.map(({ id }) => id);
  const items = [memory('3', 300), memory('2', 200), memory('1', 100)];

  test('goes to the top when it is the newest', () => {
    expect(ids(insertByTime(items, memory('4', 400)))).toEqual(['4', '3', '2', '1']);
  });

  test('goes where its time is when it is late', () => {
    expect(ids(insertByTime(items, memory('x', 150)))).toEqual(['3', '2', 'x', '1']);
  });

  test('goes before others of the same time, for it came after them', () => {
    expect(ids(insertByTime(items, memory('x', 200)))).toEqual(['3', 'x', '2', '1']);
  });
});
