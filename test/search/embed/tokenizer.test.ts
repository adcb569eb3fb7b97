// Word pieces as BERT makes them, whatever the text.
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTokenizer } from '../../../src/search/embed/tokenizer.ts';
import { cpuMs } from '../../support/cpu-time.ts';
import { ASSETS } from './assets.ts';

const vocabulary = readFileSync(join(ASSETS, 'vocabulary.txt'), 'utf8');
const pieces = vocabulary.split('\n');
const tokenizer = createTokenizer(vocabulary);

function split(text: string, maxTokens = 254): string {
  return tokenizer
    .tokenize(text, maxTokens)
    .map((id) => pieces[id])
    .join(' ');
}

test.each([
  ['plain words', 'Hello World', 'hello world'],
  ['pieces of a word', 'unaffable embeddings', 'una ##ffa ##ble em ##bed ##ding ##s'],
  ['accents', 'Héllo naïve café', 'hello naive cafe'],
  ['accents that are characters of their own', 'cafe\u0301', 'cafe'],
  ['punctuation', "don't(a+b)=c_d;", "don ' t ( a + b ) = c _ d ;"],
  ['punctuation of other scripts', '«bon»…', '« bon » …'],
  ['ideographs', '中国人 ok', '中 国 人 ok'],
  ['an emoji', 'fine 🙂 thanks', 'fine [UNK] thanks'],
  ['a family of emojis', '👩‍👩‍👧', '[UNK]'],
  ['control characters', 'a\u0000b\u0007c\u200bd\ufffde', 'abc ##de'],
  ['blanks of every kind', 'one\ttwo\r\nthree\u00a0four\u3000five', 'one two three four five'],
  ['half of a surrogate pair', 'a\ud800b', 'ab'],
  ['names of special tokens', '[CLS] [MASK]', '[ cl ##s ] [ mask ]'],
  ['a name of a continued piece', '##ing', '# # ing'],
  ['names of object properties', 'constructor __proto__', 'construct ##or _ _ proto _ _'],
  ['nothing', '', ''],
  ['only blanks', ' \n ', ''],
])('splits %s', (_, text, expected) => {
  expect(split(text)).toBe(expected);
});

test('a word of more than a hundred characters is unknown as a whole', () => {
  expect(split(`before ${'a'.repeat(101)} after`)).toBe('before [UNK] after');
  expect(split('b'.repeat(100))).not.toBe('[UNK]');
  expect(split('𝒳'.repeat(60))).toBe('[UNK]');
});

test('stops at the most tokens that are wanted', () => {
  expect(split('one two three embeddings', 5)).toBe('one two three em ##bed');
});

test.each([
  ['words', 'the quick brown fox '.repeat(50_000)],
  ['one endless word', 'x'.repeat(1_000_000)],
  ['blanks', ' '.repeat(1_000_000)],
  ['signs', '}'.repeat(1_000_000)],
  ['accents', 'é\u0301'.repeat(500_000)],
  ['words without a known piece', `${'ⴰ'.repeat(99)} `.repeat(10_000)],
])('a megabyte of %s is split within 100 ms', (_, text) => {
  tokenizer.tokenize(text.slice(0, 1000), 254);
  expect(cpuMs(() => tokenizer.tokenize(text, 254))).toBeLessThan(100);
});
