// The routes of search, by the app itself: where they look, what they leave out, how they page and how they refuse.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { remember } from '../../../src/capture/remember.ts';
import { loadConfig } from '../../../src/config.ts';
import { agentHeader } from '../../../src/core/search.ts';
import type { SearchAnswer, SessionSearchAnswer } from '../../../src/core/shapes/search.ts';
import { hideMemory } from '../../../src/memory/hide.ts';
import { recordTelling } from '../../../src/memory/injections.ts';
import { limitAgents } from '../../../src/server/http/agent-limit.ts';
import { type Api, createApi } from '../../../src/server/http/api.ts';
import { searchRoutes } from '../../../src/server/routes/search.ts';
import { createTestMemory, DAY, NOW, type TestMemory } from '../../search/test-memory.ts';

const CWD = '/home/dev/shop';
const HERE = { cwd: CWD };
const logged: string[] = [];
let memory: TestMemory;
let api: Api;
const ids: Record<string, string> = {};

beforeAll(() => {
  memory = createTestMemory();
  const note = (message: string) => logged.push(message);
  const { db, finder } = memory;
  api = createApi(searchRoutes({ db, finder, clock: () => NOW, findBest: async () => null }), {
    version: 'test',
    log: { debug: note, info: note, warn: note, error: note },
    before: limitAgents({ db, config: () => loadConfig('', {}).config }),
  });
  fill();
});
beforeEach(() => {
  logged.length = 0;
});
afterAll(() => memory.close());

/** All say zebra, each with something of its own, each in a session of its name. */
function fill(): void {
  const shelf = (session: string, root = CWD) => memory.shelf(root, session);
  const one = shelf('one');
  ids.decision = one.observe('zebra decided', NOW - 5 * DAY, { type: 'decision', concepts: ['Auth'] });
  ids.bugfix = shelf('two').observe('zebra fixed', NOW - 2 * DAY, { type: 'bugfix', filesModified: ['src/open.ts'] });
  ids.summary = shelf('three').sumUp(NOW - DAY, { request: 'zebra summed up', filesRead: ['src/open.ts'] });
  ids.prompt = shelf('four').ask('zebra asked', NOW - 60_000);
  memory.db.run("UPDATE sessions SET branch = 'fix/stripes' WHERE host_session_id = 'four'");
  ids.other = shelf('five', '/home/dev/other').observe('zebra elsewhere', NOW);
  ids.everywhere = remember(memory.db, { text: 'zebra everywhere', global: true, by: 'user' }, NOW - 3 * DAY).id;
  ids.cjk = shelf('six').observe('認証トークンの有効期限', NOW - 8 * DAY);
  const hidden = shelf('seven').observe('zebra hidden', NOW);
  hideMemory(memory.db, { kind: 'observation', id: Number(hidden) }, NOW);
  for (const root of ['/a/twin', '/b/twin']) shelf(root, root).observe('nothing', NOW);
}

async function ask<Answer = SearchAnswer>(parameters: Record<string, string>, route = '/api/search', headers: Record<string, string> = {}) {
  const response = await api.app.request(`${route}?${new URLSearchParams(parameters)}`, { headers });
  // The routes say of themselves that they satisfy this type.
  return { status: response.status, body: (await response.json()) as Answer };
}

/** By the names above. */
async function find(parameters: Record<string, string>): Promise<string[]> {
  const { status, body } = await ask({ query: 'zebra', ...parameters });
  expect({ status, logged }).toEqual({ status: 200, logged: [] });
  const names = new Map(Object.entries(ids).map(([name, id]) => [id, name]));
  return body.results.map(({ id }) => names.get(id) ?? id).toSorted();
}

const SHOP = ['bugfix', 'decision', 'everywhere', 'prompt', 'summary'];

describe('a search looks', () => {
  test.each([
    ['in the project of the asker and in what holds everywhere', HERE, SHOP],
    ['there also from a folder inside', { cwd: `${CWD}/../shop` }, SHOP],
    ['in another project by its name', { project: 'other', ...HERE }, ['everywhere', 'other']],
    ['in every project', { all: 'true', project: 'other', ...HERE }, [...SHOP, 'other'].toSorted()],
    ['not everywhere when all is false', { all: 'false', ...HERE }, SHOP],
    ['only in what holds everywhere, from a folder nobody knows', { cwd: '/home/dev/new' }, ['everywhere']],
    ['for a type', { ...HERE, type: 'decision' }, ['decision', 'everywhere']],
    ['for several types and kinds', { ...HERE, type: 'bugfix, summary,' }, ['bugfix', 'summary']],
    ['for observations', { ...HERE, type: 'observation' }, ['bugfix', 'decision', 'everywhere']],
    ['for prompts', { ...HERE, type: 'prompt' }, ['prompt']],
    ['for a concept', { ...HERE, concept: 'auth' }, ['decision']],
    ['for a file', { ...HERE, file: 'open.ts' }, ['bugfix', 'summary']],
    ['for a file by its whole path', { ...HERE, file: `${CWD}/src/open.ts` }, ['bugfix', 'summary']],
    ['for a session', { ...HERE, session: 'two' }, ['bugfix']],
    ['for a branch', { ...HERE, branch: 'fix/stripes' }, ['prompt']],
    ['since 3 days', { ...HERE, since: '3 days' }, ['bugfix', 'everywhere', 'prompt', 'summary']],
    ['since yesterday', { ...HERE, since: 'yesterday' }, ['prompt', 'summary']],
    ['since an hour', { ...HERE, since: '1h' }, ['prompt']],
    ['until a day', { ...HERE, until: '2026-03-13' }, ['decision']],
    ['between two days', { ...HERE, since: '2026-03-14', until: '2026-03-16' }, ['bugfix', 'everywhere']],
    ['for several things at once', { ...HERE, since: '3 days', type: 'bugfix,decision', file: 'open.ts' }, ['bugfix']],
  ] as [string, Record<string, string>, string[]][])('%s', async (_, parameters, expected) => {
    expect(await find(parameters)).toEqual(expected);
    // The same without words: then the one of other words may come, too.
    expect((await find({ ...parameters, query: '' })).filter((name) => expected.includes(name))).toEqual(expected);
  });

  test('for Chinese characters, and for any others', async () => {
    expect(await find({ ...HERE, query: '有効期限' })).toEqual(['cjk']);
    for (const query of ['" OR', '\0', '\ud800', 'NEAR(', 'title:x*', '🙈', 'x'.repeat(100_000)]) {
      expect((await ask({ ...HERE, query })).status).toBe(200);
    }
    expect(logged).toEqual([]);
  });
});

describe('an answer', () => {
  test('says where it looked, how much there is, and each memory as a row', async () => {
    const { body } = await ask({ ...HERE, query: 'zebra fixed' });
    expect(body).toMatchObject({ limit: 10, offset: 0, project: 'shop', note: null });
    expect(body.results[0]).toEqual({
      id: ids.bugfix ?? '',
      kind: 'observation',
      type: 'bugfix',
      title: 'zebra fixed',
      at: NOW - 2 * DAY,
      project: 'shop',
      session: 'two',
      file: 'src/open.ts',
      tokens: expect.any(Number),
      outcome: null,
      isFromOutside: false,
      replacedBy: null,
      score: expect.any(Number),
      alike: [],
      sameTurn: [],
    });
    expect((await ask({ all: 'true', query: 'zebra' })).body.project).toBeNull();
    expect((await ask({ cwd: '/home/dev/new', query: 'zebra' })).body.project).toBe('new');
  });

  test('that is empty has a note', async () => {
    for (const parameters of ['query=giraffe', 'query=zebra&type=feature', 'query=&branch=x']) {
      const { body } = await ask({ ...HERE, ...Object.fromEntries(new URLSearchParams(parameters)) });
      expect(body).toMatchObject({ results: [], total: 0, note: expect.stringMatching(/\w{3}/) });
    }
  });

  test('comes a page at a time, all pages together are the whole', async () => {
    for (const query of ['zebra', '']) {
      const whole = (await ask({ ...HERE, query })).body;
      const pages: string[] = [];
      for (let offset = 0; offset < whole.total + 2; offset += 2) {
        const { body } = await ask({ ...HERE, query, limit: '2', offset: String(offset) });
        expect(body).toMatchObject({ limit: 2, offset, total: whole.total });
        pages.push(...body.results.map(({ id }) => id));
      }
      expect(pages).toEqual(whole.results.map(({ id }) => id));
      expect(pages).toHaveLength(whole.total);
    }
  });

  test('is in the order of relevance, or of time', async () => {
    const times = async (parameters: Record<string, string>) => (await ask({ ...HERE, ...parameters })).body.results.map(({ at }) => at);
    const newestFirst = (list: number[]) => list.toSorted((one, other) => other - one);
    const byDate = await times({ query: 'zebra', order: 'date' });
    expect(byDate).toEqual(newestFirst(byDate));
    expect(byDate.length).toBe(SHOP.length);
    expect((await ask({ ...HERE, query: 'zebra decided' })).body.results[0]?.id).toBe(ids.decision ?? '');
    const browsed = await times({});
    expect(browsed).toEqual(newestFirst(browsed));
    expect(browsed.length).toBe(SHOP.length + 1);
  });

  test('says why only when asked, in parts that add up', async () => {
    const [plain] = (await ask({ ...HERE, query: 'zebra decided' })).body.results;
    expect(plain).not.toHaveProperty('why');
    const [best] = (await ask({ ...HERE, query: 'zebra decided', why: 'true' })).body.results;
    const { words = [], ...parts } = best?.why ?? {};
    expect(words).toEqual(['zebra', 'decided']);
    expect(Object.keys(parts)).toEqual(['keyword', 'meaning', 'neighbours', 'recency', 'type']);
    const sum = Object.values(parts).reduce((all, part) => all + part, 0);
    expect(Math.abs(sum - (best?.score ?? 0))).toBeLessThanOrEqual(0.003);
  });
});

describe('an answer by sessions', () => {
  const askSessions = async (parameters: Record<string, string>) =>
    ask<SessionSearchAnswer>({ ...HERE, ...parameters }, '/api/search/sessions');

  test('names each once, with its best memories', async () => {
    const { status, body } = await askSessions({ query: 'zebra fixed' });
    expect({ status, limit: body.limit, project: body.project }).toEqual({ status: 200, limit: 10, project: 'shop' });
    expect(body.results[0]).toMatchObject({ session: 'two', project: 'shop', at: NOW - 2 * DAY });
    expect(body.results[0]?.best.map(({ id }) => id)).toEqual([ids.bugfix ?? '']);
    const { results } = (await askSessions({ query: 'zebra' })).body;
    expect(results.find(({ session }) => session === 'four')?.title).toBe('zebra asked');
    expect(new Set(results.map(({ session }) => session)).size).toBe(results.length);
    for (const { score } of results) expect(score).toBeFinite();
  });

  test('has sessions alone: what was said by hand is of none', async () => {
    const { body } = await askSessions({ query: 'zebra everywhere' });
    expect(body.results.flatMap(({ best }) => best.map(({ id }) => id))).not.toContain(ids.everywhere);
  });

  test('keeps to the filters, pages, and says when there is nothing', async () => {
    const sessionsOf = async (parameters: Record<string, string>) =>
      (await askSessions({ query: 'zebra', ...parameters })).body.results.map(({ session }) => session);
    expect(await sessionsOf({ type: 'summary' })).toEqual(['three']);
    expect(await sessionsOf({ since: '2026-03-16', until: '2026-03-16' })).toEqual(['two']);
    const all = await sessionsOf({ type: 'bugfix,summary,prompt' });
    expect(all).toHaveLength(3);
    const pages = await Promise.all(
      [0, 1, 2, 3].map((offset) => sessionsOf({ type: 'bugfix,summary,prompt', limit: '1', offset: `${offset}` })),
    );
    expect(pages.flat()).toEqual(all);
    expect((await askSessions({ query: 'giraffe' })).body).toMatchObject({ results: [], note: expect.any(String) });
  });
});

describe('a question that cannot be answered', () => {
  test.each([
    ['query=x', 400],
    ['all=1&type=idea', 400],
    ['all=1&limit=0', 400],
    ['all=1&q=a', 400],
    ['project=none', 404],
    ['project=twin', 409],
  ])('%s is %i for memories and for sessions, with error and hint', async (parameters, status) => {
    for (const route of ['/api/search', '/api/search/sessions']) {
      const response = await api.app.request(`${route}?${parameters}`);
      const answer = { route, status: response.status, body: await response.json() };
      expect(answer).toMatchObject({ route, status, body: { error: expect.any(String), hint: expect.any(String) } });
      expect(logged).toEqual([]);
    }
  });
});

describe('whoever was given something', () => {
  const query = 'okapi cache';
  const [more, known] = ['The okapi cache is cleared at night.', 'The okapi cache has 500 entries.'];
  const note = (id: string | undefined) => `#${id} 2026-03-18 discovery okapi (~20)\n  ${known}`;
  let own: ReturnType<TestMemory['shelf']>;
  beforeAll(() => {
    own = memory.shelf(CWD, 'asker');
    ids.okapi = memory.shelf(CWD, 'eight').observe('okapi notes', NOW - DAY, { narrative: `${more}\n${known}` });
    ids.okapi2 = memory
      .shelf(CWD, 'nine')
      .observe('okapi cache of the tests', NOW - DAY, { narrative: 'It is switched off since Monday.' });
    ids.question = own.ask('how large is the okapi cache', NOW);
  });
  const row = ({ results }: SearchAnswer, id: string | undefined) => results.find((one) => one.id === id);

  test('gets the rest of it, marked, and is not told it again', async () => {
    const before = (await ask({ ...HERE, query })).body;
    expect(row(before, ids.okapi)?.snippet).toContain(known);
    const { body } = await ask({ ...HERE, query, given: note(ids.okapi) });
    expect(row(body, ids.okapi)).toMatchObject({ isGiven: true, snippet: more });
    expect(row(body, ids.okapi2)).toMatchObject({ snippet: 'It is switched off since Monday.' });
    expect(row(body, ids.okapi2)?.isGiven).toBeUndefined();
  });

  test('as an agent is known by its session: by its notes, and what it just asked is no answer', async () => {
    const ref = { kind: 'observation', id: Number(ids.okapi) } as const;
    const piece = { ref, section: 'recall', text: note(ids.okapi), freshness: null, reason: '' };
    const telling = { occasion: 'first-prompt', about: null, source: '', at: NOW } as const;
    recordTelling(memory.db, { ...telling, sessionId: own.sessionId, pieces: [piece] });
    const asAgent = (session: string) => ask({ ...HERE, query }, '/api/search', agentHeader({ session, folder: CWD, cwd: CWD }));
    const { body } = await asAgent('asker');
    expect(row(body, ids.okapi)).toMatchObject({ isGiven: true, snippet: more });
    expect(row(body, ids.question)).toBeUndefined();
    const another = (await asAgent('eight')).body;
    expect(row(another, ids.okapi)?.isGiven).toBeUndefined();
    expect(row(another, ids.question)).toBeDefined();
  });
});
