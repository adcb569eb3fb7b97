// What leaves a machine: every kind of memory, and of a project that stays here, of turns and of private text nothing that nobody said to send.
import { expect, test } from 'bun:test';
import { correct } from '../../src/memory/edit.ts';
import { observeBatch } from '../../src/observe/observe.ts';
import { processTurn } from '../../src/observe/process-turn.ts';
import { mergeProjects } from '../../src/projects/merge.ts';
import { findProject } from '../../src/projects/projects.ts';
import { createHubClient } from '../../src/sync/client.ts';
import { bindingOf, createSealer } from '../../src/sync/crypto.ts';
import { seedOf } from '../../src/sync/state.ts';
import { putTurn } from '../../src/turns/turns.ts';
import { openShelf } from '../support/memories.ts';
import { bash, stop, userPrompt } from '../support/payloads.ts';
import { byRules, createTestStore } from '../support/store.ts';
import { addMachine, countPendingOf, fetchHub, forget, HUB_URL, loginWith, type Machine, openMachine, openWorld, say } from './machines.ts';

const ALL = { isSent: true, withTurns: true };
const NO_TURNS = { isSent: true, withTurns: false };
const KEPT = { isSent: false, withTurns: false };

/** What each sends can be changed at any time, as settings can. */
async function openTwo(of = { a: NO_TURNS, b: NO_TURNS }, db = {}) {
  const world = await openWorld();
  const fetch = fetchHub(world.hub);
  const now = () => ++world.time.now;
  const first = await loginWith(fetch, world.admin, 'laptop');
  const a = await openMachine('laptop', first, { fetch, now, policy: () => of.a, ...db });
  const b = await openMachine('desk', await addMachine(fetch, first, 'desk'), { fetch, now, policy: () => of.b });
  const both = async () => {
    for (const machine of [a, b, a, b, a, b]) await machine.sync.round();
  };
  return { of, a, b, both, fetch };
}

const listTitles = ({ db }: Machine) =>
  db
    .query<{ title: string }, []>('SELECT title FROM observations WHERE hidden_at IS NULL ORDER BY title')
    .all()
    .map(({ title }) => title);
const listTurns = ({ db }: Machine) =>
  db
    .query<{ text: string }, []>(
      `SELECT p.text || ': ' || t.record AS text FROM prompts p JOIN turns t ON t.session_id = p.session_id AND t.prompt_number = p.prompt_number
       WHERE p.hidden_at IS NULL ORDER BY p.id`,
    )
    .all()
    .map(({ text }) => text.replace(/: .*(Closing words \d).*/s, ': $1'));
const idOf = ({ db }: Machine, title: string) =>
  db.query<{ id: number }, [string]>('SELECT id FROM observations WHERE title = ?').get(title)?.id ?? 0;

function work({ db }: Machine, n: number): void {
  const { ask, sessionId } = openShelf(db, '/work/shop', 'session-of-her');
  ask(`Prompt ${n}`, n);
  putTurn(
    db,
    { sessionId, promptNumber: n, startedAt: n, endedAt: n, branch: null, head: null },
    { steps: [], closing: `Closing words ${n}` },
  );
}

test('a summary, a turn and what a person merged arrive', async () => {
  const { a, b, both } = await openTwo({ a: ALL, b: NO_TURNS });
  openShelf(a.db, '/work/shop', 'session-of-her').sumUp(5, { request: 'The request of a summary', learned: 'What was learned' });
  work(a, 1);
  const [from, into] = ['example.org/old', 'example.org/new'].map((key) => {
    say(a, `A note of ${key}`, { key, name: 'lib', root: '', remote: null });
    return findProject(a.db, key);
  });
  await both();
  expect(b.db.query('SELECT request, learned FROM summaries').all()).toEqual([
    { request: 'The request of a summary', learned: 'What was learned' },
  ]);
  expect(listTurns(b)).toEqual(['Prompt 1: Closing words 1']);
  if (!from || !into) throw new Error('a project is missing');
  a.db.transaction(() => mergeProjects(a.db, { from, into }, a.now())).immediate();
  await both();
  for (const { db } of [a, b]) {
    expect(findProject(db, 'example.org/old')?.key).toBe('example.org/new');
    expect(
      db.query('SELECT title FROM observations WHERE project_id = ? ORDER BY title').all(findProject(db, 'example.org/new')?.id ?? 0),
    ).toEqual([{ title: 'A note of example.org/new' }, { title: 'A note of example.org/old' }]);
  }
  expect([await countPendingOf(a), await countPendingOf(b)]).toEqual([0, 0]);
});

test('a machine that keeps a project to itself takes nothing of it from another', async () => {
  const { of, a, b, both } = await openTwo();
  const before = say(a, 'Said before it was kept');
  say(b, 'A decision of the desk about herons');
  await both();
  of.a = KEPT;
  say(a, 'Said while it was kept');
  correct(a.db, { kind: 'observation', id: before }, { title: 'Edited while it was kept', by: 'user' }, a.now());
  correct(a.db, { kind: 'observation', id: idOf(a, 'A decision of the desk about herons') }, { pinned: true, by: 'user' }, a.now());
  await both();
  expect(listTitles(b)).toEqual(['A decision of the desk about herons', 'Said before it was kept']);
  say(b, 'A second decision of the desk');
  await a.restart();
  await both();
  expect(listTitles(a)).toHaveLength(4);
  expect(listTitles(b)).toHaveLength(3);
  expect(await countPendingOf(a)).toBe(0);
  of.a = NO_TURNS;
  await both();
  expect(listTitles(b)).toEqual([
    'A decision of the desk about herons',
    'A second decision of the desk',
    'Edited while it was kept',
    'Said while it was kept',
  ]);
  expect(b.db.query('SELECT title FROM observations WHERE pinned = 1').all()).toEqual([{ title: 'A decision of the desk about herons' }]);
  expect([await countPendingOf(a), await countPendingOf(b)]).toEqual([0, 0]);
});

test('what was changed on both while one kept it goes to whoever was later; what is forgotten there is forgotten everywhere', async () => {
  const { of, a, b, both } = await openTwo();
  for (const title of ['Edited here last', 'Edited there last', 'Forgotten while kept']) say(a, title);
  await both();
  of.a = KEPT;
  const edit = (machine: Machine, from: string, title: string) =>
    correct(machine.db, { kind: 'observation', id: idOf(machine, from) }, { title, by: 'user' }, machine.now());
  edit(a, 'Edited there last', 'By the laptop, too early');
  await both();
  edit(b, 'Edited here last', 'By the desk, too early');
  edit(b, 'Edited there last', 'By the desk, last');
  // As the worker does at once; the laptop hears of it only after its own edit.
  await b.sync.stamp();
  edit(a, 'Edited here last', 'By the laptop, last');
  forget(a, idOf(a, 'Forgotten while kept'));
  await both();
  of.a = NO_TURNS;
  await both();
  for (const machine of [a, b]) expect(listTitles(machine)).toEqual(['By the desk, last', 'By the laptop, last']);
});

test('turns are sent by whoever says so, from then on and from before, and nobody else takes them back', async () => {
  const { of, a, b, both } = await openTwo({ a: NO_TURNS, b: ALL });
  work(b, 1);
  await both();
  for (const machine of [a, b]) expect(listTurns(machine)).toEqual(['Prompt 1: Closing words 1']);
  of.b = NO_TURNS;
  work(b, 2);
  await both();
  expect(listTurns(a)).toEqual(['Prompt 1: Closing words 1']);
  expect(listTurns(b)).toHaveLength(2);
  of.b = ALL;
  await both();
  expect(listTurns(a)).toEqual(listTurns(b));
  expect(listTurns(a)).toHaveLength(2);
});

test('raw events and what is private are in nothing that is sent, opened with the key', async () => {
  const store = createTestStore();
  const { a, both, fetch } = await openTwo({ a: ALL, b: ALL }, { db: store.db });
  const cwd = '/home/dev/shop';
  store.take('new', userPrompt('s', cwd, 'Public request <private>canaryinprompt</private> about herons', { prompt_id: 'p1' }));
  store.take('save', bash('s', cwd, 'bun test', '3 pass', { prompt_id: 'p1', raw_field: 'canaryinevent' }));
  store.take('summary', stop('s', cwd, 'We decided to use herons instead of crows because they wade.', { prompt_id: 'p1' }));
  processTurn(store.db, 1, byRules(observeBatch));
  store.take('new', userPrompt('s', cwd, '<private>canaryprivateturn</private>', { prompt_id: 'p2' }));
  store.take('save', bash('s', cwd, 'echo canaryprivatetool', 'canaryprivatetool', { prompt_id: 'p2' }));
  store.take('summary', stop('s', cwd, 'The canaryprivateanswer is done.', { prompt_id: 'p2' }));
  processTurn(store.db, 1, byRules(observeBatch));
  await both();
  expect(JSON.stringify(store.db.query('SELECT * FROM events').all())).toContain('canaryinevent');
  const { records } = await createHubClient({ hub: HUB_URL, token: a.account.token, fetch }).pull(a.account.personal, 0);
  const sealer = await createSealer(seedOf(a.account));
  const opened = await Promise.all(records.map((record) => sealer.open(record.payload ?? '', bindingOf(a.account.personal, record))));
  const kinds = new Set(opened.map((text) => JSON.parse(text).kind));
  expect([kinds.has('turn'), kinds.has('observation')]).toEqual([true, true]);
  expect(opened.join('\n')).toContain('Public request');
  expect(opened.join('\n')).not.toContain('canary');
  store.close();
});
