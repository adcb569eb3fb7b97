// Words that every object of the language has: as prompts, commands, tools, files and answers they are words like others.
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { bash, bashFailure, edit, nextId, sessionStart, stop, userPrompt } from '../support/payloads.ts';
import { createTestRepository, type TestRepository } from '../support/repository.ts';
import { createTestWorker, type TestWorker } from '../support/worker-app.ts';

let worker: TestWorker;
let repository: TestRepository;

beforeEach(async () => {
  worker = createTestWorker();
  repository = createTestRepository();
  repository.write('a.ts', 'export const limit = 3;\n');
  repository.commit('constructor: toString');
  await worker.start();
});
afterEach(async () => {
  await worker.dispose();
  repository.close();
});

const WORDS = ['constructor', '__proto__', 'toString', 'valueOf', 'hasOwnProperty', 'isPrototypeOf', 'toLocaleString'];

test.each(WORDS)('%s is observed, found and told', async (word) => {
  const [session, cwd] = [nextId('s'), repository.root];
  const save = (payload: object) => worker.send('save', payload);
  await worker.send('new', userPrompt(session, cwd, `${word}: ${word} the ${word}`));
  for (const command of [word, `${word} install x`, `npm ${word}`, `npm run ${word}`, `git ${word}`, `cd ${word} && ${word}`])
    await save(bash(session, cwd, command, `${word}: 3 passed`));
  await save(bashFailure(session, cwd, `npx ${word} --${word}`, `${word}Error: unknown option '--${word}'`));
  await save({ ...bash(session, cwd, 'ls', ''), tool_name: word, tool_input: { [word]: word }, tool_use_id: nextId('t') });
  await save(edit(session, cwd, `${word}.ts`, [`-${word}`, `+${word}()`]));
  await save(bash(session, cwd, `git commit -m "${word}: ${word}"`, `[main abc1234] ${word}: ${word}`));
  await worker.send('summary', stop(session, cwd, `Fixed ${word}. We decided on ${word}. Next: ${word} the ${word}.`));
  await worker.settle();
  const note = { text: `${word} ${word}`, title: `{{${word}.${word}}}`, cwd, by: 'user' };
  expect((await worker.call('POST', '/api/memory/save', note)).status).toBe(201);

  const at = encodeURIComponent(cwd);
  for (const route of [
    `/api/context/preview?cwd=${at}`,
    `/api/search?cwd=${at}&query=${word}&why=true`,
    `/api/recap?cwd=${at}&since=today`,
    `/api/observations/by-file?path=${word}.ts&cwd=${at}`,
    `/api/sessions/${session}`,
  ]) {
    const { status, body } = await worker.call('GET', route);
    expect([route, status, JSON.stringify(body).includes(word)]).toEqual([route, 200, true]);
  }
  // Whether it is relevant is another question.
  expect((await worker.call('GET', `/api/context/preview?cwd=${at}&prompt=${word}`)).status).toBe(200);
  expect(await worker.send('context', sessionStart(nextId('s'), cwd))).toContain(word);
  expect(worker.rows('SELECT 1 FROM observations WHERE title IS NOT NULL').length).toBeGreaterThan(0);
  expect(worker.problems).toEqual([]);
});
