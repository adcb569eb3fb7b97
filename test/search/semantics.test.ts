// What a search means, with each model that we bring: other words are understood, the newer stands first, nothing comes twice or for nothing.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { loadMinilm } from '../../src/search/embed/minilm.ts';
import { loadStatic } from '../../src/search/embed/static.ts';
import { searchSessions } from '../../src/search/search-sessions.ts';
import { ASSETS } from './embed/assets.ts';
import { createTestMemory, DAY, NOW, type TestMemory, type TestModel } from './test-memory.ts';

const MODELS = [
  ['static', loadStatic],
  ['minilm', loadMinilm],
] as const;

const NOTES: Record<string, [title: string, narrative: string]> = {
  login: ['Users are signed out after an hour', 'The authentication cookie expires too early and people must log in again.'],
  images: ['Pictures load slowly on phones', 'Thumbnails are now compressed before they are delivered.'],
  payment: ['Customers were charged twice', 'The billing webhook was retried without an idempotency key.'],
  build: ['The compiler runs out of memory', 'The bundler keeps every source map until the end.'],
  mail: ['Newsletters end up as spam', 'The sending domain had no signature.'],
  dates: ['Birthdays are off by one day', 'The time zone of the server was applied to a plain date.'],
  fonts: ['The typeface of headlines changed', 'Headlines use a serif now.'],
  backup: ['A nightly copy of the database goes to another region', 'Restoring it takes twenty minutes.'],
};
const OLD_DECISION = 'We decided to store uploads on the local disk of the web server';
const NEW_DECISION = 'We decided to store uploads in an S3 bucket instead of the local disk of the web server';
const REPEATED = 'The flaky checkout test waits for the payment iframe before it clicks';

describe.each(MODELS)('with %s', (name, load) => {
  let memory: TestMemory;
  let model: TestModel;
  const ids: Record<string, string> = {};
  const shelf = (session: string) => memory.shelf('/home/dev/shop', session);

  beforeAll(async () => {
    memory = createTestMemory();
    for (const [name, [title, narrative]] of Object.entries(NOTES)) {
      ids[name] = shelf(name).observe(title, NOW - 30 * DAY, { type: 'discovery', narrative });
    }
    ids.old = shelf('old').observe(OLD_DECISION, NOW - 20 * DAY, { type: 'decision' });
    ids.new = shelf('new').observe(NEW_DECISION, NOW - 10 * DAY, { type: 'decision' });
    for (const [at, name] of ['first', 'second', 'third'].entries()) {
      ids[name] = shelf(name).observe(REPEATED, NOW - (9 - at) * DAY, { type: 'bugfix' });
    }
    ids.german = shelf('german').observe('Kartenkacheln bleiben sieben Tage im Zwischenspeicher', NOW - 8 * DAY, {
      keywords: 'map tiles cached offline, seven days, street map without network',
    });
    model = memory.addModel(load(ASSETS));
    await model.embed();
  });
  afterAll(() => memory.close());

  test.each([
    ['photos are sluggish on mobile', 'images'],
    ['junk mail', 'mail'],
    ['db backup', 'backup'],
    // The one is more of a dictionary, the other more of a reader.
    ...(name === 'static' ? [['backups of data', 'backup']] : [['session logout problem', 'login']]),
  ])('%s finds %s, though no word is shared', async (query = '', wanted = '') => {
    const [best] = (await memory.search(query, { why: true })).results;
    expect(best?.id).toBe(ids[wanted] ?? '');
    expect(best?.why).toMatchObject({ words: [], keyword: 0 });
  });

  test('a memory in another language is found by the meaning of its English keywords', async () => {
    const { results } = await memory.search('atlas works with no internet connection', { why: true });
    expect(results.slice(0, 3).map(({ id }) => id)).toContain(ids.german ?? '');
    expect((await memory.search('street map')).results[0]?.id).toBe(ids.german ?? '');
  });

  test('the newer of two decisions comes first, without a mark that only the question would make', async () => {
    for (const query of [
      'where are uploads stored',
      'uploads local disk of the web server',
      'why did we decide to store uploads on the local disk',
    ]) {
      const { results } = await memory.search(query);
      const places = [ids.new, ids.old].map((id) => results.findIndex((hit) => hit.id === id));
      expect({ query, places }).toEqual({ query, places: [0, 1] });
      expect(results.map(({ replacedBy }) => replacedBy).slice(0, 2)).toEqual([null, null]);
    }
  });

  test('what was said three times is shown once: the newest, with the others folded into it', async () => {
    const { results, total } = await memory.search('flaky checkout test');
    expect(results[0]).toMatchObject({ id: ids.third, replacedBy: null });
    expect(results[0]?.alike.toSorted()).toEqual([ids.first ?? '', ids.second ?? ''].toSorted());
    expect(results.map(({ id }) => id)).not.toContain(ids.first ?? '');
    expect(total).toBe(results.length);
  });

  test('a question about something else is answered by a note alone', async () => {
    for (const query of ['recipe for apple pie with cinnamon', 'who won the football cup', 'xyzzy plugh']) {
      const { results, total, note } = await memory.search(query);
      expect({ query, results, total }).toEqual({ query, results: [], total: 0 });
      expect(note).toStartWith('Nothing relevant');
    }
  });

  test('a question in another language is answered by its words, or by the advice to ask in English', async () => {
    for (const query of ['wie lange muss das Brot in den Ofen', '¿cómo se hace el pan en el horno?', '面包要烤多久']) {
      const { results, note } = await memory.search(query);
      expect({ query, results }).toEqual({ query, results: [] });
      expect(note).toEndWith('ask a second time in English.');
    }
  });

  test('a session is found with its best memories, and what was said beside them helps', async () => {
    const long = shelf('long');
    const talk = ['The heron nests at the pond', 'It returns in spring', 'Its eggs are blue'].map((title, at) =>
      long.observe(title, NOW - 40 * DAY + at),
    );
    const other = shelf('lonely').observe('It returns in autumn', NOW - 40 * DAY);
    await model.embed();
    const [best] = await searchSessions(memory.finder, { query: 'heron returns', filters: { projectIds: null }, limit: 5 });
    expect(best?.sessionId).toBe(long.sessionId);
    expect(best?.best.length).toBe(3);
    const found = await memory.find('heron returns');
    expect(found.indexOf(talk[1] ?? '')).toBeLessThan(found.indexOf(other));
    memory.db.run('DELETE FROM sessions WHERE id IN (?, ?)', [long.sessionId, shelf('lonely').sessionId]);
    expect(await memory.find('heron')).toEqual([]);
  });
});
