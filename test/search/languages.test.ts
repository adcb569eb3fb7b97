// Every script is found by its own words, whether it puts spaces between them or not.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { createTestMemory, type TestMemory } from './test-memory.ts';

/** Each in a session of its own: nothing is found for what stands beside it. */
function remember(memory: TestMemory, texts: string[]): void {
  for (const text of texts) memory.shelf('/home/dev/shop', text).observe('Note', 1, { narrative: text });
}

/** The texts that are found, best first. */
const found = async (memory: TestMemory, query: string) => (await memory.search(query)).results.map(({ session }) => session);

const JAPANESE = '認証トークンの有効期限を短くした';
const SIMPLIFIED = '数据库连接池在高并发下耗尽';
const TRADITIONAL = '資料庫連線逾時的問題已經修復';
const KOREAN = '서버가 메모리를 너무 많이 사용해서 캐시를 줄였다';
const OTHERS = [
  'The build takes a minute less since the cache is kept',
  'Colours of the buttons follow the theme',
  'ログの出力先を変えた',
  '页面加载速度变慢',
  '頁面顏色改變了',
  '버튼 색상을 바꿨다',
];

describe('a language without spaces', () => {
  let memory: TestMemory;
  beforeAll(() => {
    memory = createTestMemory();
    remember(memory, [...OTHERS, JAPANESE, SIMPLIFIED, TRADITIONAL, KOREAN]);
  });
  afterAll(() => memory.close());

  test.each([
    [JAPANESE, '認証', 'a word of two characters'],
    [JAPANESE, '有効期限', 'a word inside a longer run'],
    [JAPANESE, 'トークン', 'a word of katakana'],
    [JAPANESE, '証', 'one character inside'],
    [JAPANESE, 'トークンの期限はどうなった', 'a question'],
    [SIMPLIFIED, '连接池', 'a word inside a longer run'],
    [SIMPLIFIED, '尽', 'the last character'],
    [SIMPLIFIED, '数据库为什么耗尽', 'a question'],
    [TRADITIONAL, '復', 'the last character'],
    [KOREAN, '서버', 'a noun that has a particle in the text'],
    [KOREAN, '캐시는', 'a noun with another particle than in the text'],
    [KOREAN, '캐', 'one character'],
  ])('%s is found by %s: %s', async (text, query) => {
    expect((await found(memory, query))[0]).toBe(text);
    // What has nothing of it is not.
    expect(await found(memory, query)).not.toContain(OTHERS[1] ?? '');
  });

  test('is not found by characters that it does not have', async () => {
    for (const query of ['猫', '天気', '고양이', '天氣預報']) expect(await found(memory, query)).toEqual([]);
  });

  test('is found in a title, a fact, a concept, a file name, a summary and a prompt', async () => {
    const shelf = (session: string) => memory.shelf('/home/dev/shop', session);
    shelf('title').observe('検索の修正', 1);
    shelf('fact').observe('x', 2, { facts: [{ text: '検索は必須', sources: [] }] });
    shelf('concept').observe('y', 3, { concepts: ['検索'] });
    shelf('file').observe('z', 4, { filesModified: ['docs/検索ガイド.md'] });
    shelf('summary').sumUp(5, { request: '検索を直す' });
    shelf('prompt').ask('検索を直して', 6);
    expect((await found(memory, '検索')).toSorted()).toEqual(['concept', 'fact', 'file', 'prompt', 'summary', 'title']);
  });

  test('characters beyond the basic plane are whole characters', async () => {
    remember(memory, ['𠮷野家の𩸽を注文']);
    expect(await found(memory, '𠮷野')).toEqual(['𠮷野家の𩸽を注文']);
    expect(await found(memory, '𩸽')).toEqual(['𠮷野家の𩸽を注文']);
  });

  test.each(['NFC', 'NFD'])('a text in %s is found however the query is composed, as file names of a Mac need it', async (form) => {
    for (const [text, query] of [
      ['ガイドを更新', 'ガイド'],
      ['프로젝트 설정', '프로젝트'],
    ]) {
      const stored = `${form} ${text}`.normalize(form);
      remember(memory, [stored]);
      for (const other of ['NFC', 'NFD']) expect(await found(memory, query?.normalize(other) ?? '')).toContain(stored);
    }
  });

  test('letters of full width and kana of half width are the same letters', async () => {
    remember(memory, ['ＯＡｕｔｈの変更', 'ｻｰﾊﾞｰ停止']);
    expect(await found(memory, 'OAuth')).toEqual(['ＯＡｕｔｈの変更']);
    expect(await found(memory, 'ＯＡｕｔｈ')).toEqual(['ＯＡｕｔｈの変更']);
    expect(await found(memory, 'サーバー')).toContain('ｻｰﾊﾞｰ停止');
  });
});

describe('Latin words in a text without spaces', () => {
  const MIXED = ['使用redis缓存会话', 'dockerを使う', 'parseQueryを直した', 'gitで戻す', 'kafka대신 nats를 쓴다', 'v2に移行'];
  let memory: TestMemory;
  beforeAll(() => {
    memory = createTestMemory();
    remember(memory, [...OTHERS, ...MIXED, 'docker is not used on the server']);
  });
  afterAll(() => memory.close());

  test.each([
    ['Redis缓存', 0],
    ['docker', 1],
    ['dockerで起動', 1],
    ['parseQuery', 2],
    ['gitに戻す', 3],
    ['nats', 4],
    ['v2', 5],
  ])('are found by %s', async (query, place) => {
    expect(await found(memory, query)).toContain(MIXED[place] ?? '');
  });
});

describe('marks on letters', () => {
  let memory: TestMemory;
  beforeEach(() => {
    memory = createTestMemory();
  });
  afterEach(() => memory.close());

  test.each([
    ['German', 'Die Prüfung der Größe schlägt fehl', ['Prüfung', 'Prufung', 'PRÜFUNG', 'Größe', 'schlagt']],
    ['French', 'La mémoire est épuisée, le cœur répond', ['memoire', 'MÉMOIRE', 'épuisée', 'cœur']],
    ['Vietnamese', 'Máy chủ không trả lời', ['không', 'khong', 'may chu']],
    ['Polish', 'Zażółć gęślą jaźń', ['gesla', 'gęślą']],
    ['Turkish', 'İstanbul sunucusu yavaş', ['istanbul', 'yavas']],
    ['Greek', 'Ο λόγος της αποτυχίας', ['λόγος', 'λογος', 'ΛΟΓΟΣ', 'αποτυχιας']],
    ['Russian', 'Сервер упал, ёлка горит', ['сервер', 'СЕРВЕР', 'елка', 'ёлка']],
    ['Hebrew', 'השרת נפל בלילה שָׁלוֹם', ['השרת', 'שלום', 'שָׁלוֹם']],
    ['Arabic', 'توقف الخادم عن العمل مُحَمَّد', ['الخادم', 'محمد', 'مُحَمَّد']],
    ['Hindi', 'सर्वर बंद हो गया', ['सर्वर', 'बंद']],
    ['Thai', 'เซิร์ฟเวอร์หยุดทำงานเพราะหน่วยความจำเต็ม', ['หน่วยความจำ', 'เซิร์ฟเวอร์', 'เต็ม']],
    ['Tamil', 'சேவையகம் நின்றது', ['சேவையகம்']],
  ])('%s is found with and without them, alone and among others', async (_, text, queries) => {
    remember(memory, [text]);
    for (const query of queries) expect({ query, found: await found(memory, query) }).toEqual({ query, found: [text] });
    remember(memory, OTHERS);
    for (const query of queries) expect({ query, found: await found(memory, query) }).toEqual({ query, found: [text] });
  });
});
