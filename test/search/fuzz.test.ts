// Whatever is asked for, in whatever script, is an ordinary query: an answer that holds what it promises, never an error.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { loadStatic } from '../../src/search/embed/static.ts';
import { type Filters, toCondition } from '../../src/search/filters.ts';
import { searchWords } from '../../src/search/keyword.ts';
import { createKnownWords } from '../../src/search/known-words.ts';
import { readQuery } from '../../src/search/query-words.ts';
import type { MemorySearch } from '../../src/search/search.ts';
import { searchSessions } from '../../src/search/search-sessions.ts';
import { acceptDocuments } from '../../src/search/vectors/accept.ts';
import { type SeededRandom, seededRandom } from '../core/seeded-random.ts';
import { ASSETS } from './embed/assets.ts';
import { makeQuery } from './random-query.ts';
import { createTestMemory, DAY, NOW, type TestMemory } from './test-memory.ts';

const isFull = Boolean(process.env.CLAUDE_MEM_TEST_FULL);
const WORD_ROUNDS = isFull ? 1_000_000 : 5000;
const WHOLE_ROUNDS = isFull ? 10_000 : 150;

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
      else
        shelf.observe(text, at, {
          type: random.of(['decision', 'bugfix', 'change']),
          concepts: [random.of(['x', '東'])],
        });
    }
  })();
  await memory.addModel(loadStatic(ASSETS)).embed();
});
afterAll(() => memory.close());

test(`${WORD_ROUNDS} random texts are legal queries of the word index`, () => {
  const random = seededRandom(1);
  const known = createKnownWords(memory.db);
  known.renew();
  const all = memory.db.query<{ id: number }, []>('SELECT id FROM documents').all();
  const some = all.filter((_, at) => at % 3 === 0).map(({ id }) => id);
  const scopes = [
    { accept: undefined, count: all.length },
    { accept: acceptDocuments(some), count: some.length },
  ];
  let found = 0;
  // One look at the store for all of them: to begin one for each statement is half of the time.
  memory.db.run('BEGIN');
  for (let round = 0; round < WORD_ROUNDS; round++) {
    const query = makeQuery(random);
    const scope = random.of(scopes);
    const limit = random.below(20) + 1;
    const { hits, error } = attempt(() => searchWords(memory.db, known, { query, scope, limit }));
    const faults = error ? [error] : faultsOf(hits, limit, scope.accept ? new Set(some) : null);
    // An expectation for each would be most of the time.
    if (faults.length > 0) expect({ query: JSON.stringify(query).slice(0, 500), faults }).toBeNull();
    found += hits.length;
  }
  memory.db.run('COMMIT');
  expect(found).toBeGreaterThan(WORD_ROUNDS / 2);
}, 3_600_000);

type Hits = ReturnType<typeof searchWords>;

function attempt(search: () => Hits): { hits: Hits; error: string | null } {
  try {
    return { hits: search(), error: null };
  } catch (error) {
    return { hits: [], error: String(error) };
  }
}

function faultsOf(hits: Hits, limit: number, inside: Set<number> | null): string[] {
  const faults: string[] = [];
  if (hits.length > limit) faults.push(`${hits.length} hits for a limit of ${limit}`);
  if (new Set(hits.map(({ document }) => document)).size !== hits.length) faults.push('a document twice');
  for (const [at, { document, score, coverage, words }] of hits.entries()) {
    if (!Number.isFinite(score) || score <= 0) faults.push(`a score of ${score}`);
    if (!(coverage >= 0 && coverage <= 1.000001)) faults.push(`a coverage of ${coverage}`);
    if (words.length === 0) faults.push('a hit without a word');
    if (inside && !inside.has(document)) faults.push('a document outside of the scope');
    if (score > (hits[at - 1]?.score ?? Infinity)) faults.push('a better one after a worse one');
  }
  return faults;
}

test('every term of a random text has words, and there are never too many of them', () => {
  const random = seededRandom(2);
  for (let round = 0; round < 5000; round++) {
    const terms = readQuery(makeQuery(random));
    const keys = terms.map(({ stem, text }) => `${stem === null} ${stem ?? text.toLowerCase()}`);
    if (terms.length > 60 || new Set(keys).size !== keys.length) expect(keys).toEqual([]);
    for (const { text, expression } of terms) {
      if (text === '' || !text.isWellFormed() || /[\0]/.test(expression)) expect({ text, expression }).toBeNull();
    }
  }
});

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

type Asked = Pick<MemorySearch, 'filters' | 'order' | 'limit' | 'offset'>;

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
