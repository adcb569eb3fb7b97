import { describe, expect, test } from 'bun:test';
import { countWaiting, firstOf, nextBatch } from '../../src/search/next-batch.ts';
import type { Interval } from '../../src/store/index/index-models.ts';
import { createFakeDocuments } from './fake-documents.ts';

function withDocuments(count: number, gone: number[] = []) {
  const documents = createFakeDocuments();
  for (let i = 0; i < count; i++) documents.write();
  for (const id of gone) documents.drop(id);
  return documents.source;
}
const at = (low: number, high: number): Interval => ({ low, high });

describe('the next batch', () => {
  const cases: [string, Interval[], number, ReturnType<typeof nextBatch>][] = [
    ['everything, when nothing is covered', [], 30, { ids: range(20, 1), covers: at(1, 20), isNew: false }],
    ['the newest of much', [], 3, { ids: [20, 19, 18], covers: at(18, 20), isNew: false }],
    ['what was just written', [at(1, 18)], 5, { ids: [20, 19], covers: at(19, 20), isNew: true }],
    ['the newest of a flood', [at(1, 10)], 4, { ids: range(20, 17), covers: at(17, 20), isNew: false }],
    ['a gap from its newer end', [at(15, 20), at(1, 5)], 4, { ids: range(14, 11), covers: at(11, 14), isNew: false }],
    ['the rest of a gap', [at(8, 20), at(1, 5)], 4, { ids: [7, 6], covers: at(6, 7), isNew: false }],
    ['what is oldest at last', [at(4, 20)], 9, { ids: [3, 2, 1], covers: at(1, 3), isNew: false }],
    ['nothing', [at(1, 20)], 9, null],
  ];
  test.each(cases)('is %s', (_, covered, limit, expected) => {
    expect(nextBatch(withDocuments(20), covered, limit)).toEqual(expected);
  });

  test('passes over a gap whose documents are gone', () => {
    const source = withDocuments(20, [9, 10]);
    expect(nextBatch(source, [at(11, 20), at(5, 8)], 9)?.ids).toEqual([4, 3, 2, 1]);
    expect(countWaiting(source, [at(11, 20), at(5, 8)])).toBe(4);
  });

  test('covers less when only its first documents are taken', () => {
    const batch = { ids: [7, 6, 3], covers: at(1, 9), isNew: true };
    expect(firstOf(batch, 2)).toEqual({ ids: [7, 6], covers: at(6, 9), isNew: true });
    expect(firstOf(batch, 3)).toEqual(batch);
  });
});

function range(from: number, to: number): number[] {
  return Array.from({ length: from - to + 1 }, (_, i) => from - i);
}
