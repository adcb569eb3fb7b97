// Any text that somebody may ask for: by accident, by malice, in any script.
import type { SeededRandom } from '../core/seeded-random.ts';

/** What means something to FTS5, to SQL, or to us. */
const OPERATORS = [
  'AND', 'OR', 'NOT', 'NEAR', 'NEAR(', 'NEAR(a b, 3)', 'near', 'and', 'or', 'not', '(', ')', '((', '))', '^', '*', '**', ':', '::', '"',
  '""', '"""', "'", "''", '-', '--', '+', '{', '}', '[', ']', ',', '.', ';', '/', '\\', '%', '_', '$', '#', '@', '~', '`', '<', '>', '=',
  '|', '&', '?', '!', 'title:', 'title : ', '{title narrative}:', '- title:', '-{title}:', 'words:', 'rowid:', 'rank:', 'neighbours:',
  '^title', 'a*', '"a" *', '"a"*', 'a + b', 'a AND', 'AND a', 'OR OR', 'NOT NOT a', 'a NOT', '(a', 'a)', '"a', 'a"', '*a', ':a', 'a:',
]; // biome-ignore format: one sign beside the other

const FRAGMENTS = [
  "'; DROP TABLE documents; --", '" OR 1=1 --', 'SELECT * FROM words', "') UNION SELECT 1 --", 'words MATCH ?', '$query', ':query', '?1',
  '@p', '/* */', 'json_each(?)', '%s', '__proto__', 'constructor', 'toString', 'hasOwnProperty', 'undefined', 'null', 'NaN', '0',
  '-1', '1e999', '../../etc/passwd', 'C:\\Users\\dev', 'src/store/open.ts', 'parseXMLDocument', 'max_retry_count', 'std::vector',
  '7c9e6679-7425-40de', 'v2.14.3', '9f8e7d6', '<private>', '</script>', 'a@b.example', 'https://x.example/?q=1#2', '\\u0000', '%00',
]; // biome-ignore format: one piece beside the other

const WORDS = [
  'session', 'sessions', 'expire', 'cache', 'parser', 'token', 'the', 'of', 'what', 'zebra', 'Monday', '2026', 'relational', 'running',
  'Prüfung', 'größe', 'mémoire', 'straße', 'İstanbul', 'ΛΟΓΟΣ', 'сервер', 'ёлка', 'שָׁלוֹם', 'مُحَمَّد', 'सर्वर', 'தமிழ்', 'เซิร์ฟเวอร์',
  '認証', 'トークン', '数据库', '連線', '서버가', 'ガイド', 'ガイド', 'ＡＰＩ', 'ｻｰﾊﾞｰ', '𠮷野', '𩸽', '東', 'ー', '々',
]; // biome-ignore format: one word beside the other

const SIGNS = [
  '😀', '👨‍👩‍👧‍👦', '🇩🇪', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', '❤️', '1️⃣', '\0', '\u0001', '\u0007', '\u001b[31m', '\u007f', '\u0085', '\u00a0', '\u00ad', '\u0300', '\u0301\u0302\u0303', 'e\u0301', '\u0591',
  '\u064b', '\u093e', '\u1160', '\u115f', '\u200b', '\u200d', '\u200e', '\u202e', '\u2028', '\u2066', '\u3000', '\ud800', '\udc00', '\udbff\udbff', '\ue000', '\uf8ff', '\ufdd0', '\ufeff',
  '\ufffd', '\uffff', '\u{1f1e6}', '\u{10ffff}', '\u{e0001}', '\u{f0000}', '\u{20000}', '½', '²', '①', 'Ⅷ', '٣', '〇', 'ﬁ', 'ß', 'ı', 'ǅ', 'ﷺ', 'Ω', 'K', '゙', 'ㇰ', 'ꥠ',
]; // biome-ignore format: one sign beside the other

const SEPARATORS = ['', '', ' ', ' ', ' ', '  ', '\t', '\n', '\r\n', '-', '_', '.', '/', ':', '\u00a0', '\u3000'];
const LONGEST = 100_000;

/** Mostly short; one in a thousand is a page, one in ten thousand as long as a query may be. */
export function makeQuery(random: SeededRandom): string {
  const chance = random.below(10_000);
  if (chance === 0) return `${makePieces(random, 30)} x`.repeat(LONGEST / 2).slice(0, LONGEST);
  if (chance < 10) return Array.from({ length: 200 }, () => makePieces(random, 8)).join(' ');
  if (chance < 1500) return Array.from({ length: random.below(30) }, () => makeCharacter(random)).join('');
  return makePieces(random, 4);
}

function makePieces(random: SeededRandom, most: number): string {
  let text = '';
  for (let left = random.below(most) + 1; left > 0; left--) text += makePiece(random) + random.of(SEPARATORS);
  return text;
}

function makePiece(random: SeededRandom): string {
  const chance = random.below(10);
  if (chance < 3) return random.of(OPERATORS);
  if (chance < 4) return random.of(FRAGMENTS);
  if (chance < 7) return random.of(WORDS);
  if (chance < 8) return random.of(SIGNS);
  if (chance < 9) return random.pick('abcdefghijklmnopqrstuvwxyzABCDEF0123456789_$', random.below(12));
  return makeCharacter(random);
}

/** Any of the first plane, halves of pairs too; sometimes of the others. */
const makeCharacter = (random: SeededRandom) =>
  random.below(5) > 0 ? String.fromCharCode(random.below(0x10000)) : String.fromCodePoint(random.below(0x110000));
