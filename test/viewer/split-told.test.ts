// The text that a session is told, cut into its records for the viewer.
import { describe, expect, test } from 'bun:test';
import type { ToldRecord } from '../../src/core/shapes/context.ts';
import { splitTold } from '../../viewer/src/pages/preview/split-told.ts';

const record = (id: string, text: string): ToldRecord => ({
  id,
  kind: 'observation',
  section: 'index',
  text,
  tokens: 3,
  freshness: null,
  replaced: [],
  lastGivenAt: null,
  why: [],
  value: 1,
});

describe('splitTold', () => {
  test('keeps every line in its place', () => {
    const text = '<memory>\nNotes.\n\n## Most useful\n#1 a\n  more\n#2 b\n## More\n#3 c\n</memory>';
    const parts = splitTold(text, [record('1', '#1 a\n  more'), record('2', '#2 b'), record('3', '#3 c')]);
    expect(parts.map((part) => part.text).join('\n')).toBe(text);
    expect(parts.map((part) => part.record?.id ?? null)).toEqual([null, '1', '2', null, '3', null]);
  });

  test('tells apart records that say the same', () => {
    const parts = splitTold('#9 step\n#9 step', [record('9', '#9 step'), record('9', '#9 step')]);
    expect(parts.map((part) => part.text)).toEqual(['#9 step', '#9 step']);
    expect(parts.every((part) => part.record !== null)).toBe(true);
  });

  test('shows the text also when a record is not found in it', () => {
    const parts = splitTold('all of it', [record('1', 'something else')]);
    expect(parts).toEqual([{ text: 'all of it', record: null }]);
  });
});
