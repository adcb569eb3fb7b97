// What a search is limited to: nothing outside of it, and all that is inside.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { hideMemory } from '../../src/memory/hide.ts';
import type { Filters } from '../../src/search/filters.ts';
import { createTestMemory, DAY, NOW, type TestMemory } from './test-memory.ts';

let memory: TestMemory;
let projects: Record<'shop' | 'other' | 'empty', number>;

/** Every memory here says zebra; its session tells which one it is. */
beforeAll(() => {
  memory = createTestMemory();
  const shelf = (session: string, root = '/home/dev/shop') => memory.shelf(root, session);
  const zebra = (session: string) => `zebra ${session}`;
  shelf('plain').observe(zebra('plain'), NOW);
  shelf('decision').observe(zebra('decision'), NOW, { type: 'decision' });
  shelf('bugfix').observe(zebra('bugfix'), NOW, { type: 'bugfix' });
  shelf('summary').sumUp(NOW, { request: zebra('summary') });
  shelf('prompt').ask(zebra('prompt'), NOW);
  shelf('concept').observe(zebra('concept'), NOW, { concepts: ['Auth', 'cache keys'] });
  shelf('changed').observe(zebra('changed'), NOW, { filesModified: ['src/store/open.ts'] });
  shelf('read').observe(zebra('read'), NOW, { filesRead: ['/home/dev/shop/src/store/open.ts'] });
  shelf('edited').sumUp(NOW, { request: zebra('edited'), filesEdited: ['src/store/open.ts'] });
  shelf('likeness').observe(zebra('likeness'), NOW, { filesModified: ['src/store/my_file.ts'] });
  shelf('percent').observe(zebra('percent'), NOW, { filesModified: ['src/100%/a.ts'] });
  shelf('old').observe(zebra('old'), NOW - 10 * DAY);
  shelf('older').observe(zebra('older'), NOW - 20 * DAY);
  shelf('branch').observe(zebra('branch'), NOW);
  memory.db.run("UPDATE sessions SET branch = 'fix/stripes' WHERE host_session_id = 'branch'");
  shelf('elsewhere', '/home/dev/other').observe(zebra('elsewhere'), NOW);
  const hidden = shelf('hidden').observe(zebra('hidden'), NOW, { concepts: ['Auth'] });
  hideMemory(memory.db, { kind: 'observation', id: Number(hidden) }, NOW);
  projects = {
    shop: shelf('plain').projectId,
    other: shelf('elsewhere', '/home/dev/other').projectId,
    empty: shelf('nothing', '/home/dev/empty').projectId,
  };
});
afterAll(() => memory.close());

const FILE = ['changed', 'edited', 'read'];
const CASES: [string, Partial<Filters>, string[]][] = [
  ['one type', { types: ['decision'] }, ['decision']],
  ['several types and kinds', { types: ['bugfix', 'summary', 'prompt'] }, ['bugfix', 'edited', 'prompt', 'summary']],
  ['a type that nothing has', { types: ['feature'] }, []],
  ['a concept, whatever its case', { concept: 'auth' }, ['concept']],
  ['a concept of two words', { concept: 'cache keys' }, ['concept']],
  ['a part of a concept', { concept: 'cache' }, []],
  ['a relative path', { file: 'src/store/open.ts' }, FILE],
  ['a relative path from here', { file: './src/store/open.ts' }, FILE],
  ['an absolute path', { file: '/home/dev/shop/src/store/open.ts' }, FILE],
  ['the end of a path', { file: 'open.ts' }, FILE],
  ['a path with other slashes', { file: 'store\\open.ts' }, FILE],
  ['what is not the whole name of a file', { file: 'pen.ts' }, []],
  ['a name that only looks like another', { file: '/home/dev/shop/src/store/my-file.ts' }, []],
  ['a name with an underscore', { file: '/home/dev/shop/src/store/my_file.ts' }, ['likeness']],
  ['a sign that means anything elsewhere', { file: '%' }, []],
  ['a name that a stored sign would mean, too', { file: '/home/src/100 and more/a.ts' }, []],
  ['a path with such a sign', { file: '100%/a.ts' }, ['percent']],
  ['a time from', { since: NOW }, ['!', 'old', 'older']],
  ['a time until', { until: NOW - 10 * DAY }, ['old', 'older']],
  ['a time between', { since: NOW - 15 * DAY, until: NOW - DAY }, ['old']],
  ['a time that ends before it begins', { since: NOW, until: NOW - DAY }, []],
  ['a session', { session: 'plain' }, ['plain']],
  ['the beginning of a session', { session: 'old' }, ['old', 'older']],
  ['a session by a sign that means anything elsewhere', { session: '_lain' }, []],
  ['a branch', { branch: 'fix/stripes' }, ['branch']],
  ['a part of a branch', { branch: 'fix' }, []],
  ['two things at once', { types: ['change'], file: 'open.ts' }, ['changed', 'read']],
];

const sessionsOf = ({ results }: { results: { session: string | null }[] }) => results.map(({ session }) => session ?? '').toSorted();

describe('a search within', () => {
  test.each(CASES)('%s', async (_, filters, expected) => {
    const all = { projectIds: [projects.shop], ...filters };
    const inShop = sessionsOf(await memory.search('', { filters: { projectIds: [projects.shop] } }));
    const wanted = expected[0] === '!' ? inShop.filter((session) => !expected.includes(session)) : expected;
    expect(sessionsOf(await memory.search('zebra', { filters: all }))).toEqual(wanted);
    expect(sessionsOf(await memory.search('', { filters: all }))).toEqual(wanted);
    expect((await memory.search('zebra', { filters: all })).total).toBe(wanted.length);
  });

  test('all but the session that asks', async () => {
    const inShop = { projectIds: [projects.shop] };
    const all = sessionsOf(await memory.search('', { filters: inShop }));
    const filters = { ...inShop, exceptSession: memory.shelf('/home/dev/shop', 'old').sessionId };
    for (const query of ['zebra', ''])
      expect(sessionsOf(await memory.search(query, { filters }))).toEqual(all.filter((session) => session !== 'old'));
  });

  test('one project, several, none and all', async () => {
    const counted = async (projectIds: number[] | null, query = 'zebra') => (await memory.search(query, { filters: { projectIds } })).total;
    for (const query of ['zebra', '']) {
      expect(await counted([projects.shop], query)).toBe(14);
      expect(await counted([projects.other], query)).toBe(1);
      expect(await counted([projects.shop, projects.other], query)).toBe(15);
      expect(await counted([projects.empty], query)).toBe(0);
      expect(await counted([], query)).toBe(0);
      expect(await counted(null, query)).toBe(15);
    }
  });

  test('a project does not tell what is elsewhere, not even that it is', async () => {
    const filters = { projectIds: [projects.empty] };
    expect(await memory.search('zebra', { filters })).toMatchObject({ results: [], total: 0, note: expect.any(String) });
    const { scored } = await memory.finder.find('zebra', { projectIds: [projects.other] });
    expect(scored.map(({ candidate }) => candidate.projectId)).toEqual([projects.other]);
  });
});
