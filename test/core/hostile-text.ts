// Texts that a search for tags could lose its time on, or a tag in.
import { seededRandom } from './seeded-random.ts';

/** Each as long as it is asked for, made of one unit or beginning with one. */
export const HOSTILE_UNITS: Record<string, string> = {
  brackets: '<',
  'brackets with blanks': '< ',
  'full-width brackets': '＜',
  ampersands: '&',
  entities: '&lt;',
  'entities of ampersands': '&amp;',
  'numbered entities': '&#60;',
  'json escapes': '\\u003c',
  'hex escapes': '\\x3c',
  'url escapes': '%3c',
  percents: '%',
  backslashes: '\\',
  quotes: '"',
  'closing paragraphs': '</p',
  'opening letters': '<p',
  'halves of a name': '<system-',
  'names without an end': '<private',
  'longer names': '<privateKey',
  'opening tags': '<private>',
  'tags with text in them': '<private x',
  'closing tags': '</private>',
  blocks: '<private>x</private>',
  'other blocks': '<claude-mem-context>x</claude-mem-context>',
  'brackets before what nobody sees': '<\u200b',
  'brackets before a hidden blank': '<&#9;',
  'brackets before nothing hidden': '<&',
  'hidden letters': '<&#112;&#114;',
  'letters apart': '<p\u200br\u200b',
  'far letters': '<\u{e0061}',
  'other scripts': '<日本',
  'nested json': '{\\"a\\":\\"<b>\\"}',
  colours: '\x1b[31m',
  'brackets before colours': '<\x1b[31m',
  'unfinished colours': '<\x1b[0;',
  'links that never end': '<\x1b]8;;',
  'letters struck': '<p\bp',
  backspaces: '<\b',
  'colours written': '\\u001b[31m<',
  html: '<div class="card"><p>Some &amp; more</p><span>x</span></div>\n',
  svg: '<path d="M0 0"/><symbol/><switch><system>s</system>',
  templates: 'std::map<string, std::vector<pair<int, char>>> m; cout << "x" << p;\n',
};

export const hostileText = (unit: string, length: number) => unit.repeat(Math.ceil(length / unit.length));

const PIECES = [
  ...['<', '>', '＜', '＞', '/', ' ', '\n', 'a', '&', '%', '\\', '"', '<b>', '</', '<pri', 'vate', '-', ';'],
  ...['&lt;', '&gt', '&amp;lt;', '&amp;amp;#60;', '&#60', '&#0062;', '&#x3c;', '\\u003c', '\\\\u003E', '\\x3c', '%3C', '%3e'],
  ...['\u200b', '&#8203;', '\\u200b', '\u{e0061}', '&shy;', '%20', '\\n', '&nbsp;', '&sol;', '\\/', '%2F', 'é', '日'],
  ...['private', 'PRIVATE', 'priv\u200bate', 'p&#114;ivate', 'privat\\u0065', '%70rivate', 'system-reminder', 'claude-mem-context'],
  ...['<private>', '</private>', '<private ', '<system-reminder>', '</system-reminder>', '&lt;private&gt;', '&lt;/private&gt;'],
];

/** Pieces of tags in all their disguises, thrown together. */
export function* mixedTexts(seed: number, count: number, most = 14): Generator<string> {
  const random = seededRandom(seed);
  for (let i = 0; i < count; i++) yield Array.from({ length: 1 + random.below(most) }, () => random.of(PIECES)).join('');
}
