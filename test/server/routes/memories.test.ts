// The routes about memories, by the app itself: what they answer, and how they refuse.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { loadConfig } from '../../../src/config.ts';
import type { MemoryRef } from '../../../src/core/memory.ts';
import { createForget } from '../../../src/forget/forget.ts';
import { findPaths } from '../../../src/paths.ts';
import { ensureProject } from '../../../src/projects/projects.ts';
import { createFinder } from '../../../src/search/find.ts';
import { type Api, createApi } from '../../../src/server/http/api.ts';
import { route } from '../../../src/server/http/route.ts';
import { correctionRoutes } from '../../../src/server/routes/corrections.ts';
import { memoryRoutes } from '../../../src/server/routes/memories.ts';
import { projectRoutes } from '../../../src/server/routes/projects.ts';
import { searchRoutes } from '../../../src/server/routes/search.ts';
import { documentMore } from '../../../src/store/documents.ts';
import { openShelf, type Shelf } from '../../support/memories.ts';
import { createTestStore, type TestStore } from '../../support/store.ts';

const CWD = '/home/dev/shop';
const NOW = new Date(2026, 2, 18, 12).getTime();
const AT = new Date(2026, 2, 17, 12).getTime();

let store: TestStore;
let shop: Shelf;
let api: Api;
let best: MemoryRef | null;
const logged: string[] = [];

beforeEach(() => {
  store = createTestStore();
  shop = openShelf(store.db, CWD, 'one');
  best = null;
  logged.length = 0;
  const note = (message: string) => logged.push(message);
  const log = { debug: note, info: note, warn: note, error: note };
  const clock = () => NOW;
  const { config } = loadConfig('', {});
  const deps = {
    db: store.db,
    clock,
    config: () => config,
    finder: createFinder({ db: store.db, models: () => [], clock }),
    findBest: async () => best,
    onStored: () => undefined,
    forget: createForget({
      db: store.db,
      paths: findPaths('/nowhere'),
      clock,
      index: { removeDropped: () => true, wake: () => undefined },
      drainSpool: async () => undefined,
      log,
    }),
  };
  const broken = route('GET /api/broken', 'Broken.', { answer: z.string() }, () => {
    throw new Error('a secret');
  });
  const tables = [searchRoutes, memoryRoutes, correctionRoutes, projectRoutes];
  api = createApi([...tables.flatMap((table) => table(deps)), broken], { version: 'test', log });
});
afterEach(() => store.close());

async function ask(route: string, method = 'GET', body?: unknown) {
  const init = body === undefined ? { method } : { method, body: typeof body === 'string' ? body : JSON.stringify(body) };
  const response = await api.app.request(route, init);
  return { status: response.status, body: JSON.parse(await response.text()) };
}
const idsOf = ({ body }: { body: { items: { id: string }[] } }) => body.items.map(({ id }) => id);
const here = `cwd=${encodeURIComponent(CWD)}`;

describe('lists', () => {
  test('are of all projects, of one, of a type, a session, a time', async () => {
    const other = openShelf(store.db, '/home/dev/other', 'two');
    const [a, b, c] = [shop.observe('a', AT), shop.observe('b', AT + 1, { type: 'bugfix' }), other.observe('c', NOW)];
    expect(idsOf(await ask('/api/observations'))).toEqual([c, b, a]);
    expect(idsOf(await ask(`/api/observations?${here}`))).toEqual([b, a]);
    expect(idsOf(await ask('/api/observations?project=other'))).toEqual([c]);
    expect(idsOf(await ask(`/api/observations?${here}&all=true`))).toEqual([c, b, a]);
    expect(idsOf(await ask('/api/observations?type=bugfix,decision'))).toEqual([b]);
    expect(idsOf(await ask('/api/observations?session=two'))).toEqual([c]);
    expect(idsOf(await ask('/api/observations?since=today'))).toEqual([c]);
    expect(idsOf(await ask('/api/observations?until=yesterday'))).toEqual([b, a]);
    expect((await ask('/api/observations?limit=1&offset=2')).body).toMatchObject({ total: 3, limit: 1, offset: 2 });
    expect((await ask('/api/summaries')).body).toMatchObject({ items: [], total: 0 });
    expect((await ask('/api/prompts')).body).toMatchObject({ items: [], total: 0 });
    expect((await ask('/api/sessions?project=shop')).body.items).toMatchObject([{ session: 'one' }]);
    expect((await ask('/api/projects')).body.total).toBe(2);
  });

  test('and timelines leave out a summary that says nothing, as older versions stored them', async () => {
    const [empty, full] = [shop.sumUp(AT, { filesEdited: ['a.ts'] }), shop.sumUp(AT + 1, { learned: 'l' })];
    expect((await ask('/api/summaries')).body).toMatchObject({ items: [{ id: full }], total: 1 });
    expect(store.db.query('SELECT count(*) AS n FROM documents').get()).toEqual({ n: 1 });
    expect(documentMore(store.db)).toBeNull();
    // Its document of then is still there.
    store.db.run(`INSERT INTO documents (kind, ref, project_id, session_id, type, at, headline, facts, parts, names, whence)
      VALUES ('summary', 1, ${shop.projectId}, ${shop.sessionId}, 'summary', ${AT}, '', '', '', '', '')`);
    const around = await ask(`/api/timeline?anchor=${full}`);
    expect(around.body.items.map(({ id }: { id: string }) => id)).toEqual([full]);
    expect((await ask('/api/observations/batch', 'POST', { ids: [empty] })).body.missing).toEqual([empty]);
  });

  test('of a batch are in the order of the ids, each once, with what is missing', async () => {
    const [a, s, p] = [shop.observe('a', AT), shop.sumUp(AT, { request: 'r' }), shop.ask('q', AT)];
    const { body } = await ask('/api/observations/batch', 'POST', { ids: [p, `#${a}`, 'S99', s.toLowerCase(), Number(a)] });
    expect(body.memories.map(({ id }: { id: string }) => id)).toEqual([p, a, s]);
    expect(body.missing).toEqual(['S99']);
  });
});

describe('the timeline, the recap and the history of a file', () => {
  test('answer in their shape', async () => {
    const a = shop.observe('Fix it', AT, { type: 'bugfix', filesModified: ['src/a.ts'] });
    expect((await ask(`/api/timeline?anchor=${a}`)).body).toMatchObject({ anchor: a, items: [{ id: a }], note: null });
    best = { kind: 'observation', id: Number(a) };
    expect((await ask(`/api/timeline?query=x&${here}&type=observation,prompt`)).body.anchor).toBe(a);
    expect((await ask(`/api/recap?${here}`)).body).toMatchObject({
      since: new Date(2026, 2, 17).getTime(),
      until: NOW,
      projects: [{ project: 'shop', done: [{ id: a }], decided: [], open: [] }],
    });
    for (const route of [`path=src/a.ts&${here}`, `path=${CWD}/src/a.ts`, 'path=a.ts&project=shop', 'path=a.ts&all=true'])
      expect((await ask(`/api/observations/by-file?${route}`)).body).toMatchObject({ total: 1, results: [{ id: a, did: 'changed' }] });
  });
});

test('a recap without a beginning is since the last day of work before today', async () => {
  const friday = new Date(2026, 2, 13, 17).getTime();
  const sinceOf = async (more = '') => (await ask(`/api/recap?${here}${more}`)).body.since;
  expect(await sinceOf()).toBe(new Date(2026, 2, 17).getTime());
  shop.observe('Older work', friday - 86_400_000);
  const done = shop.observe('Work of friday', friday);
  shop.observe('Work of today', NOW - 1);
  expect(await sinceOf()).toBe(new Date(2026, 2, 13).getTime());
  expect(await sinceOf('&until=2026-03-12')).toBe(new Date(2026, 2, 12).getTime());
  expect(await sinceOf('&since=yesterday')).toBe(new Date(2026, 2, 17).getTime());
  expect((await ask(`/api/recap?${here}`)).body.projects[0].done[0].id).toBe(done);
});

test('the history of a file goes on under its name before a rename in git, from any folder and through a link', async () => {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'cmem-routes-')));
  try {
    const root = join(home, 'repo');
    mkdirSync(join(root, 'src'), { recursive: true });
    writeFileSync(join(root, 'src/old.ts'), 'const one = 1;\n'.repeat(20));
    const who = ['-c', 'user.name=a', '-c', 'user.email=a@b.c'];
    const git = (...args: string[]) =>
      expect(Bun.spawnSync(['git', ...who, ...args], { cwd: root, env: { PATH: '/usr/bin:/bin' } }).exitCode).toBe(0);
    git('init', '-q');
    git('add', '-A');
    git('commit', '-qm', 'one');
    git('mv', 'src/old.ts', 'src/new.ts');
    git('commit', '-qm', 'two');
    const id = openShelf(store.db, root, 'git').observe('Wrote it', AT, { filesModified: ['src/old.ts'] });
    symlinkSync(root, join(home, 'link'));
    for (const [path, cwd] of [
      ['src/new.ts', root],
      ['new.ts', join(root, 'src')],
      ['new.ts', join(home, 'link/src')],
      [join(home, 'link/src/new.ts'), undefined],
    ]) {
      const where = cwd === undefined ? '' : `&cwd=${encodeURIComponent(cwd)}`;
      const { body } = await ask(`/api/observations/by-file?path=${encodeURIComponent(path ?? '')}${where}`);
      expect(body).toMatchObject({ path: 'src/new.ts', earlierNames: ['src/old.ts'], results: [{ id }] });
    }
  } finally {
    rmSync(home, { recursive: true });
  }
});

describe('saving and forgetting', () => {
  test('answer 201 when new, 200 when known; hide and erase by any id', async () => {
    const said = { text: 'We use pnpm', cwd: CWD, by: 'user' };
    const saved = await ask('/api/memory/save', 'POST', said);
    expect(saved).toMatchObject({ status: 201, body: { project: 'shop', isNew: true } });
    expect(await ask('/api/memory/save', 'POST', said)).toMatchObject({ status: 200, body: { isNew: false } });
    const prompt = shop.ask('q', AT);
    const ids = `${saved.body.id},${prompt},${prompt}`;
    expect((await ask(`/api/observations/${ids}`, 'DELETE')).body).toMatchObject({ state: 'hidden', ids: [saved.body.id, prompt] });
    expect((await ask('/api/memory/hidden')).body.memories).toHaveLength(2);
    expect((await ask('/api/memory/unhide', 'POST', { ids: [prompt] })).body).toEqual({ ids: [prompt] });
    const { body } = await ask(`/api/observations/${saved.body.id}?erase=true`, 'DELETE');
    expect(body).toMatchObject({ state: 'erased', receipt: { observations: 1, ids: [saved.body.id] } });
  });
});

describe('a question that cannot be answered', () => {
  test.each([
    ['GET', '/api/observations?limit=0', 400],
    ['GET', '/api/observations?limit=1e2', 400],
    ['GET', '/api/observations?type=bug', 400],
    ['GET', '/api/observations?foo=1', 400],
    ['GET', '/api/observations?limit=1&limit=2', 400],
    ['GET', '/api/observations?since=soon', 400],
    ['GET', '/api/observations?since=today&until=yesterday', 400],
    ['GET', '/api/observations?cwd=relative', 400],
    ['GET', '/api/observations?all=perhaps', 400],
    ['GET', '/api/observations?project=none', 404],
    ['GET', '/api/observations?project=twin', 409],
    ['GET', '/api/timeline', 400],
    ['GET', '/api/timeline?anchor=1&query=x', 400],
    ['GET', '/api/timeline?anchor=999', 404],
    ['GET', '/api/observations/by-file?path=a.ts', 400],
    ['DELETE', '/api/observations/abc', 400],
    ['DELETE', '/api/observations/999', 404],
    ['GET', '/api/nothing', 404],
  ])('%s %s is %i, with error and hint', async (method, route, status) => {
    for (const folder of ['/a/twin', '/b/twin']) ensureProject(store.db, { key: folder, name: 'twin', root: folder, remote: null }, 0);
    const answer = await ask(route, method);
    expect(answer).toMatchObject({ status, body: { error: expect.any(String), hint: expect.any(String) } });
    if (status === 409) expect(answer.body.candidates).toEqual(['/a/twin', '/b/twin']);
    expect(logged).toEqual([]);
  });

  test.each([
    ['/api/observations/batch', 'not json'],
    ['/api/observations/batch', 'null'],
    ['/api/observations/batch', { ids: [] }],
    ['/api/observations/batch', { ids: ['x'] }],
    ['/api/observations/batch', { ids: ['1'], more: 1 }],
    ['/api/observations/batch', { ids: Array.from({ length: 201 }, (_, at) => String(at + 1)) }],
    ['/api/memory/save', {}],
    ['/api/memory/save', { text: ' ', cwd: CWD }],
    ['/api/memory/save', { text: 'x' }],
    ['/api/memory/save', { text: 'x', cwd: CWD, by: 'god' }],
  ])('POST %s %j is 400', async (route, body) => {
    expect(await ask(route, 'POST', body)).toMatchObject({ status: 400, body: { error: expect.any(String), hint: expect.any(String) } });
    expect(logged).toEqual([]);
  });

  test.each([
    ['/api/observations?type=decision,foo', /^type\.1: .*"decision"\|"bugfix"/],
    ['/api/observations?limit=many', /^limit: must be a whole number\.$/],
    ['/api/observations?limit=201', /^limit: .*<=200\.$/],
    ['/api/search?query=x&order=size', /^order: .*"relevance"\|"date"\.$/],
    ['/api/observations/by-file?all=true', /^path is missing\.$/],
    [`/api/sessions?cwd=${'x'.repeat(5000)}`, /^cwd: .*<=4096 characters\.$/],
  ])('%s names the parameter and what it may be', async (path, error) => {
    expect((await ask(path)).body).toEqual({ error: expect.stringMatching(error), hint: expect.stringMatching(/^Known: /) });
  });

  test.each([
    ['a file', '/etc/passwd'],
    ['a NUL', '/a\0b'],
    ['a very long name', `/${'x'.repeat(4000)}`],
    ['a device', '/dev/null'],
    ['slashes', '//'],
    ['dots', '/..'],
    ['a folder that is not there', '/root/secret/none'],
    ['signs', '/ü/🙂'],
  ])('from %s for a folder is an ordinary one', async (_, cwd) => {
    const where = `cwd=${encodeURIComponent(cwd)}`;
    best = null;
    for (const route of ['observations?', 'recap?', 'timeline?query=x&', 'observations/by-file?path=a.ts&', 'sessions?'])
      expect((await ask(`/api/${route}${where}`)).status).toBe(200);
    for (const path of [cwd, '/etc/passwd/x', '../../x', 'a\0b', '-', '--output=x'])
      expect((await ask(`/api/observations/by-file?${where}&path=${encodeURIComponent(path)}`)).status).toBeLessThan(500);
    expect((await ask('/api/memory/save', 'POST', { text: 'x', cwd })).status).toBe(201);
    expect(logged).toEqual([]);
  });

  test('names the projects there are, the candidates, the parameters', async () => {
    expect((await ask('/api/observations?project=none')).body).toMatchObject({ hint: 'Known: shop.', candidates: ['shop'] });
    expect((await ask('/api/projects?foo=1')).body).toEqual({ error: 'There is no parameter foo.', hint: 'Known: limit, offset, sizes.' });
  });

  test('for a fault of ours is a 500 that says nothing of it, and is logged', async () => {
    const answer = await ask('/api/broken');
    expect(answer.status).toBe(500);
    expect(JSON.stringify(answer.body)).not.toContain('a secret');
    expect(logged).toEqual(['a request could not be answered']);
  });
});
