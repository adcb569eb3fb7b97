// Whatever is asked for, in whatever script, is an ordinary query: an answer that holds what it promises, never an error.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { loadStatic } from '../../src/search/embed/static.ts';
import { type Filters, toCondition } from '../../src/search/filters.ts';
import type { searchMemories } from '../../src/search/search.ts';
import { searchSessions } from '../../src/search/search-sessions.ts';
import { type SeededRandom, seededRandom } from '../core/seeded-random.ts';
import { ASSETS } from './embed/assets.ts';
import { makeQuery } from './random-query.ts';
import { createTestMemory, DAY, NOW, type TestMemory } from './test-memory.ts';

const isFull = Boolean(process.env.CLAUDE_MEM_TEST_FULL);
const WHOLE_ROUNDS = isFull ? 100_000 : 400;

let memory: TestMemory;
let projects: number[];

beforeAll(async () => {
  memory = createTestMemory();
  const random = seededRandom(3);
  memory.db.transaction(() => {
    const shelves = ['shop', 'shop', 'other', 'third'].map((root, at) => memory.shelf(`/home/dev/${root}`, `s${at}`));
    projects = [...new Set(shelves.map(({ projectId }) => projectId))];
    for (let n = 0; n < 60; n++) {
      const shelf = random.of(shelves);
      const at = NOW - random.below(30) * DAY;
      const text = makeQuery(random).slice(0, 2000).toWellFormed();
      if (n % 5 === 0) shelf.ask(text || 'x', at);
      else if (n % 5 === 1) shelf.sumUp(at, { request: text, filesEdited: ['src/a.ts'] });
      else shelf.observe(text, at, { type: random.of(['decision', 'bugfix', 'change']), concepts: [random.of(['x', '東'])] });
    }
  })();
  await memory.addModel(loadStatic(ASSETS)).embed();
});
afterAll(() => memory.close());

test(`${WHOLE_ROUNDS} random texts are legal queries of the whole search, within any filters`, async () => {
  const random = seededRandom(4);
  for (let round = 0; round < WHOLE_ROUNDS; round++) {
    const query = makeQuery(random);
    const search = makeSearch(random);
    const where = { query: JSON.stringify(query).slice(0, 500), search };
    const { results, total, note } = await memory.search(query, search);
    const ids = results.flatMap(({ id, alike }) => [id, ...alike]);
    expect({ ...where, distinct: new Set(ids).size }).toEqual({ ...where, distinct: ids.length });
    expect(results.length).toBe(Math.max(0, Math.min(search.limit, total - search.offset)));
    expect({ ...where, outside: ids.filter((id) => !isInside(id, search.filters)) }).toEqual({ ...where, outside: [] });
    if (total === 0) expect({ ...where, note }).toEqual({ ...where, note: expect.any(String) });
    const marks = results.map(({ score }) => score);
    expect({ ...where, marks: marks.filter(Number.isFinite) }).toEqual({ ...where, marks });
    const { scored } = await memory.finder.find(query, search.filters);
    const odd = scored.filter(({ coverage, parts }) => !(coverage >= 0 && coverage <= 1.000001 && isSound(parts)));
    expect({ ...where, odd }).toEqual({ ...where, odd: [] });
    const sessions = await searchSessions(memory.finder, { query, filters: search.filters, limit: search.limit });
    expect(sessions.length).toBeLessThanOrEqual(search.limit);
    expect(new Set(sessions.map(({ sessionId }) => sessionId)).size).toBe(sessions.length);
  }
}, 3_600_000);

const isSound = (parts: Record<string, number>) => Object.values(parts).every(Number.isFinite);

type Asked = Pick<Parameters<typeof searchMemories>[1], 'filters' | 'order' | 'limit' | 'offset'>;

function makeSearch(random: SeededRandom): Asked {
  const filters: Filters = { projectIds: random.of([null, null, projects.slice(0, 1), projects.slice(1), []]) };
  const chance = random.below(10);
  if (chance === 0) filters.types = [random.of(['decision', 'prompt', 'summary'])];
  if (chance === 1) filters.since = NOW - random.below(30) * DAY;
  if (chance === 2) filters.until = NOW - random.below(30) * DAY;
  if (chance === 3) filters.concept = random.of(['x', '東', makeQuery(random)]);
  if (chance === 4) filters.file = random.of(['a.ts', '/home/src/a.ts', '%', makeQuery(random)]);
  if (chance === 5) filters.session = random.of(['s', 's1', '%', makeQuery(random)]);
  if (chance === 6) filters.branch = random.of(['main', makeQuery(random)]);
  const order = random.of(['relevance', 'relevance', 'date'] as const);
  return { filters, order, limit: random.below(50) + 1, offset: random.of([0, 0, 0, 3, 500]) };
}

function isInside(id: string, filters: Filters): boolean {
  const condition = toCondition(filters);
  const letter = /^[SP]/.exec(id)?.[0] ?? '';
  const kind = { '': 'observation', S: 'summary', P: 'prompt' }[letter] ?? '';
  const ref = Number(id.slice(letter.length));
  const row = memory.db
    .query<{ id: number }, [Record<string, string | number>]>(
      `SELECT d.id FROM documents d WHERE d.kind = $kind AND d.ref = $ref AND ${condition.sql}`,
    )
    .get({ ...condition.values, kind, ref });
  return row !== null;
}
