import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { hideMemory } from '../../src/memory/hide.ts';
import { readFileHistory } from '../../src/search/timeline.ts';
import { openShelf, type Shelf } from '../support/memories.ts';
import { createTestStore, type TestStore } from '../support/store.ts';

const ROOT = '/home/dev/shop';
let store: TestStore;
let shop: Shelf;
beforeEach(() => {
  store = createTestStore();
  shop = openShelf(store.db, ROOT, 'one');
});
afterEach(() => store.close());

type Query = Partial<Parameters<typeof readFileHistory>[1]>;
const read = (path: string, more: Query = {}, renames: Record<string, string[]> = {}) =>
  readFileHistory(
    store.db,
    { path, cwd: ROOT, root: ROOT, projectIds: [shop.projectId], limit: 40, offset: 0, ...more },
    async (name) => renames[name] ?? [],
  );
const idsOf = async (path: string, more: Query = {}) => (await read(path, more)).results.map(({ id }) => id);

describe('the history of a file', () => {
  test('is every memory that changed or read it, newest first', async () => {
    const readBefore = shop.observe('looked', 1, { filesRead: ['src/store/open.ts'] });
    const changed = shop.observe('changed', 3, { filesModified: ['a.ts', 'src/store/open.ts'], filesRead: ['src/store/open.ts'] });
    const summed = shop.sumUp(2, { request: 'r', filesEdited: ['src/store/open.ts'] });
    shop.observe('another', 4, { filesModified: ['src/store/opens.ts', 'src/store/open.tsx', 'lib/open.ts'] });
    shop.observe('only said', 5, { narrative: 'src/store/open.ts' });
    const { path, results, total, earlierNames } = await read('src/store/open.ts');
    expect(results.map(({ id, did }) => [id, did])).toEqual([
      [changed, 'changed'],
      [summed, 'changed'],
      [readBefore, 'read'],
    ]);
    expect({ path, total, earlierNames }).toEqual({ path: 'src/store/open.ts', total: 3, earlierNames: [] });
  });

  test('is found by any way to name it', async () => {
    const id = shop.observe('x', 1, { filesModified: ['src/store/open.ts'] });
    for (const [path, cwd] of [
      ['src/store/open.ts', ROOT],
      ['./src//store/../store/open.ts', ROOT],
      ['open.ts', `${ROOT}/src/store`],
      ['../store/open.ts', `${ROOT}/src/git`],
      ['src/store/open.ts', `${ROOT}/src/git`],
      [`${ROOT}/src/store/open.ts`, '/'],
      ['store/open.ts', ROOT],
      ['open.ts', ROOT],
      ['src\\store\\open.ts', ROOT],
    ] as const) {
      expect(await read(path, { cwd })).toMatchObject({ path: 'src/store/open.ts', results: [{ id }] });
    }
    for (const path of ['pen.ts', 'store', 'open', 'x/open.ts', '"', '*', 'NEAR(a b)', '🙂', '\0', 'OR'])
      expect(await idsOf(path)).toEqual([]);
  });

  test('is of the file at hand before others of that name, and of all of them when none is', async () => {
    const top = shop.observe('top', 1, { filesModified: ['README.md'] });
    const inner = shop.observe('inner', 2, { filesModified: ['docs/README.md'] });
    const deep = shop.observe('deep', 3, { filesModified: ['docs/api/README.md'] });
    expect(await idsOf('README.md')).toEqual([top]);
    expect(await idsOf('README.md', { cwd: `${ROOT}/docs` })).toEqual([inner]);
    expect(await idsOf('api/README.md')).toEqual([deep]);
    expect(await idsOf('README.md', { cwd: null, root: null })).toEqual([top]);
    store.db.run("DELETE FROM observations WHERE title = 'top'");
    expect(await idsOf('README.md', { cwd: ROOT })).toEqual([deep, inner]);
  });

  test('goes on under earlier names, as git knows them', async () => {
    const old = shop.observe('old', 1, { filesModified: ['lib/db.ts'] });
    const now = shop.observe('now', 2, { filesModified: ['src/store/open.ts'] });
    const renames = { 'src/store/open.ts': ['lib/open.ts', 'lib/db.ts'], 'src/new.ts': ['lib/db.ts'] };
    const answer = await read('open.ts', {}, renames);
    expect(answer.results.map(({ id }) => id)).toEqual([now, old]);
    expect(answer.earlierNames).toEqual(['lib/open.ts', 'lib/db.ts']);
    // Nothing is remembered under the new name yet.
    expect((await read('src/new.ts', {}, renames)).results.map(({ id }) => id)).toEqual([old]);
  });

  test('is of one project unless asked, without what is hidden, page by page', async () => {
    const other = openShelf(store.db, '/home/dev/other', 'two');
    const away = other.observe('away', 9, { filesModified: ['a.ts'] });
    const all = [1, 2, 3, 4].map((at) => shop.observe(`o${at}`, at, { filesModified: ['a.ts'] })).reverse();
    expect(await idsOf('a.ts')).toEqual(all);
    expect(await idsOf('a.ts', { projectIds: null })).toEqual([away, ...all]);
    expect(await read('a.ts', { limit: 2, offset: 1 })).toMatchObject({ total: 4, results: [{ id: all[1] }, { id: all[2] }] });
    hideMemory(store.db, { kind: 'observation', id: Number(all[0]) }, 9);
    expect(await idsOf('a.ts')).toEqual(all.slice(1));
  });

  test('of no path is refused', async () => {
    await expect(read('  ')).rejects.toThrow('path is empty');
  });
});
