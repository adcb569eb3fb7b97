// The static table: the same promises as the model, in a tenth of a millisecond.
import { expect, test } from 'bun:test';
import { loadStatic } from '../../../src/search/embed/static.ts';
import { ASSETS } from './assets.ts';
import { cosine } from './cosine.ts';
import { describeEmbedder } from './embedder-contract.ts';

const statics = loadStatic(ASSETS);

describeEmbedder(() => statics);

test.each([
  ['the database is locked', 'a table lock in sqlite', 'the picnic was lovely'],
  ['delete a file', 'remove the document from disk', 'music festival tickets'],
])('finds that "%s" is nearer to "%s" than to "%s"', async (query, near, far) => {
  const [q = [], n = [], f = []] = await statics.embed([query, near, far], 'document');
  expect(cosine(q, n)).toBeGreaterThan(cosine(q, f) + 0.05);
});
