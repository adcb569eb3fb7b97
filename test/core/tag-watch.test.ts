// A tag in a long string is seen in pieces, too: wherever it is cut, in whatever disguise, and in time that grows with the text only.
import { describe, expect, test } from 'bun:test';
import { createTagWatch, stripPrivate } from '../../src/core/privacy.ts';
import { cpuMs } from '../support/cpu-time.ts';
import { HOSTILE_UNITS, hostileText, mixedTexts } from './hostile-text.ts';
import { seededRandom } from './seeded-random.ts';

const never = () => false;

/** The string as it stands in JSON, without its quotes. */
const jsonOf = (text: string) => Buffer.from(JSON.stringify(text).slice(1, -1));

function isSeen(pieces: Buffer[], isOver = never): boolean {
  return pieces.map(createTagWatch(isOver)).at(-1) ?? false;
}

const cutAt = (bytes: Buffer, places: number[]): Buffer[] => {
  const all = [0, ...places.toSorted((a, b) => a - b), bytes.length];
  return all.slice(1).map((end, i) => bytes.subarray(all[i], end));
};

const DISGUISES = [
  '<private>',
  '< \u200b PRIVATE >',
  '&amp;lt;private&amp;gt;',
  '\\u003cprivate>',
  '\\x3cprivate\\x3e',
  '%3Cprivate%3E',
  '＜private＞',
  '<p&#114;ivate>',
  '<pri\u{e0061}vate>',
  '<claude-mem-context x="1">',
  `<${'\u200b'.repeat(300)}system-reminder>`,
  '<\x1b[31mprivate>',
  '&l\x1b[1mt;pri\x1b[0mvate>',
  '<p\bprivate>',
  '<\\u001b[31mprivate>',
  `<${'\x1b[0m'.repeat(300)}private>`,
];

test.each(DISGUISES)('%j is seen wherever it is cut', (tag) => {
  for (const filler of ['word ', '"\\ ', '日本 ']) {
    const bytes = jsonOf(`${filler.repeat(20)}${tag} more ${filler.repeat(20)}`);
    for (let at = 1; at < bytes.length; at++) expect({ at, isSeen: isSeen(cutAt(bytes, [at])) }).toEqual({ at, isSeen: true });
    expect(isSeen(Array.from(bytes, (_, at) => bytes.subarray(at, at + 1)))).toBe(true);
  }
});

test.each(DISGUISES)('%j is seen at the seam of two pieces that hold nothing else', (tag) => {
  const plain = jsonOf('plain words, nothing else\n'.repeat(800));
  const bytes = jsonOf(tag);
  for (let at = 0; at <= bytes.length; at++)
    expect(isSeen([Buffer.concat([plain, bytes.subarray(0, at)]), Buffer.concat([bytes.subarray(at), plain])])).toBe(true);
});

test('an escape that is cut between two plain pieces is seen', () => {
  const plain = 'plain words '.repeat(2000);
  expect(isSeen([Buffer.from(`${plain}\\`), Buffer.from(`u003cprivate>${plain}`)])).toBe(true);
  expect(isSeen([Buffer.from(`${plain}\\\\`), Buffer.from(`u003cprivate>${plain}`)])).toBe(true);
});

test('whatever a whole look sees is seen in pieces', () => {
  const random = seededRandom(5);
  let tags = 0;
  for (const text of mixedTexts(7, 4000)) {
    const bytes = jsonOf(text);
    const isTag = stripPrivate(text).stripped;
    tags += Number(isTag);
    const places = Array.from({ length: random.below(4) }, () => random.below(bytes.length + 1));
    if (isTag) expect({ text, places, isSeen: isSeen(cutAt(bytes, places)) }).toEqual({ text, places, isSeen: true });
    else expect({ text, isSeen: isSeen([bytes]) }).toEqual({ text, isSeen: false });
  }
  expect(tags).toBeGreaterThan(500);
});

test('what is no JSON, or comes when the time is up, is taken for a tag', () => {
  expect(isSeen([Buffer.from('a \\q b <')])).toBe(true);
  expect(isSeen([Buffer.from('plain')], () => true)).toBe(true);
});

test('bytes that are no UTF-8 are passed over', () => {
  expect(isSeen([Buffer.alloc(100_000, 0xff)])).toBe(false);
  expect(isSeen([Buffer.concat([Buffer.alloc(9000, 0xef), Buffer.from('<private>')])])).toBe(true);
});

describe('takes time in proportion to the text', () => {
  const pieces = (text: string) => {
    const bytes = jsonOf(text);
    return cutAt(
      bytes,
      Array.from({ length: Math.floor(bytes.length / 16_384) }, (_, i) => (i + 1) * 16_384),
    );
  };
  test.each(Object.entries(HOSTILE_UNITS))('%s', (_, unit) => {
    const [one, two] = [pieces(hostileText(unit, 100_000)), pieces(hostileText(unit, 200_000))];
    isSeen(one);
    const before = cpuMs(() => isSeen(one));
    // A quadratic search takes minutes for 200 KB.
    expect(cpuMs(() => isSeen(two))).toBeLessThan(3 * before + 60);
  });
});
