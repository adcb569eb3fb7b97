// Records of a real Claude Code's turns: what it said between its tools, which no hook tells, and the traps that records met (numbered as
// in test/turns/traps.test.ts), in one session that works and one that asks.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readRecord } from '../../src/turns/record.ts';
import { runAtTerminal } from '../support/sandbox.ts';
import { until } from '../support/until.ts';
import { expectUndisturbed } from './hook-reports.ts';
import { readMemory } from './memory-db.ts';
import { toolResults } from './mock-request.ts';
import { createSandbox, type Sandbox, type SandboxRun, TEST_TIMEOUT_MS } from './sandbox.ts';
import { bash, edit, sayOnly, write } from './work-scripts.ts';

setDefaultTimeout(TEST_TIMEOUT_MS);

const GUESS = 'My guess is the parser of the mandrill feed.';
const CAUSE = 'It is not the parser: the mandrill feed breaks because its first line begins with a byte order mark.';
const QUESTION = 'Why does the import of the mandrill feed break?';
const DECIDED = 'We decided that the wombat sync retries 3 times, because its gateway closes after that.';
const READ = 'The quokka client retries forever, says its page.';
const LONG = Array.from({ length: 120 }, (_, at) => `Tapir ${at} was seen at the river on day ${at} by the third camera.`).join('\n');
const CLI = join(import.meta.dir, '../../dist/cli.js');
const tool = (name: string, input: object) => ({ name: `mcp__plugin_mem_claude-mem__${name}`, input: { ...input } });

let sandbox: Sandbox;
let work: SandboxRun;
let asking: SandboxRun;
/** What the memory answered, call by call. */
let answers: string[];

beforeAll(async () => {
  sandbox = await createSandbox();
  const repo = sandbox.makeRepo('work/feed');
  const file = `${repo}/src/feed.mjs`;
  const sync = `${repo}/src/sync.mjs`;
  const { scripts, url } = sandbox.mock;
  const { port } = new URL(url);
  scripts.set('mandrill', [
    { text: GUESS, tools: [bash('echo the parser is fine')] },
    { text: CAUSE, tools: [write(file, "export const clean = (line) => line;\nconsole.log('feed');\n")] },
    { tools: [edit(file, '=> line;', '=> line.slice(1);')] },
    { text: 'One more look.', tools: [bash('node src/feed.mjs')] },
    { text: 'Done.' },
  ]);
  scripts.set('first', [{ tools: [write(sync, 'export const RETRIES = 3;\n')] }, { text: DECIDED }]);
  scripts.set('then', [
    { tools: [edit(sync, 'RETRIES = 3', 'RETRIES = 5')] },
    { text: 'The wombat sync now retries 5 times instead of 3 times.' },
  ]);
  scripts.set('page', [
    { tools: [bash(`curl -s --resolve quokka.example:${port}:127.0.0.1 http://quokka.example:${port}/docs`)] },
    { text: `${READ} There is no way to limit the quokka client.` },
  ]);
  scripts.set('long', sayOnly(LONG));
  work = await sandbox.run({
    cwd: repo,
    turns: [
      `[[mock:mandrill]] ${QUESTION}`,
      '[[mock:first]] Add retries to the wombat sync.',
      '[[mock:then]] From now on the wombat sync retries 5 times instead of 3.',
      '[[mock:page]] How often does the quokka client retry?',
      '[[mock:long]] List the tapirs.',
    ],
  });
  await until(() => records().length === 5 && readMemory(sandbox.dataDir, 'SELECT 1 FROM replacements').length > 0);
  scripts.set('haiku', sayOnly('Snow falls on the roof.'));
  scripts.set('ask', [
    { tools: [tool('search', { query: QUESTION })] },
    { tools: [tool('search', { query: 'how often does the wombat sync retry' })] },
    { tools: [tool('search', { query: 'how often does the quokka client retry' })] },
    { tools: [tool('get_observations', { ids: [idOf('mandrill'), idOf('tapirs')] })] },
    { tools: [bash('ls src')] },
    { text: 'It is there.' },
  ]);
  asking = await sandbox.run({
    cwd: repo,
    turns: ['[[mock:haiku]] Please write a haiku about the first snow of this winter', '[[mock:ask]] Three questions, please.'],
  });
  answers = toolResults(asking.requests.at(-1) ?? expect.unreachable('nothing reached the model'));
  await until(() => records().length === 7);
});

afterAll(() => sandbox.close());

type Row = { id: number; prompt: string; record: string };
const records = () =>
  readMemory<Row>(
    sandbox.dataDir,
    'SELECT p.id, p.text AS prompt, t.record FROM turns t JOIN prompts p USING (session_id, prompt_number) ORDER BY p.id',
  );
const turnOf = (word: string) => records().find(({ prompt }) => prompt.includes(word)) ?? expect.unreachable(`no turn about ${word}`);
const idOf = (word: string) => `P${turnOf(word).id}`;
/** Each row with the words below it. */
const rowsOf = (answer: string) => answer.split(/\n(?=#)/).slice(1);

test('4: each word stands between the deeds before and after it, and the run is undisturbed', () => {
  expectUndisturbed(work);
  expect(readRecord(turnOf('mandrill').record)).toEqual({
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

test('1, 6: the cause is found, not the guess or the question, though the turn ended in "Done."', () => {
  const [first = ''] = rowsOf(answers[0] ?? '');
  expect(first).toContain('begins with a byte order mark');
  expect(first).not.toContain(`Asked: ${QUESTION}`);
});

test('1: what was decided anew comes before the older word, which is marked', () => {
  const rows = rowsOf(answers[1] ?? '');
  const old = rows.findIndex((row) => row.includes('retries 3 times'));
  const anew = rows.findIndex((row) => row.includes('5 times'));
  expect(anew).toBeGreaterThanOrEqual(0);
  expect(anew).toBeLessThan(old);
  expect(rows[old]).toMatch(/replaced by #/);
});

test('5: what the agent says after it read a page is marked', () => {
  const row = rowsOf(answers[2] ?? '').find((one) => one.includes(READ)) ?? expect.unreachable('the page was not found');
  expect(row).toContain('[untrusted source]');
});

test('3: a prompt about something else gets no note', () => {
  expectUndisturbed(asking);
  const notes = asking.hooks.filter(({ hook_event, stdout }) => hook_event === 'UserPromptSubmit' && stdout.includes('claude-mem-context'));
  expect(notes).toEqual([]);
});

test('7: a turn, its summary and its observations are one row', () => {
  const rows = rowsOf(answers[0] ?? '');
  expect(rows.filter((row) => row.includes('mandrill') || row.includes('byte order mark'))).toHaveLength(1);
});

test('8: rows are short, a record is given back whole up to 1.5 KB, then with the way to the rest', () => {
  for (const row of answers.slice(0, 3).flatMap(rowsOf)) expect(row.length).toBeLessThan(650);
  const [whole = '', cut = ''] = rowsOf(answers[3] ?? '');
  for (const part of [GUESS, CAUSE, 'One more look.', 'echo the parser is fine', 'src/feed.mjs', 'Done.']) expect(whole).toContain(part);
  expect(cut.length).toBeLessThan(2500);
  expect(cut).toContain(`get_observations(ids=["${idOf('tapirs')}"], full=true)`);
});

test('9: what the memory told is not recorded again', () => {
  expect(readRecord(turnOf('Three questions').record).steps.map(({ kind }) => kind)).toEqual(['ran']);
  expect(turnOf('Three questions').record).not.toContain('byte order mark');
});

test('2: what is forgotten is gone from the record of its turn, and from every file', async () => {
  const [{ id } = expect.unreachable('no decision')] = readMemory<{ id: number }>(
    sandbox.dataDir,
    "SELECT id FROM observations WHERE title LIKE '%wombat sync retries 3 times%'",
  );
  expect(filesWith('gateway closes after that')).not.toEqual([]);
  const env = { HOME: sandbox.home, PATH: process.env.PATH ?? '', LANG: 'C.UTF-8' };
  const { stdout, code } = await runAtTerminal([process.execPath, CLI, 'forget', String(id), '--yes'], env);
  expect({ code, stdout }).toMatchObject({ code: 0 });
  expect(records().filter(({ record }) => record.includes('retries 3 times, because'))).toEqual([]);
  expect(filesWith('gateway closes after that')).toEqual([]);
});

/** The files of the data dir that hold this text. */
const filesWith = (text: string) =>
  readdirSync(sandbox.dataDir, { recursive: true })
    .map((name) => join(sandbox.dataDir, String(name)))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile() && readFileSync(path, 'latin1').includes(text));
