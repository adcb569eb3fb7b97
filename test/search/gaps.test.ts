// What is gone leaves no trace in the scores of what is there: ids have gaps wherever a model replaced what the rules said.
import { expect, test } from 'bun:test';
import { loadStatic } from '../../src/search/embed/static.ts';
import { ASSETS } from './embed/assets.ts';
import { createTestMemory, NOW } from './test-memory.ts';

const NOTES = [
  'The authentication cookie expires too early',
  'Thumbnails are compressed before they are delivered',
  'The billing webhook was retried twice',
  'The bundler keeps every source map',
  'The sending domain had no signature',
  'The time zone of the server was applied to a plain date',
  'Headlines use a serif',
  'A nightly copy of the database goes to another region',
];

/** The parts of each score, by title. */
async function search(gaps: number, isNamed: boolean) {
  const memory = createTestMemory();
  const { projectId } = memory.shop;
  memory.db.transaction(() => {
    for (let round = 0; round < 5; round++) {
      for (const title of NOTES) {
        for (let n = 0; n < gaps; n++) memory.shop.observe('provisional', NOW);
        memory.db.run("DELETE FROM observations WHERE title = 'provisional'");
        memory.shelf('/home/dev/shop', `${round} ${title}`).observe(`${title}, number ${round}`, NOW);
      }
    }
  })();
  await memory.addModel(loadStatic(ASSETS)).embed();
  const { scored } = await memory.finder.find('login cookie', { projectIds: isNamed ? [projectId] : null });
  const titles = memory.db.query<{ title: string }, [number]>('SELECT title FROM observations WHERE id = ?');
  const found = scored.map(({ candidate, parts }) => [titles.get(candidate.ref)?.title, parts.meaning.toFixed(6)]);
  memory.close();
  return found;
}

test.each([
  ['a project', true],
  ['everything', false],
])('a search in %s means the same whether ids have gaps or not', async (_, isNamed) => {
  const whole = await search(0, isNamed);
  expect(whole.length).toBeGreaterThan(20);
  for (const gaps of [1, 4]) expect(await search(gaps, isNamed)).toEqual(whole);
});
