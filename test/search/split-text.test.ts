import { describe, expect, test } from 'bun:test';
import { splitText } from '../../src/search/split-text.ts';
import { MAX_PARTS } from '../../src/store/index/vector-keys.ts';

describe('a text', () => {
  test.each([
    ['', []],
    ['  \n ', []],
    [' Short \n', ['Short']],
    ['x'.repeat(900), ['x'.repeat(900)]],
  ])('that is short is one part, and none without a word: %j', (text, parts) => {
    expect(splitText(text)).toEqual(parts);
  });

  const cases: [string, string][] = [
    ['paragraphs', `Title\n\n${'One line of a paragraph that goes on.\nAnd another.\n\n'.repeat(60)}`],
    ['sentences', `Title\n${'This is said at some length. '.repeat(120)}`],
    ['words', `Title\n${'word '.repeat(700)}`],
    ['nothing to split at', `Title\n${'x'.repeat(5000)}`],
    ['Japanese', `題名\n${'これは長い文章です。'.repeat(300)}`],
    ['pairs of surrogates', `Title\n${'😀'.repeat(2000)}`],
    ['one endless line', 'y'.repeat(100_000)],
  ];
  test.each(cases)('that is long comes in parts of some length, each under its title: %s', (_, text) => {
    const parts = splitText(text);
    const title = text.split('\n', 1)[0]?.slice(0, 120) ?? '';
    expect(parts.length).toBeGreaterThan(1);
    expect(parts.length).toBeLessThanOrEqual(MAX_PARTS);
    for (const part of parts) {
      expect(part.length).toBeLessThanOrEqual(900);
      expect(part).toStartWith(title);
      expect(part.isWellFormed()).toBe(true);
    }
  });

  test('loses no sentence on the way', () => {
    const sentences = Array.from({ length: 80 }, (_, i) => `Sentence number ${i} says something.`);
    const joined = splitText(`Title\n${sentences.join(' ')}`).join('\n');
    for (const sentence of sentences) expect(joined).toContain(sentence);
  });
});
