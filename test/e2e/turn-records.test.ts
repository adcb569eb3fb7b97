// What a real Claude Code said between its tools, which no hook tells, is in the record of the turn, found, and given back.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { readRecord } from '../../src/turns/record.ts';
import { until } from '../support/until.ts';
import { expectUndisturbed } from './hook-reports.ts';
import { readMemory } from './memory-db.ts';
import { toolResults } from './mock-request.ts';
import { createSandbox, type Sandbox, type SandboxRun, TEST_TIMEOUT_MS } from './sandbox.ts';
import { bash, edit, write } from './work-scripts.ts';

setDefaultTimeout(TEST_TIMEOUT_MS);

const GUESS = 'My guess is the parser of the mandrill feed.';
const CAUSE = 'It is not the parser: the mandrill feed breaks because its first line begins with a byte order mark.';
const tool = (name: string) => `mcp__plugin_mem_claude-mem__${name}`;

let sandbox: Sandbox;
let repo: string;
let work: SandboxRun;

beforeAll(async () => {
  sandbox = await createSandbox();
  repo = sandbox.makeRepo('work/feed');
  const file = `${repo}/src/feed.mjs`;
  sandbox.mock.scripts.set('mandrill', [
    { text: GUESS, tools: [bash('echo the parser is fine')] },
    { text: CAUSE, tools: [write(file, "export const clean = (line) => line;\nconsole.log('feed');\n")] },
    { tools: [edit(file, '=> line;', '=> line.slice(1);')] },
    { text: 'One more look.', tools: [bash('node src/feed.mjs')] },
    { text: 'Done.' },
  ]);
  work = await sandbox.run({ cwd: repo, turns: ['[[mock:mandrill]] Why does the import of the mandrill feed break?'] });
  await until(() => records().length > 0);
});

afterAll(() => sandbox.close());

const records = () =>
  readMemory<{ id: number; record: string }>(
    sandbox.dataDir,
    'SELECT p.id, t.record FROM turns t JOIN prompts p USING (session_id, prompt_number)',
  );

test('the run is undisturbed, and each word stands between the deeds before and after it', () => {
  expectUndisturbed(work);
  const [turn] = records();
  expect(readRecord(turn?.record ?? '')).toEqual({
    steps: [
      { kind: 'said', text: GUESS },
      { kind: 'ran', command: 'echo the parser is fine', isOk: true, output: 'the parser is fine' },
      { kind: 'said', text: CAUSE },
      { kind: 'edited', file: 'src/feed.mjs', isNew: true, added: 2, removed: 0, diff: '' },
      {
        kind: 'edited',
        file: 'src/feed.mjs',
        isNew: false,
        added: 1,
        removed: 1,
        diff: "@@ 1\n+export const clean = (line) => line.slice(1);\n+console.log('feed');",
      },
      { kind: 'said', text: 'One more look.' },
      { kind: 'ran', command: 'node src/feed.mjs', isOk: true, output: 'feed' },
    ],
    closing: 'Done.',
  });
});

test('an agent that asks later finds the cause, though the turn ended in "Done."', async () => {
  const input = { query: 'why does the mandrill feed break' };
  const ids = [`P${records()[0]?.id}`];
  sandbox.mock.scripts.set('ask', [
    { tools: [{ name: tool('search'), input }] },
    { tools: [{ name: tool('get_observations'), input: { ids } }] },
    { text: 'I see.' },
  ]);
  const asked = await sandbox.run({ cwd: repo, turns: ['[[mock:ask]] What was it with the feed?'] });
  const [found = '', whole = ''] = toolResults(asked.requests.at(-1) ?? expect.unreachable('nothing reached the model'));
  expect(found).toContain('begins with a byte order mark');
  expect(found).not.toContain('mandrill feed break?\n    Asked');
  // The record as it is: every word between the tools, what was run and what was edited.
  for (const part of [GUESS, CAUSE, 'One more look.', 'echo the parser is fine', 'src/feed.mjs', 'Done.']) expect(whole).toContain(part);
  // Only what was asked of the memory, and what it told: no record of its own.
  await sandbox.worker.stop();
  expect(records()).toHaveLength(1);
});
