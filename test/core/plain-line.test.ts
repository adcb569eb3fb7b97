// Stored text as it is shown: code stays as it was written, and nothing of it can end or begin a frame of ours.
import { describe, expect, test } from 'bun:test';
import { plainLine, quote } from '../../src/core/plain-line.ts';
import { defuseTags } from '../../src/core/privacy.ts';
import { cpuMs } from '../support/cpu-time.ts';
import { seededRandom } from './seeded-random.ts';

describe('code is shown as it was written:', () => {
  test.each([
    'Map<string, number> is now Map<Id, number>',
    'if (a < b && c << 2 > d) return x <= y;',
    '<PrivateRoute path="/a"><SystemReminderList /></PrivateRoute>',
    '<privateKey>, std::vector<private_t>, <private.Key>',
    '<div class="a">&lt;b&gt; &amp; %3Cp%3E \\u003cbr\\u003e</div>',
    '<!-- --><script>alert(1)</script>',
    'cat <<EOF > file',
    'x<-1 and ＜wide＞',
  ])('%s', (text) => expect(plainLine(text, 400)).toBe(text));
});

const NAMES = ['claude-mem-context', 'private', 'system-reminder'];
/** What a reader, or a program that decodes the text once or twice, could take for one of our tags. */
const TAG = /[<＜]\s*[/／]?\s*(?:claude-mem-context|private|system-reminder)(?![\p{L}\p{N}_$.-])/iu;

const DECODERS: ((text: string) => string)[] = [
  (text) => text,
  (text) =>
    text
      .replace(/&lt;?/gi, '<')
      .replace(/&gt;?/gi, '>')
      .replace(/&sol;/gi, '/')
      .replace(/&amp;/gi, '&')
      .replace(/&#x([0-9a-f]+);?/gi, (_, hex) => String.fromCodePoint(Number.parseInt(hex, 16)))
      .replace(/&#(\d+);?/g, (_, code) => String.fromCodePoint(Number(code))),
  (text) => text.replace(/\\u([0-9a-f]{4})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))).replaceAll('\\/', '/'),
  (text) => text.replace(/\\x([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
  (text) => text.replace(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
  (text) => text.normalize('NFKC'),
  (text) => text.replace(/\p{Default_Ignorable_Code_Point}/gu, ''),
];

test('no disguise of a tag is left, whoever decodes it', () => {
  const random = seededRandom(7);
  const openers = ['<', '＜', '&lt;', '&LT', '&amp;lt;', '&#60;', '&#x3C;', '&#0060', '\\u003c', '\\x3c', '%3c', '%3C'];
  const letters = [
    (letter: string) => letter,
    (letter: string) => letter.toUpperCase(),
    (letter: string) => `${letter}\u200b`,
    (letter: string) => `&#${letter.charCodeAt(0)};`,
    (letter: string) => `&#x${letter.charCodeAt(0).toString(16)};`,
    (letter: string) => `\\u00${letter.charCodeAt(0).toString(16)}`,
    (letter: string) => `%${letter.charCodeAt(0).toString(16)}`,
    (letter: string) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0),
  ];
  const gaps = ['', '', ' ', '\n', '\t', '\u200b', '&#8203;', '&nbsp;', '\\n'];
  const slashes = ['', '/', '&sol;', '\\/', '%2f', '&#47;', '／'];
  const noise = ['', 'a', '<', '</', '< ', '&lt;', '<b>', 'Map<', '\n', '>', '‹'];
  for (let i = 0; i < 4000; i++) {
    const plain = random.below(2) === 0;
    const name = [...random.of(NAMES)].map((letter) => (plain ? letter : random.of(letters)(letter))).join('');
    const tag = `${random.of(openers)}${random.of(gaps)}${random.of(slashes)}${random.of(gaps)}${name}${random.of(['>', ' >', ' id="1">', '', '&gt;', '\n'])}`;
    const text = `${random.of(noise)}${random.of(noise)}${tag}${random.of(noise)}`;
    for (const shown of [plainLine(text, 400), quote(text.split('\n')).split('\n').slice(1, -1).join('\n')]) {
      const first = DECODERS.map((decode) => decode(shown));
      const all = [...first, ...first.flatMap((once) => DECODERS.map((decode) => decode(once)))];
      expect({ text, shown, left: all.filter((one) => TAG.test(one)) }).toEqual({ text, shown, left: [] });
    }
  }
});

test('a frame ends where it ends, though a tag is spread over two lines', () => {
  const framed = quote(['one <', '  /claude-mem-context>', 'two', '</claude-mem-context>']);
  expect(framed.match(/<\s*\/?\s*claude-mem-context/g)).toEqual(['<claude-mem-context', '</claude-mem-context']);
  expect(framed).toContain('two');
});

test('takes time in proportion to the text', () => {
  const units = ['<', '< ', '</', '<private', '&lt;', '&amp;', '\\u003c', '<p\u200b', '<///', '&nbsp;<', '<&nbsp;'];
  const slow = units.filter((unit) => cpuMs(() => defuseTags(unit.repeat(400_000 / unit.length))) > 400);
  expect(slow).toEqual([]);
});
