// Every answer is what its route says that it answers: each field declared, each of the kind it was declared to be.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openStore } from '../../../src/store/open.ts';
import { listAllRoutes } from '../../support/all-routes.ts';
import { checkAnswer, findRoute } from '../../support/check-answer.ts';
import { fillMemory } from '../../support/full-memory.ts';
import { bash, edit, sessionStart, stop, userPrompt } from '../../support/payloads.ts';
import { createTestRepository, type TestRepository } from '../../support/repository.ts';
import { createTestWorker, type TestWorker } from '../../support/worker-app.ts';

const routes = listAllRoutes();
let worker: TestWorker;
let repository: TestRepository;

beforeAll(async () => {
  worker = createTestWorker();
  repository = createTestRepository();
  repository.write('a.ts', 'export const limit = 3;\n');
  repository.commit('first');
  const db = openStore(worker.paths.database);
  fillMemory(db);
  db.close();
  await worker.start();
  await work('one');
  await worker.send('context', sessionStart('two', repository.root));
  await worker.call('POST', '/api/silence', { session: 'two', minutes: 5 });
});
afterAll(async () => {
  await worker.dispose();
  repository.close();
});

/** A turn that leaves an observation, a summary and a prompt. */
async function work(session: string): Promise<void> {
  const cwd = repository.root;
  await worker.send('context', sessionStart(session, cwd));
  await worker.send('new', userPrompt(session, cwd, 'Set the zebra limit in a.ts to five'));
  await worker.send('save', bash(session, cwd, 'bun test', '1 pass'));
  await worker.send('save', edit(session, cwd, 'a.ts', ['-export const limit = 3;', '+export const limit = 5;']));
  await worker.send('summary', stop(session, cwd, 'I set the zebra limit in a.ts to five: three was too low.'));
  await worker.settle();
}

/** For each kind of answer that a GET route gives, one that has something in it; ROOT is the folder of the repository. */
const READS: [url: string, has: string][] = [
  ['/health', 'ok'],
  ['/api/status', 'lastSuccessAt'],
  ['/api/stats', 'byProject'],
  ['/api/index', 'embedder'],
  ['/sessions/1/status', 'pendingMessages'],
  ['/api/processing-status', 'queueDepth'],
  ['/api/feed', 'memories'],
  ['/api/sessions/one', 'turns'],
  ['/api/memory/scope?session=one', 'session one'],
  ['/api/settings', 'isSafe'],
  ['/api/logs', 'entries'],
  ['/api/pauses', 'session'],
  ['/api/statusline?session=two&cwd=ROOT', 'paused'],
  ['/api/search?query=zebra&cwd=ROOT&why=true', 'neighbours'],
  ['/api/search?all=true', 'replacedBy'],
  ['/api/search/sessions?query=zebra&cwd=ROOT', 'best'],
  ['/api/observations', 'isPinned'],
  ['/api/summaries', 'summary'],
  ['/api/prompts', 'prompt'],
  ['/api/sessions', 'startedAt'],
  ['/api/projects', 'aliases'],
  ['/api/timeline?query=zebra&cwd=ROOT', 'zebra'],
  ['/api/timeline?anchor=1', 'anchor'],
  ['/api/observations/by-file?path=a.ts&cwd=ROOT', 'changed'],
  ['/api/contradictions?all=true', 'items'],
  ['/api/recap?since=2026-01-01&all=true', 'decided'],
  ['/api/observations/1/related', 'memories'],
  ['/api/memory/hidden', 'hiddenAt'],
  ['/api/memory/block', 'host:strange'],
  ['/api/rules?cwd=ROOT', 'offers'],
  ['/api/rules?global=true', 'rules'],
  ['/api/context/preview?cwd=ROOT', 'freshness'],
  ['/api/context/preview?project=shop&prompt=retries', 'first-prompt'],
  ['/api/context/replay?session=two', 'tellings'],
  ['/api/import?claudeDir=ROOT', 'transcripts'],
  ['/api/overview?shown=30', 'openSteps'],
  ['/api/decisions?project=shop', 'current'],
  ['/api/memories/1', 'usesTotal'],
  ['/api/backups', 'copies'],
  ['/api/jobs', 'createdAt'],
  ['/api/jobs/1', 'progress'],
];

describe('what is read', () => {
  beforeAll(async () => {
    const started = await worker.call('POST', '/api/jobs', { kind: 'vacuum' });
    checkAnswer(findRoute(routes, 'POST', '/api/jobs'), started);
  });

  test.each(READS)('%s', async (route, has) => {
    const url = route.replace('ROOT', encodeURIComponent(repository.root));
    const reply = await worker.call('GET', url);
    checkAnswer(findRoute(routes, 'GET', url), reply);
    expect(JSON.stringify(reply.body)).toContain(has);
  });

  test('changes nothing by being read', async () => {
    const stores = worker.rows<{ name: string }>("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE '%fts5%'");
    const dump = () => stores.map(({ name }) => [name, JSON.stringify(worker.rows(`SELECT * FROM "${name}"`))]);
    const urls = READS.map(([url]) => url.replace('ROOT', encodeURIComponent(repository.root)));
    // The first time the git log is read, which nobody has to ask for.
    for (const url of urls) await worker.call('GET', url);
    const before = dump();
    for (const url of urls) await worker.call('GET', url);
    expect(dump()).toEqual(before);
  });

  test('is tried of every route', () => {
    const tried = new Set(READS.map(([url]) => findRoute(routes, 'GET', url).handle));
    const isJson = (answer: unknown) => typeof answer === 'object';
    const wanted = routes.filter(({ method, answers }) => method === 'GET' && isJson(answers[200]));
    const untried = wanted.filter(({ handle, path }) => !tried.has(handle) && !OTHERWISE.has(path));
    expect(untried.map(({ path }) => path)).toEqual([]);
  });
});

/** Each has a test of its own. */
const OTHERWISE = new Set(['/api/openapi.json', '/api/import/found']);

describe('what is changed', () => {
  const CHANGES: [method: string, url: string, body: object | undefined, status: number][] = [
    ['POST', '/api/backups', { by: 'user' }, 202],
    ['POST', '/api/observations/batch', { ids: ['1', 'S1', 'P1', '999'], full: true }, 200],
    ['POST', '/api/memory/save', { text: 'Deploy on Fridays.', project: 'shop', by: 'user' }, 201],
    ['POST', '/api/memory/save', { text: 'Deploy on Fridays.', project: 'shop', by: 'user' }, 200],
    ['PATCH', '/api/observations/1', { pinned: true, by: 'user' }, 200],
    ['POST', '/api/memory/replace', { older: 1, newer: '2', by: 'user' }, 200],
    ['POST', '/api/memory/replace', { older: '1', undo: true, by: 'user' }, 200],
    ['POST', '/api/memory/distrust', { source: 'origin:web', by: 'user' }, 200],
    ['DELETE', '/api/observations/2', undefined, 200],
    ['POST', '/api/memory/unhide', { ids: ['2'] }, 200],
    ['DELETE', '/api/observations/3,S1?erase=true&related=true', undefined, 200],
    ['PATCH', '/api/projects', { project: 'other', name: 'another' }, 200],
    ['POST', '/api/projects/merge', { from: 'another', into: 'shop' }, 200],
    ['POST', '/api/pauses', { minutes: 1, project: 'shop' }, 201],
    ['DELETE', '/api/silence?all=true', undefined, 200],
    ['POST', '/api/memory/erase', { session: 'two' }, 200],
    ['POST', '/api/reindex', undefined, 202],
  ];

  test.each(CHANGES)('%s %s %j', async (method, url, body, status) => {
    const reply = await worker.call(method, url, body);
    expect(reply.status).toBe(status);
    checkAnswer(findRoute(routes, method, url), reply);
  });
});
