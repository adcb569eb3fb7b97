// Phrases of a table: looked for without a pattern, they are found where the pattern finds them.
import { expect, test } from 'bun:test';
import { readPhrases, readPhraseTest } from '../../src/core/phrases.ts';

const TABLE = "# comment\nen.ask what's next, still open\nde.ask was fehlt\nzh.ask 还没做\nen.other never";
const TEXTS = [
  'so, what’s next?',
  'whats next',
  'what is next',
  'is it still open',
  'still opened',
  'astill open',
  'was fehlt_',
  'é was fehlt 😀',
  '𝒂was fehlt',
  '这个还没做完',
  'never',
  '',
];

test('a phrase is whole words, with any apostrophe or none, or anywhere where a script has no blanks', () => {
  const [patternOf, holds] = [readPhrases(TABLE, 'u'), readPhraseTest(TABLE)];
  const found = TEXTS.filter((text) => holds('ask', text));
  expect(found).toEqual(['so, what’s next?', 'whats next', 'is it still open', 'é was fehlt 😀', '这个还没做完']);
  expect(found).toEqual(TEXTS.filter((text) => patternOf('ask').test(text)));
  expect(TEXTS.some((text) => holds('nothing', text))).toBe(false);
});
