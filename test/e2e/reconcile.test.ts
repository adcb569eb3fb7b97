// Hooks that are off, dead or killed lose nothing: what they did not deliver is read from the transcript, once and in order.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../support/until.ts';
import { readMemory } from './memory-db.ts';
import { killEverySecond, makePlugin, without } from './plugin-variant.ts';
import { createSandbox, type Sandbox, type SandboxRun, TEST_TIMEOUT_MS } from './sandbox.ts';
import { bash, edit, fixSlugify, read, write } from './work-scripts.ts';

setDefaultTimeout(TEST_TIMEOUT_MS);

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await createSandbox();
});

afterAll(() => sandbox.close());

const PROMPT = 'Make the slug right, and look around.';

function prepare(name: string): string {
  const repo = sandbox.makeRepo(name);
  const agent = { description: 'look', prompt: `[[mock:look-${name}]] Where?`, subagent_type: 'general-purpose' };
  sandbox.mock.scripts.set(`look-${name}`, [
    { tools: [bash('echo from the subagent'), read(`${repo}/.git/HEAD`)] },
    { text: 'It is in cardamom.' },
  ]);
  sandbox.mock.scripts.set(`work-${name}`, [
    ...fixSlugify(repo).slice(0, -1),
    { tools: [{ name: 'Agent', input: { ...agent, run_in_background: false } }, bash('exit 3')] },
    { tools: [write(`${repo}/notes.md`, 'one\n'), edit(`${repo}/src/slug.mjs`, 'title', 'name'), bash('true')] },
    { text: 'Fixed slugify. It now uses replaceAll. The slug is right.' },
  ]);
  return repo;
}

const work = (name: string) => `[[mock:work-${name}]] ${PROMPT}`;

test('hooks of half of the tools', async () => {
  const repo = prepare('half');
  const pluginDir = makePlugin(join(sandbox.home, 'half-plugin'), (hooks) => ({
    ...without('PostToolUseFailure', 'SubagentStop')(hooks),
    PostToolUse: (hooks.PostToolUse ?? []).map((entry) => ({ ...entry, matcher: 'Bash|Edit' })),
  }));
  const run = await sandbox.run({ cwd: repo, turns: [work('half')], pluginDir });
  await expectWhole(run);
});

test('a hook that is killed every second time', async () => {
  const repo = prepare('killed');
  const change = killEverySecond(join(sandbox.home, 'dying'));
  const pluginDir = makePlugin(join(sandbox.home, 'killed-plugin'), change);
  // Not even the prompt and the end of the turn are sure to be heard of: the next session brings them in.
  const run = await sandbox.run({ cwd: repo, turns: [work('killed'), work('killed')], pluginDir });
  await sandbox.run({ cwd: repo, turns: [work('killed')], resume: run.sessionIds[0] ?? '' });
  await expectWhole(run);
});

test('a worker that is dead for the whole session', async () => {
  const repo = prepare('dead');
  const pluginDir = makePlugin(join(sandbox.home, 'dead-plugin'), ({ SessionStart, UserPromptSubmit }) => ({
    ...(SessionStart && { SessionStart }),
    ...(UserPromptSubmit && { UserPromptSubmit }),
  }));
  const run = await sandbox.run({ cwd: repo, turns: [work('dead')], pluginDir });
  await sandbox.worker.kill();
  expect(storedTools(run)).toEqual([]);
  sandbox.mock.scripts.set('hello', [{ text: 'Hello.' }]);
  await sandbox.run({ cwd: sandbox.makeRepo('elsewhere'), turns: ['[[mock:hello]] Good morning'] });
  await expectWhole(run);
});

/** Every tool of the transcripts is stored, once, in their order; so is the prompt and what was said at the end. */
async function expectWhole(run: SandboxRun): Promise<void> {
  const wanted = transcribedTools(run);
  expect(wanted.main.length + wanted.agents.length).toBeGreaterThan(8);
  const inOrder = (stored: string[]) => stored.filter((id) => wanted.main.includes(id));
  const isAll = (stored: string[]) => stored.length >= wanted.main.length + wanted.agents.length;
  // Hooks that overtake each other are put in order when the transcript is read. In vain or not, the comparison below says what is amiss.
  await until(() => isAll(storedTools(run)) && Bun.deepEquals(inOrder(storedTools(run)), wanted.main)).catch(() => null);
  const stored = storedTools(run);
  expect(inOrder(stored)).toEqual(wanted.main);
  expect(stored.filter((id) => wanted.agents.includes(id)).sort()).toEqual(wanted.agents.sort());
  expect(stored).toHaveLength(wanted.main.length + wanted.agents.length);
  expect(count(run, 'prompt')).toBeGreaterThan(0);
  expect(count(run, 'stop')).toBe(count(run, 'prompt'));
  await until(() => titles(run).some((title) => title.includes('slug')));
}

function transcribedTools({ sessionIds: [session = ''] }: SandboxRun): { main: string[]; agents: string[] } {
  const projects = join(sandbox.home, '.claude/projects');
  const folder = readdirSync(projects).find((name) => readdirSync(join(projects, name)).includes(`${session}.jsonl`));
  const main = join(projects, folder ?? '', `${session}.jsonl`);
  const agents = join(projects, folder ?? '', session, 'subagents');
  const files = readdirSync(agents).filter((name) => name.endsWith('.jsonl'));
  return { main: resultsIn(main), agents: files.flatMap((name) => resultsIn(join(agents, name))) };
}

const resultsIn = (path: string): string[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((line) => [
      ...line.matchAll(/"tool_use_id":"(toolu_\w+)","type":"tool_result"|"tool_result".{0,100000}"tool_use_id":"(toolu_\w+)"/g),
    ])
    .flatMap(([, one, other]) => one ?? other ?? []);

function storedTools({ sessionIds: [session = ''] }: SandboxRun): string[] {
  const sql = `SELECT e.tool_use_id AS id FROM events e JOIN sessions s ON s.id = e.session_id
    WHERE s.host_session_id = ? AND e.kind = 'tool' ORDER BY e.seq`;
  return readMemory<{ id: string }>(sandbox.dataDir, sql, session).map(({ id }) => id);
}

const count = ({ sessionIds: [session = ''] }: SandboxRun, kind: string): number =>
  readMemory<{ n: number }>(
    sandbox.dataDir,
    'SELECT count(*) AS n FROM events e JOIN sessions s ON s.id = e.session_id WHERE s.host_session_id = ? AND e.kind = ?',
    session,
    kind,
  )[0]?.n ?? 0;

const titles = ({ sessionIds: [session = ''] }: SandboxRun): string[] =>
  readMemory<{ title: string }>(
    sandbox.dataDir,
    'SELECT o.title FROM observations o JOIN sessions s ON s.id = o.session_id WHERE s.host_session_id = ?',
    session,
  ).map(({ title }) => title);
