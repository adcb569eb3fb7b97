// Pieces of identifiers, pairs of characters, names: what the index is given beside the words themselves.
import { describe, expect, test } from 'bun:test';
import { askedPairs, camelPieces, cjkPairs, listNames, splitParts } from '../../src/core/words.ts';
import { cpuMs } from '../support/cpu-time.ts';

describe('an identifier', () => {
  test.each([
    ['fetchUserProfile', 'fetch User Profile'],
    ['HttpServerFactory', 'Http Server Factory'],
    ['parseXMLDocument', 'parse XML Document'],
    ['XMLHttpRequest', 'XML Http Request'],
    ['IDs', ''],
    ['the URLs of APIs', ''],
    ['utf8', 'utf 8'],
    ['E11000', 'E 11000'],
    ['sha256sum', 'sha 256 sum'],
    ['max_retry_count', ''],
    ['plain words only', ''],
    ['SCREAMING', ''],
    ['ÜberweisungsPrüfer', 'Überweisungs Prüfer'],
    ['ПользовательСервис', 'Пользователь Сервис'],
    ['one twoThree four', 'two Three'],
    [`${'aB'.repeat(100)}c`, ''],
  ])('%s has the pieces "%s"', (text, pieces) => {
    expect(camelPieces(text).join(' ')).toBe(pieces);
  });

  test.each([
    ['store/open.ts was changed', 'store/open.ts'],
    ['see user_name and $scope', 'user_name $scope'],
    ['std::vector::push_back', 'std::vector::push_back'],
    ['C:\\Users\\dev\\a.cs', 'C:\\Users\\dev\\a.cs'],
    ['short words tell nothing', ''],
    ['internationalization', 'internationalization'],
    ['useAbc twice: useAbc', 'useAbc'],
    ['12345 2026-01-05 3.14', ''],
    ['x.y a_b', ''],
    ['v1.2', 'v1.2'],
  ])('of %s the names are "%s"', (text, names) => {
    expect(listNames(text)).toBe(names);
  });

  test('is cut where it is longer than a name is, and so is the list of them', () => {
    expect(listNames(`a_${'b'.repeat(1000)}`)).toHaveLength(200);
    const many = Array.from({ length: 500 }, (_, n) => `name_${n}`).join(' ');
    expect(listNames(many).split(' ')).toHaveLength(200);
  });
});

describe('a run of characters without spaces', () => {
  test.each([
    ['認証トークン', '認証 証ト トー ーク クン ン', '認証 証ト トー ーク クン'],
    ['東', '東', '東'],
    ['서버가 죽었다', '서버 버가 가 죽었 었다 다', '서버 버가 죽었 었다'],
    ['𠮷野家', '𠮷野 野家 家', '𠮷野 野家'],
    ['dockerを使う', 'を使 使う う', '使う'],
    ['サーバーの再起動', 'サー ーバ バー ーの の再 再起 起動 動', 'サー ーバ バー 再起 起動'],
    ['すべて', 'すべ べて て', 'すべ べて'],
    ['時々', '時々 々', '時々'],
    ['no such thing', '', ''],
    ['', '', ''],
  ])('%s is stored as "%s" and asked for as "%s"', (text, stored, asked) => {
    expect(cjkPairs(text).join(' ')).toBe(stored);
    expect(askedPairs(text).join(' ')).toBe(asked);
    // What is asked for can be found.
    for (const pair of askedPairs(text)) expect(cjkPairs(`前${text}後`)).toContain([...pair].length > 1 ? pair : `前${pair}`);
  });
});

describe('all parts of a text', () => {
  test.each([
    ['parseQuery東京都', 'parse Query 東京 京都 都 parsequery'],
    ['plain words', ''],
    ['dockerを使う', 'を使 使う う docker'],
    ['λόγος ёлка', 'λογος елка'],
    ['שָׁלוֹם مُحَمَّد', 'שלום محمد'],
    ['Größe naïve', ''],
    ['ＡＰＩ使用redis缓存', '使用 用 缓存 存 api redis'],
    ['', ''],
  ])('%s are "%s"', (text, parts) => {
    expect(splitParts(text)).toBe(parts);
  });

  test('are those of its beginning, and found in no time', () => {
    for (const text of [
      'aB'.repeat(500_000),
      '東'.repeat(1_000_000),
      'é'.repeat(1_000_000),
      'a_'.repeat(500_000),
      '\ud800'.repeat(1_000_000),
    ]) {
      expect(splitParts(text).length).toBeLessThan(100_000);
      expect(listNames(text).length).toBeLessThan(100_000);
      expect(cpuMs(() => [splitParts(text), listNames(text)])).toBeLessThan(500);
    }
  });
});
