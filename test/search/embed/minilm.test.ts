// MiniLM on our kernel: as near to the model in full precision as int8 weights allow, and the same every time.
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createMinilmModel, loadMinilm } from '../../../src/search/embed/minilm.ts';
import reference from '../../fixtures/minilm-reference.json';
import { ASSETS } from './assets.ts';
import { cosine } from './cosine.ts';
import { describeEmbedder, describeMeaning } from './embedder-contract.ts';

const minilm = loadMinilm(ASSETS);

describeEmbedder(() => minilm);
describeMeaning(() => minilm);

/** By the published weights in 32-bit floats, written as 16-bit integers. */
const inFull = reference.map(({ vector }) => new Int16Array(new Uint8Array(Buffer.from(vector, 'base64')).buffer));
const TEXTS = reference.map(({ text }) => text);

test('is as good as full precision: cosine 0.998 in the mean, 0.995 at least', async () => {
  const cosines = (await minilm.embed(TEXTS, 'document')).map((vector, at) => cosine(vector, inFull[at] ?? []));
  expect(cosines.reduce((sum, value) => sum + value, 0) / cosines.length).toBeGreaterThan(0.998);
  expect(Math.min(...cosines)).toBeGreaterThan(0.995);
});

test('gives the same vector whatever was embedded before', async () => {
  const [first] = await minilm.embed(['a short text'], 'document');
  for (const before of ['x', TEXTS.join(' '), 'five words are in here']) {
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
