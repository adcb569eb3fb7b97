import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { AskError } from '../../src/core/ask-error.ts';
import { parseRef } from '../../src/core/memory.ts';
import { hideMemory } from '../../src/memory/hide.ts';
import { readTimeline } from '../../src/search/timeline.ts';
import { openShelf, type Shelf } from '../support/memories.ts';
import { createTestStore, type TestStore } from '../support/store.ts';

let store: TestStore;
let shop: Shelf;
let other: Shelf;
beforeEach(() => {
  store = createTestStore();
  shop = openShelf(store.db, '/home/dev/shop', 'one');
  other = openShelf(store.db, '/home/dev/other', 'two');
});
afterEach(() => store.close());

type Query = Partial<Parameters<typeof readTimeline>[1]>;
const read = (more: Query, best: string | null = null) =>
  readTimeline(store.db, { depthBefore: 10, depthAfter: 10, projectIds: [shop.projectId], isNamed: false, ...more }, async () =>
    best ? parseRef(best) : null,
  );
const idsAround = async (more: Query) => (await read(more)).items.map(({ id }) => id);

describe('the timeline', () => {
  test('is everything around an id, of all kinds, in the order of time', async () => {
    const late = shop.observe('late', 30);
    const prompt = shop.ask('q', 10);
    const [o, s] = [shop.observe('o', 20), shop.sumUp(25, { request: 'r' })];
    expect(await idsAround({ anchor: o })).toEqual([prompt, o, s, late]);
    expect(await idsAround({ anchor: `#${s.toLowerCase()}` })).toEqual([prompt, o, s, late]);
    expect((await read({ anchor: s })).anchor).toBe(s);
  });

  test('misses nothing and repeats nothing at equal times', async () => {
    const prompt = shop.ask('q', 5);
    const observations = Array.from({ length: 6 }, (_, at) => shop.observe(`o${at}`, 5));
    const summary = shop.sumUp(5, { request: 'r' });
    const all = [prompt, ...observations, summary];
    for (const anchor of all) expect(await idsAround({ anchor })).toEqual(all);
    const [, , o3, o4, o5] = all;
    expect(await idsAround({ anchor: o4, depthBefore: 1, depthAfter: 1 })).toEqual([o3 ?? '', o4 ?? '', o5 ?? '']);
  });

  test('around a time has what came before it and from then on', async () => {
    const at = Date.parse('2026-01-05T14:30:00Z');
    const [a, b, c] = [shop.observe('a', at - 1), shop.observe('b', at), shop.observe('c', at + 1)];
    const anchor = '2026-01-05T14:30:00Z';
    expect(await idsAround({ anchor })).toEqual([a, b, c]);
    expect(await idsAround({ anchor, depthBefore: 0 })).toEqual([b, c]);
    expect(await idsAround({ anchor, depthAfter: 0 })).toEqual([a]);
    expect((await read({ anchor })).anchor).toBeNull();
    expect(await read({ anchor: '2020-01-01', depthAfter: 0 })).toMatchObject({
      items: [],
      note: expect.stringContaining('Nothing is remembered'),
    });
  });

  test('around the best hit of a query, or a word that there is none', async () => {
    const [a, b] = [shop.observe('a', 1), shop.observe('b', 2)];
    const found = await read({ query: 'anything' }, b);
    expect(found).toMatchObject({ anchor: b, items: [{ id: a }, { id: b }] });
    expect(await read({ query: 'nothing' })).toMatchObject({ anchor: null, items: [], note: expect.any(String) });
  });

  test('of some types counts only these, and says that the anchor is none of them', async () => {
    const anchor = shop.ask('q', 5);
    const fixes = [1, 2, 3, 7, 8].map((at) => shop.observe(`fix ${at}`, at, { type: 'bugfix' }));
    for (const at of [4, 6]) shop.observe(`change ${at}`, at);
    const answer = await read({ anchor, types: ['bugfix'], depthBefore: 2, depthAfter: 1 });
    expect(answer.items.map(({ id }) => id)).toEqual(fixes.slice(1, 4));
    expect(answer).toMatchObject({ anchor, note: expect.stringContaining('left out by the filter') });
    expect(await idsAround({ anchor, types: ['prompt'] })).toEqual([anchor]);
  });

  test('is of one project; an id leads to its own, unless another was named', async () => {
    const [a, b, c] = [shop.observe('a', 1), other.observe('b', 2), shop.observe('c', 3)];
    expect(await idsAround({ anchor: a })).toEqual([a, c]);
    expect(await idsAround({ anchor: a, projectIds: null })).toEqual([a, b, c]);
    const elsewhere = await read({ anchor: b });
    expect(elsewhere).toMatchObject({ items: [{ id: b }], note: expect.stringContaining('another project') });
    await expect(read({ anchor: b, isNamed: true })).rejects.toThrow('is of another project');
  });

  test('leaves out what is hidden, also as an anchor', async () => {
    const [a, b] = [shop.observe('a', 1), shop.observe('b', 2)];
    hideMemory(store.db, { kind: 'observation', id: Number(b) }, 3);
    expect(await idsAround({ anchor: a })).toEqual([a]);
    await expect(read({ anchor: b })).rejects.toThrow(`There is no memory ${b}.`);
  });

  test.each([[{}], [{ anchor: '1', query: 'x' }], [{ anchor: 'soon' }], [{ anchor: '2026-02-30' }], [{ anchor: 'S999' }]])(
    'refuses %p with a sentence',
    async (more) => {
      await expect(read(more)).rejects.toThrow(AskError);
    },
  );
});
