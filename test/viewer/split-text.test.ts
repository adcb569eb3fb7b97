// How a stored text is taken apart for the page.
import { describe, expect, test } from 'bun:test';
import { splitBlocks, splitCode } from '../../viewer/src/parts/split-text.ts';

const text = (text: string) => ({ kind: 'text' as const, text });
const code = (text: string) => ({ kind: 'code' as const, text });
const list = (...items: string[]) => ({ kind: 'list' as const, items });

describe('code in a line', () => {
  test.each<[string, string]>([
    ['plain', 'plain'],
    ['`a` → `b`', '[a] → [b]'],
    ['say ``a ` b`` so', 'say [a ` b] so'],
    ['one ` alone', 'one ` alone'],
    ['over `two\nlines` it is none', 'over `two\nlines` it is none'],
    ['``` is a fence', '``` is a fence'],
    ['say ```ts const x = 1; ``` so', 'say [const x = 1;] so'],
    ['```npm test```', '[npm test]'],
    ['', ''],
  ])('%j', (given, seen) => {
    const shown = splitCode(given).map((piece) => (piece.isCode ? `[${piece.text}]` : piece.text));
    expect(shown.join('')).toBe(seen);
  });
});

describe('blocks', () => {
  test('a fence is code, without the empty lines around it', () => {
    expect(splitBlocks('Then\n\n```ts\nconst x = 1;\n\n  y();\n```\n\n- done', { withLists: false })).toEqual([
      text('Then'),
      code('const x = 1;\n\n  y();'),
      text('- done'),
    ]);
  });

  test('an empty fence and one that never ends', () => {
    expect(splitBlocks('```\n```', { withLists: true })).toEqual([code('')]);
    expect(splitBlocks('a\n```ts\nb', { withLists: true })).toEqual([text('a\n```ts\nb')]);
  });

  test('lines that begin with a dash are a list, with what stands before and after', () => {
    expect(splitBlocks('Next:\n- one\n\n- two `x`\nThen rest.', { withLists: true })).toEqual([
      text('Next:'),
      list('one', 'two `x`'),
      text('Then rest.'),
    ]);
    expect(splitBlocks('a - b\n-c\n--- d', { withLists: true })).toEqual([text('a - b\n-c\n--- d')]);
  });
});
