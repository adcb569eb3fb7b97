// What every embedder promises, as tests that each of them runs.
import { expect, test } from 'bun:test';
import type { Embedder } from '../../../src/search/embed/embedder.ts';
import { cosine } from './cosine.ts';

const TEXTS = [
  'The migration failed because the table was locked.',
  'const retries = 3; // then give up',
  'Das Passwort muß geändert werden',
  '東京大学',
  'ok',
];

export function describeEmbedder(makeEmbedder: () => Embedder): void {
  test('gives one vector for each text, in order', async () => {
    await using held = hold(makeEmbedder());
    const together = await held.embedder.embed(TEXTS, 'document');
    expect(together).toHaveLength(TEXTS.length);
    for (const [i, text] of TEXTS.entries()) {
      const [alone = new Int8Array()] = await held.embedder.embed([text], 'document');
      expect(together[i]).toEqual(alone);
    }
    expect(held.embedder.dimension).toBe(together[0]?.length ?? 0);
  });

  test('scales the largest component to ±127', async () => {
    await using held = hold(makeEmbedder());
    for (const vector of await held.embedder.embed(TEXTS, 'query')) {
      expect(Math.max(...vector.map(Math.abs))).toBe(127);
    }
  });

  test('gives zeros for a text without a word, also among others', async () => {
    await using held = hold(makeEmbedder());
    const [full, empty, blank] = await held.embedder.embed(['some words', '', ' \n\t '], 'document');
    expect(full?.some((value) => value !== 0)).toBe(true);
    expect(empty).toEqual(new Int8Array(held.embedder.dimension));
    expect(blank).toEqual(empty);
  });

  test('takes any text', async () => {
    await using held = hold(makeEmbedder());
    const odd = ['\u0000\u0007', '\ud800 alone', '🙂👩‍👩‍👧', 'x'.repeat(100_000), 'a '.repeat(100_000), '[CLS] [SEP] ##ing'];
    const vectors = await held.embedder.embed(odd, 'document');
    expect(vectors.map(({ length }) => length)).toEqual(odd.map(() => held.embedder.dimension));
  });

  test('takes no text at all', async () => {
    await using held = hold(makeEmbedder());
    expect(await held.embedder.embed([], 'document')).toEqual([]);
  });
}

/** For engines that understand: what means the same is nearer than what does not. */
export function describeMeaning(makeEmbedder: () => Embedder): void {
  test.each([
    ['how do I undo a commit', 'revert the last change in git', 'a recipe for apple pie'],
    ['the server ran out of memory', 'process killed: memory exhausted', 'we chose blue for the buttons'],
    ['parse a date from a string', 'def parse_date(text): return datetime.strptime(text)', 'class HttpServer: pass'],
  ])('finds that "%s" is nearer to "%s" than to "%s"', async (query, near, far) => {
    await using held = hold(makeEmbedder());
    const [q = new Int8Array()] = await held.embedder.embed([query], 'query');
    const [n = new Int8Array(), f = new Int8Array()] = await held.embedder.embed([near, far], 'document');
    expect(cosine(q, n)).toBeGreaterThan(cosine(q, f) + 0.1);
  });
}

function hold(embedder: Embedder) {
  return { embedder, [Symbol.asyncDispose]: () => embedder.close() };
}
