// A session that is resumed, cleared or compacted is told what it no longer has, and nothing twice.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { expectUndisturbed, startReports } from './hook-reports.ts';
import { type MockRequest, textOf } from './mock-request.ts';
import { createSandbox, type Sandbox, TEST_TIMEOUT_MS } from './sandbox.ts';
import { addFeature, sayOnly } from './work-scripts.ts';

setDefaultTimeout(TEST_TIMEOUT_MS);

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await createSandbox();
});

afterAll(() => sandbox.close());

/** A repository of its own for each test, and the prompts that make the mock work in it. */
function project(name: string) {
  const repo = sandbox.makeRepo(name);
  for (const word of ['anchovy', 'bergamot']) sandbox.mock.scripts.set(`${name}-${word}`, addFeature(repo, word));
  sandbox.mock.scripts.set('look', sayOnly('I see.'));
  return {
    add: (word: string) => `[[mock:${name}-${word}]] Please add ${word}`,
    look: '[[mock:look]] Where were we?',
    run: async (turns: string[], resume?: string) => {
      const run = await sandbox.run({ cwd: repo, turns, ...(resume === undefined ? {} : { resume }) });
      expectUndisturbed(run);
      return run;
    },
  };
}

test('a resumed session is told only what others did meanwhile, and only once', async () => {
  const { run, add, look } = project('resumed');
  const [session] = (await run([add('anchovy')])).sessionIds;
  await run([add('bergamot')]);

  const resumed = await run([look], session);
  expect(resumed.sessionIds).toEqual([session ?? '']);
  const [start] = startReports(resumed);
  expect(start?.source).toBe('resume');
  expect(start?.context).toContain('bergamot');
  expect(start?.context).not.toContain('anchovy');
  expect(lastText(resumed.requests)).toContain(start?.context ?? '');

  expect(startReports(await run([look], session))[0]?.context).toBe('');
});

test('/clear begins a new session that is told about the old one; /compact gives the memory to the session again', async () => {
  const { run, add, look } = project('cleared');
  const cleared = await run([add('anchovy'), '/clear', look]);
  expect(cleared.sessionIds).toHaveLength(2);
  const [, start] = startReports(cleared);
  expect(start?.source).toBe('clear');
  expect(start?.context).toContain('anchovy');
  expect(lastText(cleared.requests)).toContain(start?.context ?? '');

  const compacted = await run([add('bergamot'), '/compact', look]);
  expect(compacted.sessionIds).toHaveLength(1);
  const [startup, compact] = startReports(compacted);
  expect(startup?.context).toContain('anchovy');
  expect(compact?.source).toBe('compact');
  expect(compact?.context).toContain('anchovy');
  expect(compact?.context).toContain('bergamot');
  const told = lastText(compacted.requests);
  expect(told).toContain(compact?.context ?? '');
  expect(told.replace(compact?.context ?? '', '')).not.toContain(startup?.context ?? '');
  // What a PostCompact hook prints is shown to the person and the model, whatever suppressOutput says.
  expect(told).not.toContain('suppressOutput');
});

function lastText(requests: MockRequest[]): string {
  return textOf(requests.at(-1) ?? expect.unreachable('nothing reached the model'));
}
