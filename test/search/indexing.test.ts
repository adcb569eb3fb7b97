import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Config, loadConfig } from '../../src/config.ts';
import { findPaths, type Paths } from '../../src/paths.ts';
import { createFinder } from '../../src/search/find.ts';
import { Indexing } from '../../src/search/indexing.ts';
import { searchRoutes } from '../../src/server/routes/search.ts';
import { workerRoutes } from '../../src/server/routes/worker.ts';
import { countDocuments } from '../../src/store/documents.ts';
import { userPrompt } from '../support/payloads.ts';
import { createSmallDisk, type SmallDisk, whyNoDisk } from '../support/small-disk.ts';
import { createTestStore, type TestStore } from '../support/store.ts';
import { createTestApi } from '../support/test-api.ts';
import { until } from '../support/until.ts';

let store: TestStore;
let paths: Paths;
let indexing: Indexing;
let config: Config;
const problems: string[] = [];
const remember = (message: string, details?: object) => problems.push(`${message} ${JSON.stringify(details)}`);
const log = { debug: () => undefined, info: () => undefined, warn: remember, error: remember };

function start(embedder: Config['embedder'] = 'static'): Indexing {
  config = { ...loadConfig(paths.config, {}).config, embedder };
  indexing = new Indexing({ db: store.db, paths, config: () => config, log, clock: Date.now });
  return indexing;
}

const say = (text: string) => {
  store.take('new', userPrompt(`session-${text}`, '/home/dev/shop', text));
  indexing?.wake();
};
const settled = () => until(() => indexing.status().models.length > 0 && waiting() === 0);
const waiting = () => indexing.status().models.reduce((sum, model) => sum + model.waiting, 0);

async function find(text: string, at = 0): Promise<string | undefined> {
  const model = indexing.models()[at];
  const [query] = (await model?.embedder.embed([text], 'query')) ?? [];
  const [best] = (query && (await model?.index.search(query, { limit: 1 }))) ?? [];
  const sql = 'SELECT text FROM prompts JOIN documents ON ref = prompts.id WHERE documents.id = ?';
  return store.db.query<{ text: string }, [number]>(sql).get(best?.document ?? 0)?.text;
}

beforeEach(() => {
  store = createTestStore();
  paths = findPaths(mkdtempSync(join(tmpdir(), 'cmem-indexing-')));
  problems.length = 0;
});
afterEach(async () => {
  await indexing.close();
  store.close();
  rmSync(paths.dataDir, { recursive: true, force: true });
});

/** SQLite lets nobody write to these tables; a disk does. */
function damageWords(db: Database): void {
  const row = db.query<{ block: Uint8Array }, []>('SELECT block FROM words_data WHERE id > 10 LIMIT 1').get();
  db.run('PRAGMA wal_checkpoint(TRUNCATE)');
  const at = readFileSync(db.filename).indexOf(row?.block ?? '');
  const file = openSync(db.filename, 'r+');
  writeSync(file, Buffer.alloc(40, 0xff), 0, 40, at);
  closeSync(file);
  db.run('PRAGMA shrink_memory');
}

function openBroken(path: string): void {
  using db = new Database(path, { readonly: true });
  db.query('SELECT * FROM sqlite_schema').all();
}

const TEXTS = [
  'The login form loses the session cookie',
  'Invoices must show the tax for each country',
  'Speed up the parser of configuration files',
];

describe('the index of the worker', () => {
  test('knows what was said a moment ago', async () => {
    start();
    for (const text of TEXTS) say(text);
    await settled();
    expect(await find('value added tax on bills')).toBe(TEXTS[1]);
    say('Pictures of cats are shown upside down');
    await until(() => indexing.status().documents === 4 && waiting() === 0);
    expect(await find('cat photos')).toBe('Pictures of cats are shown upside down');
    expect(problems).toEqual([]);
  });

  test('has the vectors of MiniLM soon after, and takes up another setting', async () => {
    start('minilm');
    for (const text of TEXTS) say(text);
    await settled();
    expect(indexing.status().models.map(({ vectors }) => vectors)).toEqual([3, 3]);
    expect(await find('users are logged out again and again', 1)).toBe(TEXTS[0]);
    config = { ...config, embedder: 'static' };
    indexing.wake();
    await until(() => indexing.status().models.length === 1);
    config = { ...config, embedder: 'off' };
    indexing.wake();
    await until(() => indexing.status().models.length === 0 && indexing.status().embedder === 'off');
    expect(problems).toEqual([]);
  });

  test('is made anew on demand, and says how far it is', async () => {
    start();
    for (const text of TEXTS) say(text);
    await settled();
    const { call } = createTestApi(workerRoutes({ index: indexing } as never));
    const read = async (): Promise<ReturnType<Indexing['status']>> => (await call('GET', '/api/index')).body;
    expect((await read()).job).toBeNull();
    expect(await call('POST', '/api/reindex')).toMatchObject({ status: 202, body: { job: { step: 'words' } } });
    expect(indexing.hasWork()).toBe(true);
    await until(async () => (await read()).job?.step === 'done');
    expect(await read()).toMatchObject({ documents: 3, job: { done: 3, total: 3 } });
    expect(await find('value added tax on bills')).toBe(TEXTS[1]);
  });

  test('makes the words anew only when they are damaged or somebody asks', async () => {
    start();
    for (const text of TEXTS) say(text);
    await settled();
    const segments = () => store.db.query('SELECT segid FROM words_idx GROUP BY segid').all();
    const isFound = () => store.db.query("SELECT 1 FROM words WHERE words MATCH 'invoices'").all().length;
    const redo = async (withWords: boolean) => {
      indexing.reindex({ withWords });
      await until(() => indexing.status().job?.step === 'done');
    };
    const before = segments();
    await redo(false);
    expect(segments()).toEqual(before);
    await redo(true);
    expect(segments()).toHaveLength(1);
    damageWords(store.db);
    expect(isFound).toThrow();
    await redo(false);
    expect(isFound()).toBe(1);
  });

  test('that cannot be made anew says why, and the next call begins again', async () => {
    const notes = 'my own notes '.repeat(20);
    writeFileSync(paths.indexDatabase, notes);
    start();
    indexing.reindex({ withWords: false });
    await until(() => indexing.status().job?.step === 'failed');
    expect(indexing.status().job?.error).toContain('left as it is');
    expect(readFileSync(paths.indexDatabase, 'utf8')).toBe(notes);
    rmSync(paths.indexDatabase);
    expect(indexing.reindex({ withWords: false }).step).toBe('words');
    await until(() => indexing.status().job?.step === 'done');
    expect(indexing.status().job?.error).toBeNull();
  });

  test('is made anew when it turns out to be damaged', async () => {
    start();
    for (const text of TEXTS) say(text);
    await settled();
    await indexing.close();
    const file = openSync(paths.indexDatabase, 'r+');
    const { size } = statSync(paths.indexDatabase);
    writeSync(file, Buffer.alloc(size - 4096, 0x5a), 0, size - 4096, 4096);
    start();
    say('Something new to write down');
    await until(() => problems.length > 0 && indexing.status().models[0]?.vectors === 4);
    expect(problems.join()).toContain('malformed');
  });

  test('that a failing disk damages again and again holds nobody up, and is made when that is over', async () => {
    let tries = 0;
    const noDatabase = join(paths.dataDir, 'notes');
    writeFileSync(noDatabase, 'my own notes '.repeat(500));
    config = { ...loadConfig(paths.config, {}).config, embedder: 'off' };
    let isFailing = true;
    indexing = new Indexing({
      ...{ db: store.db, paths, config: () => config, log, clock: Date.now },
      choose: () => {
        tries++;
        if (isFailing) openBroken(noDatabase);
        return { embedders: [], problem: null };
      },
    });
    for (const text of TEXTS) say(text);
    indexing.reindex({ withWords: false });
    await until(() => indexing.status().job?.step === 'failed');
    await until(() => tries > 2);
    expect(indexing.status().problem).toContain('not a database');
    isFailing = false;
    await until(() => indexing.status().problem === null);
    expect(problems).toHaveLength(1);
  });

  test('leaves a file of somebody else alone, says so, and search goes on without vectors', async () => {
    writeFileSync(paths.indexDatabase, 'my own notes '.repeat(20));
    start();
    say(TEXTS[0] ?? '');
    await until(() => indexing.status().problem !== null);
    expect(indexing.status().problem).toContain('left as it is');
    expect(indexing.models()).toEqual([]);
    await until(() => !indexing.hasWork());
    const finder = createFinder({ db: store.db, models: indexing.models, clock: Date.now });
    const deps = { db: store.db, finder, clock: Date.now, findBest: async () => null, readIndexProblem: indexing.openProblem };
    const { body } = await createTestApi(searchRoutes(deps)).call('GET', '/api/search?all=true&query=cookie');
    expect(body).toMatchObject({ total: 1, note: expect.stringContaining('is not an index of claude-mem') });
  });

  test('names a server that cannot be used', async () => {
    start();
    config = { ...config, embedder: 'openai', embedderUrl: 'https://example.org/v1' };
    indexing.wake();
    await until(() => indexing.status().problem !== null);
    expect(indexing.status().problem).toContain('key');
    expect(indexing.status().models).toHaveLength(1);
  });

  test('forgets what was dropped', async () => {
    start();
    for (const text of TEXTS) say(text);
    await settled();
    store.db.run("DELETE FROM documents WHERE kind = 'prompt' AND ref = (SELECT min(id) FROM prompts)");
    expect(indexing.removeDropped()).toBe(true);
    expect(countDocuments(store.db)).toBe(2);
    expect(indexing.status().models[0]?.vectors).toBe(2);
    expect(store.db.query('SELECT * FROM dropped_documents').all()).toEqual([]);
  });
});

describe.skipIf(whyNoDisk !== null)('on a full disk', () => {
  let disk: SmallDisk;
  beforeEach(() => {
    disk = createSmallDisk({ kind: 'ext4', megabytes: 24 });
    rmSync(paths.dataDir, { recursive: true });
    paths = findPaths(join(disk.folder, 'data'));
    mkdirSync(paths.dataDir);
  });
  afterEach(async () => {
    await indexing.close();
    disk.dispose();
  });

  const problem = () => [indexing.status().problem, ...indexing.status().models.map((model) => model.problem)].find(Boolean);
  /** Long ones: SQLite may have some room left in its files. */
  const sayMuch = (about: string) => {
    for (let at = 0; at < 40; at++) say(`${about} ${at} ${'and so on '.repeat(400)}`);
  };

  test.each([
    ['vectors wait', () => undefined],
    // Its vectors cannot be removed: whoever looks for what waits never gets to it.
    ['what was dropped waits', () => store.db.run("DELETE FROM documents WHERE kind = 'prompt'")],
  ])('%s: it says so with what to do, and goes on when there is room', async (_, before) => {
    start();
    sayMuch('cats');
    await settled();
    disk.fill();
    before();
    sayMuch('dogs');
    expect(await until(problem)).toMatch(/disk is full.*Make room/);
    const logged = problems.length;
    disk.empty();
    await settled();
    await until(() => store.db.query('SELECT 1 FROM dropped_documents').all().length === 0);
    expect(problem()).toBeUndefined();
    expect(problems.length).toBeLessThan(logged + 3);
  });

  test('a new index that finds no room says so, and is made when there is some', async () => {
    start();
    for (const text of TEXTS) say(text);
    await settled();
    disk.fill();
    indexing.reindex({ withWords: false });
    sayMuch('birds');
    // What the old one took is taken by others.
    const timer = setInterval(() => disk.fill(), 5);
    expect(await until(() => problem() ?? indexing.status().job?.error)).toMatch(/disk is full.*Make room/);
    clearInterval(timer);
    disk.empty();
    expect(['vectors', 'failed']).toContain(indexing.status().job?.step ?? '');
    if (indexing.status().job?.step === 'failed') indexing.reindex({ withWords: false });
    await until(() => indexing.status().job?.step === 'done');
    expect(problem()).toBeUndefined();
  });
});
