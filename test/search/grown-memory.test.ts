// A memory of thousands: what is counted once is kept, and must not lie about what came since.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createTestMemory, NOW, type TestMemory } from './test-memory.ts';

const MANY = 5000;
let memory: TestMemory;
const ALL = { projectIds: null };

beforeAll(() => {
  memory = createTestMemory();
  const old = memory.shelf('/home/dev/old', 'old');
  old.observe('Sessions expire after a day', NOW - 900);
  old.observe('The parser is written by hand', NOW - 800);
  old.observe('Colours of the theme', NOW - 700);
  const others = Array.from({ length: 100 }, (_, n) => memory.shelf(`/home/dev/other${n % 4}`, `other-${n}`));
  memory.db.transaction(() => {
    for (let n = 0; n < MANY; n++) {
      const halves = n % 2 === 0 ? 'parser' : 'renderer';
      others[n % 100]?.observe(`Note ${n} about the ${halves}`, NOW - n * 60_000, {
        narrative: `Where the cache number ${n % 97} is kept and how sessions expire`,
      });
    }
  })();
});
afterAll(() => memory.close());

describe('a memory of thousands', () => {
  test('finds the best of a small project before it looks at what others say better', async () => {
    const small = memory.shelf('/home/dev/small', 'small-1');
    const ids = [
      small.observe('Sessions expire after an hour', NOW - 5),
      small.observe('The cache is kept on disk', NOW - 4),
      small.observe('Colours of the theme', NOW - 3),
      small.observe('A renderer for tables', NOW - 2),
      small.observe('Notes are numbered', NOW - 1),
    ];
    const filters = { projectIds: [small.projectId] };
    expect((await memory.find('how do sessions expire', { filters }))[0]).toBe(ids[0] ?? '');
    expect((await memory.find('where is the cache kept', { filters }))[0]).toBe(ids[1] ?? '');
    expect((await memory.find('renderer', { filters }))[0]).toBe(ids[3] ?? '');
    for (const query of ['sessions', 'cache', 'note', 'renderer', 'kept number']) {
      const { results } = await memory.search(query, { filters });
      expect(results.length).toBeGreaterThan(0);
      for (const { id } of results) expect(ids).toContain(id);
    }
  });

  test('finds the best of a small project that is older than all the others', async () => {
    const filters = { projectIds: [memory.shelf('/home/dev/old', 'old').projectId] };
    expect((await memory.search('how do sessions expire', { filters })).results[0]?.title).toContain('Sessions expire');
    expect((await memory.search('parser', { filters })).results[0]?.title).toContain('parser');
  });

  test('finds the best of a file, of a type and of a day before it looks at what others say better', async () => {
    const shelf = memory.shelf('/home/dev/small', 'small-2');
    const at = NOW - 400 * 86_400_000;
    const id = shelf.observe('A cache of sessions', at, { type: 'decision', filesModified: ['src/rare.ts'] });
    for (const filters of [{ file: 'src/rare.ts' }, { types: ['decision'] }, { until: at }, { session: 'small-2' }]) {
      expect(await memory.find('cache sessions', { filters: { ...ALL, ...filters } })).toEqual([id]);
    }
  });

  test('sees what is new, in every number that it keeps', async () => {
    const shelf = memory.shelf('/home/dev/growing', 'growing');
    const filters = { projectIds: [shelf.projectId] };
    expect(await memory.find('okapi', { filters })).toEqual([]);
    const ids = Array.from({ length: 8 }, (_, n) => shelf.observe(`okapi number ${n}`, NOW + n, { concepts: [`k${n}`] }));
    for (const search of [{ filters }, { filters: ALL }]) {
      const { results } = await memory.search('okapi', search);
      expect(results.flatMap(({ id, alike }) => [id, ...alike]).toSorted()).toEqual(ids.toSorted());
      for (const { score } of results) expect(score).toBeFinite();
    }
  });

  test('gives all pages of a long answer without gaps and without repeats', async () => {
    for (const order of ['relevance', 'date'] as const) {
      for (const limit of [40, 170]) {
        const seen: string[] = [];
        const totals = new Set<number>();
        for (let offset = 0; offset < 1000; offset += limit) {
          const { results, total } = await memory.search('parser 17', { order, limit, offset });
          totals.add(total);
          seen.push(...results.flatMap(({ id, alike, sameTurn }) => [id, ...alike, ...sameTurn]));
          if (results.length === 0) break;
          expect(results.length).toBe(Math.min(limit, total - offset));
        }
        expect({ order, limit, distinct: new Set(seen).size }).toEqual({ order, limit, distinct: seen.length });
        expect([...totals]).toHaveLength(1);
        expect(seen.length).toBe(200);
      }
    }
  });
});
