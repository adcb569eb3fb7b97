// What there is to ask and to change about projects, by the routes; and what a worker does about them by itself.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { edit, sessionStart, stop, userPrompt } from '../../support/payloads.ts';
import { createTestRepository, type TestRepository } from '../../support/repository.ts';
import { until } from '../../support/until.ts';
import { createTestWorker, type TestWorker } from '../../support/worker-app.ts';

let worker: TestWorker;
let repository: TestRepository;
beforeEach(async () => {
  worker = createTestWorker();
  repository = createTestRepository();
  repository.write('a.ts', 'export const limit = 3;\n');
  repository.commit('first');
  await worker.start();
});
afterEach(async () => {
  await worker.dispose();
  repository.close();
});

let sessions = 0;
/** A turn in a folder that leaves an observation. */
async function work(cwd: string, file = 'a.ts'): Promise<string> {
  const session = `p${++sessions}`;
  const told = await worker.send('context', sessionStart(session, cwd));
  await worker.send('new', userPrompt(session, cwd, `Set the zebra limit in ${file} to five`));
  await worker.send('save', edit(session, cwd, file, ['-export const limit = 3;', '+export const limit = 5;']));
  await worker.send('summary', stop(session, cwd, `I set the zebra limit in ${file} to five: three was too low.`));
  await worker.settle();
  return told;
}
const list = async () => (await worker.call('GET', '/api/projects')).body;
const folder = (name: string) => {
  const path = join(worker.paths.dataDir, name);
  mkdirSync(path, { recursive: true });
  return path;
};

describe('projects', () => {
  test('are listed with all that they go by, and whether their folder is there', async () => {
    await work(repository.root);
    await work(folder('gone'));
    rmSync(folder('gone'), { recursive: true });
    const { items, total } = await list();
    expect(total).toBe(2);
    expect(items).toMatchObject([
      { project: 'gone', isGone: true, aliases: [] },
      { key: repository.root, root: repository.root, isGone: false, sessions: 1, observations: 1, aliases: [] },
    ]);
  });

  test('become one, whoever they are called by, and are found under both keys', async () => {
    await work(folder('a/app'));
    await work(folder('b/app'));
    const ambiguous = await worker.call('POST', '/api/projects/merge', { from: 'app', into: folder('b/app') });
    expect(ambiguous).toMatchObject({ status: 409, body: { candidates: [folder('a/app'), folder('b/app')] } });
    const merged = await worker.call('POST', '/api/projects/merge', { from: folder('a/app'), into: folder('b/app') });
    expect(merged).toMatchObject({ status: 200, body: { project: 'app', moved: { sessions: 1, observations: 1 } } });
    expect((await list()).items).toMatchObject([{ sessions: 2, observations: 2, aliases: [folder('a/app')] }]);
    expect(await work(folder('a/app'))).toContain('zebra');
    expect((await list()).total).toBe(1);
  });

  test('are called otherwise, and then found by that name', async () => {
    await work(repository.root);
    const renamed = await worker.call('PATCH', '/api/projects', { project: repository.root, name: 'Giraffe' });
    expect(renamed).toMatchObject({ status: 200, body: { project: 'Giraffe' } });
    expect((await worker.call('GET', '/api/observations?project=giraffe')).body.total).toBe(1);
    const rest = "SELECT 1 FROM documents WHERE whence NOT LIKE '% Giraffe'";
    await until(() => worker.rows(rest).length === 0);
    expect(await work(repository.root)).toContain('Giraffe');
  });

  test.each([
    ['POST', '/api/projects/merge', { from: 'none', into: 'none' }, 404],
    ['POST', '/api/projects/merge', { from: 'here', into: 'here' }, 409],
    ['POST', '/api/projects/merge', { from: 'here' }, 400],
    ['POST', '/api/projects/merge', { from: '*', into: 'here' }, 409],
    ['PATCH', '/api/projects', { project: 'here', name: ' ' }, 400],
    ['PATCH', '/api/projects', { project: 'none', name: 'x' }, 404],
  ])('%s %s %j is %d', async (method, route, body, status) => {
    await work(folder('here'));
    await worker.call('POST', '/api/memory/save', { text: 'Everywhere', global: true, by: 'user' });
    expect(await worker.call(method, route, body)).toMatchObject({ status, body: { error: expect.any(String) } });
  });
});

test('the first session in a repository that has moved is told what is remembered of it', async () => {
  await work(repository.root);
  await until(() => worker.rows('SELECT 1 FROM projects WHERE first_commit IS NOT NULL').length === 1);
  const moved = `${repository.root}-moved`;
  renameSync(repository.root, moved);
  try {
    expect(await worker.send('context', sessionStart('after', moved))).toContain('zebra');
    await until(() => worker.rows('SELECT 1 FROM projects').length === 1);
    expect((await list()).items).toMatchObject([{ key: moved, root: moved, sessions: 2, aliases: [repository.root] }]);
    expect(await work(moved)).toContain('zebra');
  } finally {
    rmSync(moved, { recursive: true });
  }
});

test('what was done in a repository from elsewhere is told there, and what is known of its files to whoever edits them', async () => {
  const elsewhere = folder('elsewhere');
  // Inside of the folder of the session: files in the folder for temporary ones are no work elsewhere.
  const inner = join(elsewhere, 'inner');
  renameSync(repository.root, inner);
  writeFileSync(join(inner, 'a.ts'), 'export const limit = 5;\n');
  try {
    await work(elsewhere, 'inner/a.ts');
    expect((await list()).items).toMatchObject([{ observations: 0 }, { root: inner, observations: 1, sessions: 0 }]);
    expect(await worker.send('context', sessionStart('in', inner))).toContain('zebra');
    const rule = { text: 'Never raise the giraffe limit in src/b.ts above nine', cwd: inner, by: 'user' };
    expect(await worker.call('POST', '/api/memory/save', rule)).toMatchObject({ status: 201 });
    await worker.send('context', sessionStart('out', elsewhere));
    const question = { session_id: 'out', cwd: elsewhere, hook_event_name: 'PreToolUse', tool_name: 'Edit' };
    const note = await worker.send('context', { ...question, tool_input: { file_path: join(inner, 'src/b.ts') } });
    expect(note).toContain('giraffe limit');
  } finally {
    rmSync(inner, { recursive: true });
  }
});
