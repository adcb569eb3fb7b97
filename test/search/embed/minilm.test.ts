// MiniLM on our kernel: as near to the model in full precision as int8 weights allow, and the same every time.
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createMinilmModel, loadMinilm } from '../../../src/search/embed/minilm.ts';
import { createTokenizer } from '../../../src/search/embed/tokenizer.ts';
import { ASSETS } from './assets.ts';
import { cosine } from './cosine.ts';
import { describeEmbedder, describeMeaning } from './embedder-contract.ts';
import { createReference } from './reference-minilm.ts';
import { REFERENCE_TEXTS } from './reference-texts.ts';

const minilm = loadMinilm(ASSETS);

describeEmbedder(() => minilm);
describeMeaning(() => minilm);

test('is as good as full precision: cosine 0.998 in the mean, 0.995 at least', async () => {
  const reference = createReference();
  const tokenizer = createTokenizer(readFileSync(join(ASSETS, 'vocabulary.txt'), 'utf8'));
  // The reference takes a second for each.
  const texts = REFERENCE_TEXTS.filter((_, at) => process.env.CLAUDE_MEM_TEST_FULL || at % 4 === 0);
  const vectors = await minilm.embed(texts, 'document');
  const cosines = texts.map((text, i) => cosine(vectors[i] ?? [], reference([101, ...tokenizer.tokenize(text, 254), 102])));
  expect(REFERENCE_TEXTS).toHaveLength(40);
  expect(cosines.reduce((sum, value) => sum + value, 0) / cosines.length).toBeGreaterThan(0.998);
  expect(Math.min(...cosines)).toBeGreaterThan(0.995);
}, 60_000);

test('gives the same vector whatever was embedded before', async () => {
  const long = REFERENCE_TEXTS.join(' ');
  const [first] = await minilm.embed(['a short text'], 'document');
  for (const before of ['x', long, 'five words are in here']) {
    await minilm.embed([before], 'document');
    expect((await minilm.embed(['a short text'], 'query'))[0]).toEqual(first);
  }
});

test('reads the first 256 tokens of a text', async () => {
  const start = 'word '.repeat(254);
  const [whole, cut] = await minilm.embed([`${start} and then something else`, start], 'document');
  expect(whole).toEqual(cut);
});

test('texts that are run together do not see each other', () => {
  const model = createMinilmModel(readFileSync(join(ASSETS, 'minilm.wasm')));
  model.weights.set(readFileSync(join(ASSETS, 'minilm.bin')));
  const texts = [
    [101, 2003, 102],
    [101, 7592, 2088, 999, 102],
    [101, 102],
  ];
  const together = model.run(texts);
  for (const [i, text] of texts.entries()) expect(together[i]).toEqual(model.run([text])[0] ?? new Float32Array());
});

test('says which file is missing', () => {
  expect(() => loadMinilm('/nowhere')).toThrow('/nowhere/vocabulary.txt');
});
