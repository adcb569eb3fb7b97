// What a starting session is told, for programs that put it before the model themselves.
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { nextId } from '../../support/payloads.ts';
import { createTestWorker, type TestWorker } from '../../support/worker-app.ts';

let worker: TestWorker;

beforeEach(async () => {
  worker = createTestWorker();
  await worker.start();
});
afterEach(() => worker.dispose());

function makeFolder(path: string): string {
  const folder = join(worker.paths.dataDir, path);
  mkdirSync(folder, { recursive: true });
  return folder;
}

async function inject(query: Record<string, string>) {
  const route = `http://localhost/api/context/inject?${new URLSearchParams(query)}`;
  const response = await fetch(route, { unix: worker.paths.httpSocket });
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
}

/** A turn that decides something. */
async function decide(place: object, words: string): Promise<void> {
  const sessionId = nextId('ide');
  await worker.call('POST', '/sessions/init', { sessionId, ...place, prompt: `What about ${words}?` });
  await worker.call('POST', '/sessions/summarize', { sessionId, last_assistant_message: `We decided on ${words}.` });
}

const MARKDOWN = 'text/markdown; charset=utf-8';

test('what was just decided is told by the folder and by the name, as Markdown', async () => {
  const cwd = makeFolder('work/shop');
  await decide({ cwd }, 'a cache of sixty seconds');
  const byFolder = await inject({ cwd });
  expect(byFolder).toMatchObject({ status: 200, type: MARKDOWN });
  expect(byFolder.text).toContain('sixty seconds');
  expect(await inject({ project: 'shop' })).toEqual(byFolder);
  const preview = await worker.call('GET', `/api/context/preview?cwd=${cwd}`);
  expect(byFolder.text).toBe(preview.body.text);
});

test('a project that has only a name is told what was said under it', async () => {
  await decide({ project: 'bakery' }, 'rye bread on Fridays');
  expect((await inject({ project: 'bakery' })).text).toContain('rye bread');
});

test('the folder goes before the name', async () => {
  await decide({ project: 'bakery' }, 'rye bread on Fridays');
  expect((await inject({ cwd: makeFolder('work/shop'), project: 'bakery' })).text).not.toContain('rye bread');
});

test.each([
  ['a folder', () => ({ cwd: makeFolder('work/new') })],
  ['a name', () => ({ project: 'default' })],
])('of %s of which nothing is known nothing is said', async (_, query) => {
  expect(await inject(query())).toEqual({ status: 200, type: MARKDOWN, text: '' });
});

test('in a pause nothing is said', async () => {
  const cwd = makeFolder('work/shop');
  await decide({ cwd }, 'a cache of sixty seconds');
  await worker.call('POST', '/api/silence', {});
  expect(await inject({ cwd })).toMatchObject({ status: 200, text: '' });
});

test('a name that two projects have is a 409 with the candidates', async () => {
  const folders = [makeFolder('one/shop'), makeFolder('two/shop')];
  for (const cwd of folders) await decide({ cwd }, 'a cache');
  const answer = await inject({ project: 'shop' });
  expect(answer.status).toBe(409);
  const { candidates } = JSON.parse(answer.text);
  expect(candidates).toHaveLength(2);
  expect((await inject({ project: candidates[0] })).status).toBe(200);
});

test.each([
  ['nothing is named', {}, /^cwd is missing/],
  ['the folder is relative', { cwd: 'shop' }, /^cwd is not an absolute path/],
  ['something else is asked', { cwd: '/', colour: 'blue' }, /^There is no parameter colour/],
])('when %s it is a 400', async (_, query, error) => {
  const answer = await inject(query as Record<string, string>);
  expect(answer.status).toBe(400);
  expect(JSON.parse(answer.text).error).toMatch(error);
});
