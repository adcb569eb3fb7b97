// Which sessions and memories are of one project: real repositories that move, get remotes, lie in one another.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createPlaceOf } from '../../src/capture/other-repositories.ts';
import { remember } from '../../src/capture/remember.ts';
import { isSilent, projectOfSession } from '../../src/capture/silence.ts';
import { loadConfig } from '../../src/config.ts';
import { gather } from '../../src/context/gather.ts';
import { NOWHERE } from '../../src/context/surroundings.ts';
import { createGitMemory } from '../../src/import/git-memory.ts';
import { listCitations, setOutcome } from '../../src/memory/observations.ts';
import { loadMode } from '../../src/model/instructions.ts';
import { summariseBatch } from '../../src/model/summarise.ts';
import type { SummariseDeps } from '../../src/model/turn.ts';
import { readEvidence } from '../../src/observe/evidence.ts';
import { observeBatch } from '../../src/observe/observe.ts';
import { type ProcessDeps, processTurn } from '../../src/observe/process-turn.ts';
import { settleTurn } from '../../src/observe/settle.ts';
import { mergeProjects } from '../../src/projects/merge.ts';
import { identifyPlace, resolveScope } from '../../src/projects/place.ts';
import { findProject, findProjectBy, getProject } from '../../src/projects/projects.ts';
import { createSettling } from '../../src/projects/settle.ts';
import { bash, edit, sessionEnd, sessionStart, stop, userPrompt } from '../support/payloads.ts';
import { createTestStore, type TestStore } from '../support/store.ts';
import { until } from '../support/until.ts';
import { createTestWorker, type TestWorker } from '../support/worker-app.ts';

/** Not in /tmp: what is changed there from elsewhere is a scratch file, and no work. */
let folder: string;
let store: TestStore;
let sessions = 0;
let settings = loadConfig('/nowhere', {}).config;
beforeEach(() => {
  folder = realpathSync(mkdtempSync('/var/tmp/cmem-projects-'));
  settings = loadConfig('/nowhere', {}).config;
  store = createTestStore([], settings);
  gitTime = null;
});
afterEach(() => {
  store.close();
  rmSync(folder, { recursive: true });
});

/** The time it is for git, unless it is now. */
let gitTime: string | null = null;

function git(cwd: string, ...args: string[]): void {
  const time = gitTime === null ? {} : { GIT_COMMITTER_DATE: gitTime, GIT_AUTHOR_DATE: gitTime };
  const env = { PATH: '/usr/bin:/bin', HOME: folder, GIT_CONFIG_NOSYSTEM: '1', ...time };
  const done = Bun.spawnSync(['git', '-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { cwd, env });
  if (done.exitCode !== 0) throw new Error(done.stderr.toString());
}

const commit = (cwd: string, message: string) => git(cwd, 'commit', '-q', '--allow-empty', '-m', message);

/** Each has a history of its own. */
function repository(name: string, remote?: string): string {
  const path = join(folder, name);
  mkdirSync(path, { recursive: true });
  git(path, 'init', '-q', '-b', 'main');
  commit(path, `first of ${name}`);
  if (remote) git(path, 'remote', 'add', 'origin', remote);
  return path;
}

const put = (path: string, text: string) => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
};

/** A session starts in a folder; its project. */
function work(cwd: string): number {
  const ingested = store.take('context', sessionStart(`s${++sessions}`, cwd), { receivedAt: Date.now() });
  return ingested.known?.session.projectId ?? expect.unreachable('not kept');
}

/** Worked in, and looked at in the background. */
async function workAndSettle(cwd: string): Promise<number> {
  const projectId = work(cwd);
  const settling = createSettling({ db: store.db, log: quiet, clock: Date.now, onSettled: () => undefined, patience: 100 });
  await settling.settleNow(projectId);
  await settling.close();
  return findProjectBy(store.db, identifyPlace(cwd, settings))?.id ?? 0;
}

const quiet = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

/** Also its log is read. */
async function workAndRead(cwd: string): Promise<number> {
  const id = await workAndSettle(cwd);
  const onStored = () => undefined;
  const deps = { db: store.db, config: () => settings, log: quiet, clock: Date.now, onStored, home: null };
  const memory = createGitMemory(deps);
  await memory.readNow(cwd);
  await memory.close();
  return id;
}

const projects = () => store.db.query<{ key: string; root: string }, []>('SELECT key, root FROM projects').all();

describe('is one project', () => {
  test('a repository and its work trees', () => {
    const shop = repository('shop');
    git(shop, 'worktree', 'add', '-q', join(folder, 'shop-fix'));
    expect(work(join(folder, 'shop-fix'))).toBe(work(shop));
  });

  test('two clones of one remote, by ssh and by https, as soon as the history of the second was looked at', async () => {
    const ssh = repository('a', 'git@forge.test:team/app.git');
    git(folder, 'clone', '-q', ssh, 'b');
    git(join(folder, 'b'), 'remote', 'set-url', 'origin', 'https://forge.test/Team/app');
    const id = work(ssh);
    expect(work(join(folder, 'b'))).not.toBe(id);
    expect(await workAndSettle(join(folder, 'b'))).toBe(id);
    expect(work(join(folder, 'b'))).toBe(id);
  });

  test('a repository that gets a remote, in any of its work trees, and loses it again', async () => {
    const shop = repository('shop');
    git(shop, 'worktree', 'add', '-q', join(folder, 'shop-fix'));
    const id = await workAndSettle(shop);
    const say = () => remember(store.db, { text: 'Prices are in cents', cwd: shop, by: 'user' }, 1).isNew;
    expect(say()).toBe(true);
    git(shop, 'remote', 'add', 'origin', 'git@forge.test:team/shop.git');
    expect(work(join(folder, 'shop-fix'))).toBe(id);
    expect(work(shop)).toBe(id);
    expect(projects()).toMatchObject([{ key: 'forge.test/team/shop' }]);
    expect(say()).toBe(false);
    git(shop, 'remote', 'remove', 'origin');
    expect(work(shop)).toBe(id);
  });

  test('a repository whose remote is another one now', async () => {
    const shop = repository('shop', 'git@forge.test:dev/shop.git');
    const id = await workAndSettle(shop);
    git(shop, 'remote', 'set-url', 'origin', 'https://forge.test/team/store.git');
    expect(await workAndSettle(shop)).toBe(id);
    expect(projects()).toMatchObject([{ key: 'forge.test/team/store', root: shop }]);
    expect(findProject(store.db, 'forge.test/dev/shop')?.id).toBe(id);
  });

  test('a repository that has moved, and what was in its old place', async () => {
    const shop = repository('shop');
    const id = await workAndRead(shop);
    commit(shop, 'made since');
    const moved = join(folder, 'work/store');
    mkdirSync(dirname(moved));
    renameSync(shop, moved);
    expect(await workAndSettle(moved)).toBe(id);
    expect(projects()).toEqual([{ key: moved, root: moved }]);
    expect(findProject(store.db, moved)?.name).toBe('store');
    expect(work(join(shop, 'src'))).toBe(id);
    // Another one in the old place is another one.
    rmSync(shop, { recursive: true, force: true });
    expect(work(repository('shop'))).not.toBe(id);
    const say = (cwd: string) => remember(store.db, { text: 'Prices are in cents', cwd, by: 'user' }, 1).isNew;
    expect([say(moved), say(shop)]).toEqual([true, true]);
  });

  test('a repository that stands on another branch now, which began anew', async () => {
    const shop = repository('shop');
    const id = await workAndRead(shop);
    git(shop, 'checkout', '-q', '--orphan', 'pages');
    commit(shop, 'first of the pages');
    expect(await workAndRead(shop)).toBe(id);
  });

  test('one with a remote that has moved, which is then known to lie there', async () => {
    const shop = repository('shop', 'git@forge.test:team/shop.git');
    const id = await workAndSettle(shop);
    renameSync(shop, join(folder, 'store'));
    expect(await workAndSettle(join(folder, 'store'))).toBe(id);
    expect(projects()).toEqual([{ key: 'forge.test/team/shop', root: join(folder, 'store') }]);
  });
});

describe('are two projects', () => {
  test('two repositories and two plain folders of one name', () => {
    for (const name of ['a/plain', 'b/plain']) mkdirSync(join(folder, name), { recursive: true });
    expect(work(repository('a/app'))).not.toBe(work(repository('b/app')));
    expect(work(join(folder, 'a/plain'))).not.toBe(work(join(folder, 'b/plain')));
  });

  test('two copies of one history that are both there', async () => {
    const shop = repository('shop');
    const id = await workAndSettle(shop);
    git(folder, 'clone', '-q', shop, 'copy');
    expect(await workAndSettle(join(folder, 'copy'))).not.toBe(id);
    expect(await workAndSettle(shop)).toBe(id);
  });

  test('also when the first is known by a work tree of it that is gone', async () => {
    const shop = repository('shop');
    const tree = join(folder, 'tree');
    git(shop, 'worktree', 'add', '-q', tree);
    const id = await workAndSettle(tree);
    git(folder, 'clone', '-q', shop, 'copy');
    git(shop, 'worktree', 'remove', '--force', tree);
    expect(await workAndSettle(join(folder, 'copy'))).not.toBe(id);
  });
});

describe('one that is gone, and another with the same beginning,', () => {
  let starter: string;
  beforeEach(() => {
    gitTime = '2020-01-01T00:00:00Z';
    starter = repository('starter');
    gitTime = null;
  });
  const clone = (name: string): string => {
    git(folder, 'clone', '-q', starter, name);
    git(join(folder, name), 'remote', 'remove', 'origin');
    return join(folder, name);
  };
  const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

  test('are two: a starter cloned for two clients', async () => {
    const one = clone('one');
    const id = await workAndSettle(one);
    commit(one, 'made for the first');
    expect(await workAndRead(one)).toBe(id);
    rmSync(one, { recursive: true });
    const other = clone('other');
    commit(other, 'made for the second');
    expect(await workAndRead(other)).not.toBe(id);
    expect(projects().map(({ key }) => key)).toEqual([one, other]);
  });

  test('are two when the second was cloned later and nothing was made in the first', async () => {
    const one = clone('one');
    const id = await workAndRead(one);
    rmSync(one, { recursive: true });
    gitTime = inAnHour();
    expect(await workAndSettle(clone('other'))).not.toBe(id);
  });

  test('are one when it was there all the time, though nothing was made in it', async () => {
    const one = clone('one');
    const id = await workAndRead(one);
    renameSync(one, join(folder, 'other'));
    expect(await workAndSettle(join(folder, 'other'))).toBe(id);
  });

  test('are one when the second was cloned from the first', async () => {
    const one = clone('one');
    const id = await workAndSettle(one);
    commit(one, 'made in the first');
    await workAndRead(one);
    gitTime = inAnHour();
    git(folder, 'clone', '-q', one, 'other');
    rmSync(one, { recursive: true });
    expect(await workAndSettle(join(folder, 'other'))).toBe(id);
  });
});

describe('a place that another repository came to', () => {
  const remote = 'git@forge.test:team/app.git';
  const replace = (path: string) => {
    rmSync(path, { recursive: true, force: true });
    mkdirSync(path);
    git(path, 'init', '-q', '-b', 'main');
    commit(path, 'written anew');
    git(path, 'remote', 'add', 'origin', remote);
  };

  test.each([true, false])('is another project though its remote is the same; known by its place first: %p', async (isByPlace) => {
    const app = repository('app', isByPlace ? undefined : remote);
    const id = await workAndRead(app);
    if (isByPlace) git(app, 'remote', 'add', 'origin', remote);
    expect(await workAndRead(app)).toBe(id);
    replace(app);
    expect(await workAndRead(app)).not.toBe(id);
  });

  test('is taken for the same when neither has a remote, as docs/privacy.md says', async () => {
    const app = repository('app');
    const id = await workAndRead(app);
    replace(app);
    git(app, 'remote', 'remove', 'origin');
    expect(await workAndRead(app)).toBe(id);
  });

  test('is the same when it was cloned there again', async () => {
    const app = repository('app', remote);
    const id = await workAndRead(app);
    renameSync(app, join(folder, 'kept'));
    git(folder, 'clone', '-q', 'kept', 'app');
    git(app, 'remote', 'set-url', 'origin', remote);
    expect(await workAndRead(app)).toBe(id);
  });
});

describe('a silent project that has moved', () => {
  let worker: TestWorker;
  beforeEach(() => {
    worker = createTestWorker();
  });
  afterEach(() => worker.dispose());

  test.each(['by its path', 'by its name', 'by a pause'])('is silent from the first prompt on: %s', async (how) => {
    const shop = repository('shop');
    await worker.start();
    await worker.send('context', sessionStart('a', shop));
    await worker.send('new', userPrompt('a', shop, 'Said before'));
    await until(() => worker.rows('SELECT 1 FROM git_logs').length === 1);
    if (how === 'by a pause') await worker.call('POST', '/api/silence', { cwd: shop });
    await worker.stop();
    const label = how === 'by its path' ? shop : 'shop';
    if (how !== 'by a pause') writeFileSync(worker.paths.config, JSON.stringify({ projects: { [label]: { off: true } } }));
    const moved = join(folder, 'store');
    renameSync(shop, moved);
    await worker.start();
    expect(await worker.send('context', sessionStart('b', moved))).toContain(how === 'by a pause' ? 'paused' : 'off');
    await worker.send('new', userPrompt('b', moved, 'Said in silence'));
    expect(worker.rows('SELECT text FROM prompts')).toEqual([{ text: 'Said before' }]);
    expect(worker.problems).toEqual([]);
  });
});

describe('folders of a repository that the settings make projects', () => {
  beforeEach(() => {
    settings = { ...settings, projects: { mono: { subprojects: ['packages/*', 'apps/web'] } } };
    store.close();
    store = createTestStore([], settings);
  });

  test('are their own, from any folder inside, and only in that repository', () => {
    const [mono, other] = [repository('mono'), repository('other')];
    for (const path of ['packages/a/src', 'packages/b', 'apps/web', 'apps/api'])
      for (const root of [mono, other]) mkdirSync(join(root, path), { recursive: true });
    const whole = work(mono);
    const a = work(join(mono, 'packages/a'));
    expect(a).not.toBe(whole);
    expect(work(join(mono, 'packages/a/src'))).toBe(a);
    expect(work(join(mono, 'packages/b'))).not.toBe(a);
    expect(work(join(mono, 'packages'))).toBe(whole);
    expect(work(join(mono, 'apps/api'))).toBe(whole);
    expect(work(join(other, 'packages/a'))).toBe(work(other));
    expect(findProject(store.db, `${mono}#packages/a`)).toMatchObject({ name: 'mono/packages/a', root: mono });
  });

  test('are told and find what was decided for the whole repository, and not the other way round', async () => {
    const mono = repository('mono');
    mkdirSync(join(mono, 'packages/a'), { recursive: true });
    const [whole, a] = [work(mono), work(join(mono, 'packages/a'))];
    const say = (text: string, cwd: string) => remember(store.db, { text, cwd, by: 'user', type: 'decision' }, 1);
    say('We decided that prices are in cents', mono);
    say('We decided that the cart forgets nothing', join(mono, 'packages/a'));
    const titles = async (projectId: number) => {
      const { observations } = await gather(store.db, { projectId, sessionId: 0, since: null, settings }, NOWHERE);
      return observations.map(({ title }) => title);
    };
    expect(await titles(a)).toHaveLength(2);
    expect(await titles(whole)).toEqual([expect.stringContaining('cents')]);
    expect(resolveScope(store.db, { cwd: join(mono, 'packages/a') }).projectIds).toEqual([a, whole]);
    expect(resolveScope(store.db, { project: 'mono/packages/a' }).projectIds).toEqual([a, whole]);
    expect(resolveScope(store.db, { cwd: mono }).projectIds).toEqual([whole]);
  });

  test('go along when the repository gets a remote', () => {
    const mono = repository('mono');
    mkdirSync(join(mono, 'packages/a'), { recursive: true });
    const a = work(join(mono, 'packages/a'));
    git(mono, 'remote', 'add', 'origin', 'git@forge.test:team/mono.git');
    expect(work(join(mono, 'packages/a'))).toBe(a);
    expect(findProject(store.db, 'forge.test/team/mono#packages/a')?.id).toBe(a);
  });

  test.each([
    [{ mono: { off: true } }, true],
    [{ 'mono/packages/a': { off: true } }, true],
    [{ mono: { off: true }, 'mono/packages/a': { off: false } }, false],
    [{ 'mono/packages/b': { off: true } }, false],
  ])('are silent with the repository, unless they have their own word: %j', (own, expected) => {
    const mono = repository('mono');
    mkdirSync(join(mono, 'packages/a'), { recursive: true });
    const { known } = store.take('context', sessionStart('s', join(mono, 'packages/a')));
    const project = known && projectOfSession(store.db, known.session);
    if (!project) expect.unreachable('not kept');
    const place = { session: 's', cwd: mono, project, at: Date.now() };
    expect(isSilent(store.db, { ...settings, projects: own }, place)).toBe(expected);
  });
});

describe('a session that works in two repositories', () => {
  type Row = { id: number; project: string; files: string; title: string };
  const rows = () =>
    store.db
      .query<Row, []>(
        `SELECT o.id, p.name AS project, o.files_modified AS files, o.title FROM observations o JOIN projects p ON p.id = o.project_id ORDER BY o.id`,
      )
      .all();

  const distilDeps = (isForModel: boolean): ProcessDeps => ({
    observe: observeBatch,
    settle: settleTurn,
    isForModel: () => isForModel,
    readEvidence,
    placeOf: createPlaceOf({ db: store.db, config: () => settings }),
    clock: Date.now,
  });
  const distil = (sessionId: number, isForModel = false) => {
    const result = processTurn(store.db, sessionId, distilDeps(isForModel));
    if (result.kind !== 'observed') throw new Error(JSON.stringify(result));
  };

  /** Edits `file` of another folder from a session in `cwd`, and distils the turn. Its id. */
  function editFrom(cwd: string, root: string, file: string, isForModel = false): number {
    const session = `e${++sessions}`;
    put(join(root, file), 'export const limit = 5;\n');
    store.take('context', sessionStart(session, cwd));
    store.take('new', userPrompt(session, cwd, `Set the limit in ${file} to five`));
    store.take('save', { ...edit(session, root, file, ['-export const limit = 3;', '+export const limit = 5;']), cwd });
    store.take('summary', stop(session, cwd, `I set the limit in ${file} to five, because three was too low.`));
    const { known } = store.take('cleanup', sessionEnd(session, cwd));
    const id = known?.session.id ?? 0;
    distil(id, isForModel);
    return id;
  }

  test('leaves with each what was done in it, by its own paths, with the evidence of its own files', () => {
    const [shop, api] = [repository('shop'), repository('api')];
    editFrom(shop, shop, 'src/a.ts');
    editFrom(shop, api, 'src/b.ts');
    expect(rows().map(({ project, files }) => ({ project, files }))).toEqual([
      { project: 'shop', files: '["src/a.ts"]' },
      { project: 'api', files: '["src/b.ts"]' },
    ]);
    const [, other] = rows();
    expect(other?.title).not.toContain(folder);
    const [citation] = listCitations(store.db, [other?.id ?? 0]);
    expect(citation).toMatchObject({ path: 'src/b.ts', did: 'changed', blob: expect.stringMatching(/^[0-9a-f]{40}$/) });
    expect(citation?.added).toHaveLength(1);
    const summaries = store.db.query('SELECT DISTINCT project_id AS id FROM summaries').all();
    expect(summaries).toEqual([{ id: findProject(store.db, shop)?.id }]);
  });

  test('also from the folder above both, and into a repository inside of another', () => {
    const api = repository('all/api');
    editFrom(join(folder, 'all'), api, 'src/b.ts');
    const vendored = repository('all/api/vendor/lib');
    editFrom(api, vendored, 'c.ts');
    editFrom(join(folder, 'all'), join(folder, 'all'), 'notes.ts');
    // What lies in no repository stays where the session works.
    editFrom(api, join(folder, 'plain'), 'd.ts');
    expect(rows().map(({ project, files }) => ({ project, files }))).toEqual([
      { project: 'api', files: '["src/b.ts"]' },
      { project: 'lib', files: '["c.ts"]' },
      { project: 'all', files: '["notes.ts"]' },
      { project: 'api', files: JSON.stringify([join(folder, 'plain/d.ts')]) },
    ]);
  });

  test('settles there what was done there', () => {
    const [shop, api] = [repository('shop'), repository('api')];
    const id = editFrom(shop, api, 'src/b.ts');
    const outcome = () => store.db.query('SELECT outcome FROM observations').all();
    setOutcome(store.db, rows()[0]?.id ?? 0, 'unverified');
    const session = `e${sessions}`;
    store.take('new', userPrompt(session, shop, 'Run the tests there'));
    store.take('save', bash(session, api, 'npm test', ' 12 pass\n 0 fail\n'));
    store.take('summary', stop(session, shop, 'All tests pass.'));
    // First the end of the session before.
    expect(processTurn(store.db, id, distilDeps(false))).toEqual({ kind: 'nothing' });
    distil(id);
    expect(outcome()[0]).toEqual({ outcome: 'passed' });
  });

  test('has it there by the words of a model, too, whatever its own project has become meanwhile', async () => {
    const [shop, api] = [repository('shop'), repository('api')];
    editFrom(shop, api, 'src/b.ts', true);
    const other = work(repository('store'));
    const ask = async () => {
      const [from, into] = [findProject(store.db, shop), getProject(store.db, other)];
      if (from && into) mergeProjects(store.db, { from, into }, 1);
      const text = `<observation><type>change</type><title>The limit is five</title><sources>2</sources>
        <files_modified><file>${api}/src/b.ts</file></files_modified></observation>
        <summary><request>Set the limit</request><completed>Done.</completed></summary>`;
      return { text, isCutOff: false, usage: { inputTokens: 9, cachedTokens: 0, outputTokens: 9 } };
    };
    const deps: SummariseDeps = {
      ...distilDeps(true),
      db: store.db,
      access: { id: 'a', provider: 'fake', model: 'fake-1', ask },
      prompt: { mode: loadMode('code', null), verbosity: 'normal', language: null },
      budget: { dailyTokens: 200_000, dailyCalls: 300, sessionTokens: 100_000, sessionCalls: 100 },
      answerMs: 1000,
      retryMs: 1000,
      isWanted: () => true,
      log: quiet,
      signal: new AbortController().signal,
    };
    expect(await summariseBatch(deps, 1)).toMatchObject({ kind: 'done', observer: 'model' });
    expect(rows()).toMatchObject([{ project: 'api', files: '["src/b.ts"]', title: 'The limit is five' }]);
    expect(store.db.query('SELECT project_id AS id FROM summaries').all()).toEqual([{ id: other }]);
  });

  test.each([
    ['off', { off: true }],
    ['excluded', { excludePaths: ['src/**'] }],
  ])('keeps nothing of one that is %s', (_, own) => {
    const [shop, api] = [repository('shop'), repository('api')];
    settings = { ...settings, projects: { api: own } };
    editFrom(shop, api, 'src/b.ts');
    expect(rows()).toEqual([]);
    expect(findProject(store.db, api)).toBeNull();
  });
});
