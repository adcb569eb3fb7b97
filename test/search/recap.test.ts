import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { hideMemory } from '../../src/memory/hide.ts';
import { readRecap } from '../../src/search/rollup.ts';
import { openShelf, replaced, type Shelf } from '../support/memories.ts';
import { createTestStore, type TestStore } from '../support/store.ts';

let store: TestStore;
let monday: Shelf;
let tuesday: Shelf;
beforeEach(() => {
  store = createTestStore();
  monday = openShelf(store.db, '/home/dev/shop', 'monday');
  tuesday = openShelf(store.db, '/home/dev/shop', 'tuesday');
});
afterEach(() => store.close());

const recap = (since = 0, until = 1000) => readRecap(store.db, { projectIds: null, since, until, now: 1000 }).projects;
const titles = (rows: { title: string }[] | undefined) => rows?.map(({ title }) => title);

describe('a recap', () => {
  test('tells what was done and decided in that time, in the order of time', () => {
    monday.observe('Long ago', 1);
    monday.observe('Fix the login of guests', 10, { type: 'bugfix', outcome: 'passed' });
    monday.observe('Use keyset pagination', 11, { type: 'decision' });
    tuesday.observe('Add a rate limit', 20, { type: 'feature' });
    tuesday.observe('Later', 31);
    const [shop] = recap(10, 30);
    expect(shop).toMatchObject({ project: 'shop', sessions: 2 });
    expect(titles(shop?.done)).toEqual(['Fix the login of guests', 'Add a rate limit']);
    expect(titles(shop?.decided)).toEqual(['Use keyset pagination']);
  });

  test('leaves out what is hidden, replaced, failed, ruled out or from outside', () => {
    const hidden = monday.observe('Hidden work on tables', 1);
    hideMemory(store.db, { kind: 'observation', id: Number(hidden) }, 2);
    const old = monday.observe('Replaced work on routes', 1);
    const kept = monday.observe('Real work', 2);
    replaced(store.db, old, kept);
    monday.observe('Tried another parser', 3, { outcome: 'ruled-out' });
    monday.observe('Broke the build', 3, { outcome: 'failed' });
    monday.observe('Read on the web', 4, { origin: 'web' });
    expect(titles(recap()[0]?.done)).toEqual(['Real work']);
  });

  test('folds near-repeats into the last one', () => {
    monday.observe('Fix flaky login test', 1, { type: 'bugfix' });
    tuesday.observe('Fixed the flaky login tests', 2, { type: 'bugfix' });
    tuesday.observe('Fix flaky logout test', 3, { type: 'bugfix' });
    monday.observe('Use Redis for counters', 1, { type: 'decision' });
    tuesday.observe('Use Redis for the counters', 2, { type: 'decision' });
    const [shop] = recap();
    expect(titles(shop?.done)).toEqual(['Fixed the flaky login tests', 'Fix flaky logout test']);
    expect(titles(shop?.decided)).toEqual(['Use Redis for the counters']);
  });

  test('tells a decision once, and nothing of a session that changed nothing', () => {
    monday.observe('Set the attribute in an inline script', 1);
    monday.observe('Set the attribute in an inline script', 1, { type: 'decision' });
    tuesday.sumUp(2, { request: 'r', completed: 'I changed nothing; the fix would be int.' });
    const [shop] = recap();
    expect([shop?.done.length, shop?.decided.length]).toEqual([0, 1]);
  });

  test('tells of a session without observations by what its summary says was completed', () => {
    monday.sumUp(10, { request: 'Tidy up', completed: '- Renamed the folders\n- Moved the tests' });
    const [shop] = recap();
    expect(shop?.done).toMatchObject([{ id: 'S1', title: 'Renamed the folders', kind: 'summary' }]);
  });

  test('tells of a commit that had a turn of its own, beside the work that it holds', () => {
    const turn = (id: string, number: number) =>
      store.db.run(`UPDATE ${id.startsWith('S') ? 'summaries' : 'observations'} SET prompt_number = ? WHERE id = ?`, [
        number,
        Number(id.replace('S', '')),
      ]);
    turn(monday.observe('Write the parser of invoices', 10, { type: 'feature' }), 1);
    turn(monday.sumUp(11, { request: 'Write it', completed: 'Committed 1234567: Parser of invoices.' }), 1);
    turn(monday.sumUp(12, { request: 'try it', completed: 'The parser reads all of the samples.' }), 2);
    turn(monday.sumUp(13, { request: 'commit!', completed: 'Committed abc1234: Read invoices by mail.' }), 3);
    expect(titles(recap()[0]?.done)).toEqual(['Write the parser of invoices', 'Committed abc1234: Read invoices by mail.']);
  });

  test('tells what was found out only of a session that did nothing else', () => {
    monday.observe('Add a rate limit', 10, { type: 'feature' });
    monday.observe('The proxy strips the header', 11, { type: 'discovery' });
    tuesday.observe('The broker has one dead node', 20, { type: 'discovery' });
    expect(titles(recap()[0]?.done)).toEqual(['Add a rate limit', 'The broker has one dead node']);
  });

  test('is by project, the latest first, and none where nothing was', () => {
    openShelf(store.db, '/home/dev/blog', 'b').observe('Wrote a post', 50);
    monday.observe('Fixed it', 10);
    openShelf(store.db, '/home/dev/silent', 'c').sumUp(60, { request: 'thanks' });
    expect(recap().map(({ project }) => project)).toEqual(['blog', 'shop']);
    expect(recap(70, 80)).toEqual([]);
  });

  test('of very much is short, and keeps the most telling', () => {
    for (let at = 0; at < 300; at++) monday.observe(`Changed number${at} of thing${at}`, at);
    monday.observe('Built the importer', 5, { type: 'feature' });
    const [shop] = recap();
    expect(shop?.done.length).toBeLessThanOrEqual(15);
    expect(titles(shop?.done)).toContain('Built the importer');
  });
});
