// A model played from recorded answers, before a real worker: nothing that the turn does not bear out becomes a row, and nobody is asked twice.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { type FakeModel, GOOD_ANSWER, say, startFakeModel } from '../support/fake-model.ts';
import { bash, edit, sessionEnd, stop, userPrompt } from '../support/payloads.ts';
import { createSandbox, type Sandbox } from '../support/sandbox.ts';
import { until } from '../support/until.ts';

let model: FakeModel;
let sandbox: Sandbox;

/** What the model says of the second turn of a session, by the name of its project; `ids` are those that its question lists. */
type Play = (ids: { decision: number; step: number }) => string;
const replaced = (id: number, words: string, part = 'whole') =>
  `<replaced><id>${id}</id><words>${words}</words><part>${part}</part></replaced>`;
const closed = (id: number, words: string) => `<closed><id>${id}</id><words>${words}</words></closed>`;
const USER = 'The orders table lives in SQLite.';
const AGENT = 'That migration has its test.';
const OUTPUT = 'orders table: sqlite driver loaded';
const LEARNED = '<summary><request>Move the orders</request><learned>The orders table lives in SQLite.</learned></summary>';

const PLAYS: Record<string, Play> = {
  good: ({ decision, step }) => `${GOOD_ANSWER}${replaced(decision, USER)}${closed(step, AGENT)}`,
  part: ({ decision }) => `${LEARNED}${replaced(decision, USER, 'part')}`,
  ids: () => `${LEARNED}${replaced(987654, USER)}${closed(987654, AGENT)}`,
  swapped: ({ decision, step }) => `${LEARNED}${replaced(step + 1000, USER)}${closed(decision + 1000, AGENT)}`,
  invented: ({ decision, step }) =>
    `${LEARNED}${replaced(decision, 'The user wants no Postgres for orders')}${closed(step, 'migration test for invoices passes')}`,
  agents: ({ decision }) => `${LEARNED}${replaced(decision, 'Moved the orders table to SQLite.')}`,
  printed: ({ decision, step }) => `${LEARNED}${replaced(decision, OUTPUT)}${closed(step, OUTPUT)}`,
  unrelated: ({ decision, step }) => `${LEARNED}${replaced(decision, 'Thanks, nice weather')}${closed(step, 'Thanks, nice weather')}`,
  summary: () => LEARNED,
  nothing: () =>
    '<no_observations/><summary><request>Move the orders</request><completed>Moved the orders table.</completed><next_steps>Nothing is open.</next_steps></summary>',
  prose: () => 'They moved the orders table to SQLite, and #1 does not hold any more.',
};

beforeAll(async () => {
  model = startFakeModel(({ prompt }) => {
    const name = /<session project="(\w+)"/.exec(prompt)?.[1] ?? '';
    const id = (tag: string) => Number(new RegExp(`<${tag} id="(\\d+)"`).exec(prompt)?.[1] ?? 0);
    const ids = { decision: id('decision'), step: id('step') };
    return say(ids.decision > 0 ? (PLAYS[name]?.(ids) ?? '') : '<no_observations reason="first turn"/>');
  });
  sandbox = createSandbox();
  mkdirSync(sandbox.paths.dataDir, { mode: 0o700 });
  writeFileSync(sandbox.paths.config, JSON.stringify({ provider: 'openai', model: 'fake', baseUrl: model.baseUrl, retrySeconds: 0.05 }));
  await sandbox.startWorker();
  for (const name of Object.keys(PLAYS)) await work(name);
  const done = () => sandbox.query("SELECT 1 FROM batches WHERE status <> 'waiting'").length;
  await until(() => done() === 2 * Object.keys(PLAYS).length);
});
afterAll(async () => {
  model.close();
  await sandbox.dispose();
});

/** A decision of the user and a step that is left; then the decision goes over to something else, and the step is done. */
async function work(name: string): Promise<void> {
  const cwd = sandbox.project(name);
  const turn = async (id: string, asked: string, file: string, line: string, message: string) => {
    await sandbox.hook('new', userPrompt(name, cwd, asked, { prompt_id: `${name}-${id}` }));
    await sandbox.hook('save', { ...edit(name, cwd, file, [`+${line}`]), prompt_id: `${name}-${id}` });
    await sandbox.hook('save', bash(name, cwd, 'cat notes', OUTPUT, { prompt_id: `${name}-${id}` }));
    await sandbox.hook('summary', stop(name, cwd, message, { prompt_id: `${name}-${id}` }));
  };
  await turn(
    'p1',
    'Use Postgres, not MySQL, for the orders table.',
    `${cwd}/src/store.ts`,
    'connect()',
    'Connected it.\n\n## Still open\n- Write the migration test for invoices',
  );
  await turn('p2', `${USER} Thanks, nice weather`, `${cwd}/src/other.ts`, 'move()', `Moved the orders table to SQLite. ${AGENT}`);
  await sandbox.hook('cleanup', sessionEnd(name, cwd));
}

type Row = { certain: number; why: string; words: string; madeBy: string };
const OF = `(SELECT o.id FROM observations o JOIN sessions s ON s.id = o.session_id WHERE s.host_session_id = ?)`;
const rowsOf = (name: string) =>
  sandbox.query<Row>(
    `SELECT certain, why, words, made_by AS madeBy FROM replacements WHERE made_by = 'model' AND older_id IN ${OF.replace('?', `'${name}'`)}`,
  );
const closedBy = (name: string) =>
  sandbox
    .query<{ how: string | null }>(
      `SELECT closed_how AS how FROM open_steps t JOIN sessions s ON s.id = t.session_id WHERE s.host_session_id = '${name}' AND t.prompt_number = 1`,
    )
    .map(({ how }) => how);

test('each turn is asked about once, a decision and a step are listed by number, and the next prompt goes with it', () => {
  const names = Object.keys(PLAYS);
  // Prose is asked for once more, with a note.
  expect(model.prompts.length).toBe(2 * names.length + 1);
  const first = model.prompts.filter((prompt) => prompt.includes('<user_said_next>'));
  expect(first).toHaveLength(names.length);
  for (const prompt of first) expect(prompt).toContain(USER);
  for (const prompt of model.prompts.filter((one) => one.includes('<current_decisions>'))) {
    expect(prompt).toMatch(/<decision id="\d+" by="user">Use Postgres/);
    expect(prompt).toMatch(/<step id="\d+">Write the migration test for invoices</);
  }
});

test('what the user says replaces a decision of theirs for certain, and a step that was done is closed', () => {
  expect(rowsOf('good')).toEqual([{ certain: 1, why: 'model', words: USER, madeBy: 'model' }]);
  expect(closedBy('good')).toEqual(['model']);
});

test('where only a part changed it may be replaced', () => {
  expect(rowsOf('part')).toEqual([{ certain: 0, why: 'model', words: USER, madeBy: 'model' }]);
});

describe('nothing becomes a row', () => {
  test.each([
    ['numbers that were not listed', 'ids'],
    ['numbers of something else', 'swapped'],
    ['quotes that stand nowhere in the turn', 'invented'],
    ['words of the agent against a decision of the user', 'agents'],
    ['words that only a command printed', 'printed'],
    ['words that have nothing to do with it', 'unrelated'],
    ['only a summary', 'summary'],
    ['prose', 'prose'],
  ])('of %s', (_, name) => {
    expect(rowsOf(name)).toEqual([]);
    expect(closedBy(name)).toEqual([null]);
  });
});

test('an answer without observations leaves those of the rules, and "nothing is open" is no step', () => {
  const of = (name: string) =>
    sandbox.query<{ title: string }>(`SELECT title FROM observations WHERE id IN ${OF.replace('?', `'${name}'`)} ORDER BY id`);
  expect(of('summary')).toEqual(of('prose'));
  expect(of('summary').length).toBeGreaterThan(0);
  const steps = sandbox.query<{ steps: string | null }>(
    `SELECT m.next_steps AS steps FROM summaries m JOIN sessions s ON s.id = m.session_id
     WHERE s.host_session_id = 'nothing' AND m.prompt_number = 2`,
  );
  expect(steps).toEqual([{ steps: null }]);
});

test('a rebuild asks nobody, and leaves every id and every row as it was', async () => {
  const asked = model.prompts.length;
  const state = () => ({
    observations: sandbox.query('SELECT id, title, facts FROM observations ORDER BY id'),
    replacements: sandbox.query(
      "SELECT older_id, newer_kind, newer_id, certain, words FROM replacements WHERE made_by = 'model' ORDER BY id",
    ),
    steps: sandbox.query('SELECT id, text, closed_how FROM open_steps ORDER BY id'),
  });
  const before = state();
  const { code, stderr } = await sandbox.cli('rebuild');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(state()).toEqual(before);
  expect(model.prompts.length).toBe(asked);
});
