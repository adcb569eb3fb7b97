// The real Claude Code has our tools, and a model that uses them finds what the hooks kept before.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../support/until.ts';
import { readMemory } from './memory-db.ts';
import type { BeforeAnswer, Script, Step } from './mock-api.ts';
import { type MockRequest, textOf, toolResults } from './mock-request.ts';
import { makePlugin } from './plugin-variant.ts';
import { createSandbox, type Sandbox, type SandboxRun, TEST_TIMEOUT_MS } from './sandbox.ts';
import { addFeature, fixSlugify } from './work-scripts.ts';

setDefaultTimeout(TEST_TIMEOUT_MS);

const tool = (name: string) => `mcp__plugin_mem_claude-mem__${name}`;
const TOOLS = ['search', 'timeline', 'get_observations', 'file_history', 'remember', 'forget'];

/** What the model does next, given what the tools have told it so far. */
type Model = (told: string[]) => Step;

let sandbox: Sandbox;
let repo: string;
const models = new Map<string, Model>();
let beforeAnswer: BeforeAnswer = foresee;

beforeAll(async () => {
  sandbox = await createSandbox((request) => beforeAnswer(request));
  repo = sandbox.makeRepo('work/shop');
  const other = sandbox.makeRepo('work/other');
  sandbox.mock.scripts.set('fix', fixSlugify(repo));
  sandbox.mock.scripts.set('teapot', addFeature(other, 'teapot'));
  await sandbox.run({ cwd: repo, turns: ['[[mock:fix]] Write slugify with a test and make the test pass'] });
  await sandbox.run({ cwd: other, turns: ['[[mock:teapot]] Add a teapot'] });
  await until(() => readMemory(sandbox.dataDir, 'SELECT id FROM summaries').length >= 2);
});

afterAll(() => sandbox.close());

/** The script of a model is written while it runs: it answers to what it was told. */
async function foresee(request: MockRequest): Promise<void> {
  const model = models.get(request.script ?? '');
  if (!model) return;
  const script: Script = Array.from({ length: request.step }, () => ({}));
  sandbox.mock.scripts.set(request.script ?? '', [...script, model(toolResults(request))]);
}

async function runModel(name: string, model: Model): Promise<SandboxRun & { told: string[] }> {
  models.set(name, model);
  const run = await sandbox.run({ cwd: repo, turns: [`[[mock:${name}]] What do you remember?`] });
  const last = run.requests.at(-1) ?? expect.unreachable('nothing reached the model');
  return { ...run, told: toolResults(last) };
}

const use = (name: string, input: Record<string, unknown>): Step => ({ tools: [{ name: tool(name), input }] });
/** The best observation; none is 0, which no tool takes. */
const firstId = (told = '') => /#(\d+) /.exec(told)?.[1] ?? '0';

test('search → timeline → get_observations gives the right rows, and file_history knows the file by any spelling of its path', async () => {
  const { told, requests } = await runModel('ask', ([found, around, whole, relative, absolute]) => {
    if (!found) return use('search', { query: 'slugify replaced only the first space' });
    if (!around) return use('timeline', { anchor: firstId(found), depth_before: 5, depth_after: 5 });
    if (!whole) return use('get_observations', { ids: [firstId(found)] });
    if (!relative) return use('file_history', { path: 'src/slug.mjs' });
    if (!absolute) return use('file_history', { path: `${repo}/src/slug.mjs` });
    return { text: 'I remember.' };
  });
  const [first] = requests;
  const offered = first?.body.tools?.map(({ name }) => name) ?? [];
  expect(offered).toEqual(expect.arrayContaining(TOOLS.map(tool)));
  expect(textOf(first ?? expect.unreachable())).toContain('search finds index rows');

  const [found = '', around = '', whole = '', ...histories] = told;
  for (const text of told) expect(text).toMatch(/^<claude-mem-context id="[0-9a-f]{8}">\nNotes about the past/);
  expect(found).toMatch(
    /#\d+ \d{4}-\d\d-\d\d (?:bugfix|feature) (?:Replace every space in a slug|Fixed slugify: it replaced only the first space).* \(~\d+\)/,
  );
  // The words of its turn that answer, below the row.
  expect(found).toMatch(/\n {4}.*replaced only the first space/);
  expect(found).not.toContain('teapot');
  expect(around).toMatch(/#P\d+ \d\d:\d\d prompt .*Write slugify/);
  expect(around).toMatch(/#S\d+ \d\d:\d\d summary /);
  expect(around).toContain(`#${firstId(found)} `);
  expect(around).not.toContain('teapot');
  expect(whole).toContain(`#${firstId(found)} `);
  expect(whole).toContain('replaceAll');
  expect(whole).toContain('src/slug.mjs');
  expect(histories).toHaveLength(2);
  for (const text of histories) expect(text).toMatch(/Changed it:[\s\S]*#\d+ /);
});

test('a server that has ended until it is called is started again', async () => {
  const folder = makePlugin(join(sandbox.home, 'counted'), (hooks) => hooks);
  const [starts, ends] = [join(folder, 'starts'), join(folder, 'ends')];
  const script = `#!/bin/sh\necho $$ >>${starts}\n${folder}/bin/start-bun mcp.js\necho $$ >>${ends}\n`;
  writeFileSync(join(folder, 'counted.sh'), script, { mode: 0o755 });
  const server = { command: join(folder, 'counted.sh'), args: [], alwaysLoad: true };
  writeFileSync(join(folder, '.mcp.json'), JSON.stringify({ mcpServers: { 'claude-mem': server } }));
  const count = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').length : 0);
  sandbox.mock.scripts.set('again', [use('search', { query: 'slugify' }), { text: 'Found.' }]);
  // The model thinks until the first one has ended.
  beforeAnswer = async ({ script: name, step }) => {
    if (name === 'again' && step === 0) await until(() => count(ends) === 1);
  };
  const run = await sandbox.run({ cwd: repo, turns: ['[[mock:again]] What of slugify?'], pluginDir: folder });
  beforeAnswer = foresee;
  const [found = ''] = toolResults(run.requests.at(-1) ?? expect.unreachable('nothing reached the model'));
  expect(found).toMatch(/#\d+ .*slug/i);
  expect(count(starts)).toBe(2);
});

test('what is remembered is found, what is forgotten is hidden and waits for a person', async () => {
  const { told } = await runModel('keep', ([kept, found, gone, again]) => {
    if (!kept) return use('remember', { text: 'Releases are cut on Tuesdays, after the zebra check.', type: 'decision' });
    if (!found) return use('search', { query: 'zebra check' });
    if (!gone) return use('forget', { ids: [firstId(found)] });
    if (!again) return use('search', { query: 'zebra check', type: 'decision' });
    return { text: 'Done.' };
  });
  const [kept = '', found = '', gone = '', again = ''] = told;
  const id = firstId(found);
  expect(kept).toContain(`#${id} `);
  expect(found).toContain('decision');
  expect(gone).toContain(`claude-mem forget ${id}`);
  expect(again).not.toContain(`#${id} `);
});

test('what the tools told is not kept as something new', async () => {
  await sandbox.worker.stop();
  const texts = readMemory<{ text: string }>(
    sandbox.dataDir,
    `SELECT concat_ws(' ', title, subtitle, narrative, facts) AS text FROM observations
     UNION ALL SELECT concat_ws(' ', request, investigated, learned, completed, next_steps, notes) FROM summaries
     UNION ALL SELECT payload FROM events`,
  );
  expect(texts.length).toBeGreaterThan(0);
  for (const { text } of texts) expect(text).not.toContain('Notes about the past');
});
