// Members and hubs that lie: nothing that comes by a space of a team changes or deletes what was made here.
import type { Database } from 'bun:sqlite';
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import type { PullAnswer } from '../../src/core/shapes/sync.ts';
import { insertSummary } from '../../src/memory/summaries.ts';
import { ensureProject, findProject } from '../../src/projects/projects.ts';
import { createHubClient, type Fetch } from '../../src/sync/client.ts';
import { takeDown } from '../../src/sync/links.ts';
import { writeAccount } from '../../src/sync/state.ts';
import { putTurn } from '../../src/turns/turns.ts';
import { makeRecord } from '../hub/contract.ts';
import { forget, HUB_URL, type Machine, openMachine, say } from './machines.ts';
import { listTitles, openSession, openTeam, PROJECT, publish } from './team.ts';

const folder = mkdtempSync(join(tmpdir(), 'claude-mem-untrusted-'));
afterAll(() => rmSync(folder, { recursive: true }));

const titlesOf = (machine: Machine) => listTitles(machine).map(({ title }) => title);
const countRefused = ({ db }: Machine) =>
  db.query<{ value: number }, []>("SELECT value FROM counters WHERE name = 'sync:unreadable'").get()?.value ?? 0;

/** Summaries, prompts and records of turns under the first twenty numbers. */
function work(db: Database): void {
  const sessionId = openSession(db);
  const projectId = findProject(db, PROJECT.key)?.id ?? 0;
  const empty = { investigated: null, learned: null, completed: null, nextSteps: null, notes: null, filesRead: [], filesEdited: [] };
  for (let n = 1; n <= 20; n++) {
    const owner = { sessionId, projectId, promptNumber: n, batchId: null, isProvisional: false };
    insertSummary(db, owner, { request: `Her own summary ${n}`, ...empty, at: n });
    db.run(
      `INSERT INTO prompts (id, session_id, prompt_number, text, created_at, created_at_epoch) VALUES (?1, ?2, ?1, 'Her own prompt ' || ?1, '2026-11-01T00:00:00.000Z', ?1)`,
      [n, sessionId],
    );
    const turn = { sessionId, promptNumber: n, startedAt: n, endedAt: n, branch: null, head: null };
    putTurn(db, turn, { steps: [], closing: `Her own closing words ${n}` });
  }
}

const readOwn = (db: Database) => [
  db.query('SELECT id, request, hidden_at FROM summaries ORDER BY id').all(),
  db.query('SELECT id, text, hidden_at FROM prompts ORDER BY id').all(),
  db.query('SELECT id, record FROM turns ORDER BY id').all(),
];

test('a memory that says in its second version that it is a summary or a turn changes none', async () => {
  const { a, b, both, space, as, fetch } = await openTeam();
  work(a.db);
  publish(b, space);
  for (let n = 0; n < 6; n++) say(b, `Decision number ${n} of ben about the queue`, PROJECT);
  await both();
  const before = readOwn(a.db);
  expect(titlesOf(a)).toHaveLength(6);
  const evil = (await as(b).pull(space, 0)).records.filter(({ author }) => author === 'ben');
  const summary = { prompt: 1, request: 'Owned', investigated: null, learned: null, completed: null, nextSteps: null, notes: null };
  const words = { ...summary, filesRead: [], filesEdited: [], at: '2026-11-01T00:00:00.000Z' };
  const ways = ['live', 'forgotten', 'withdrawn'].flatMap((state) => ['summary', 'turn'].map((kind) => ({ state, kind })));
  const lies = new Map<string, object>();
  for (const [n, { state, kind }] of ways.entries()) {
    const { id, entity, payload } = evil[n] ?? { id: '', entity: '', payload: '' };
    const body = JSON.parse(payload ?? '');
    const said = JSON.stringify({ ...body, kind, fields: { ...body.fields, words } });
    // Words under what is gone no honest hub takes.
    if (state !== 'live') lies.set(entity, { state, payload: said });
    else expect((await as(b).push(space, [makeRecord(entity, said, { base: id })])).results[0]?.kind).toBe('ok');
  }
  const lying = lyingOf(fetch, ({ id, entity }) => lies.get(entity) ?? { id });
  const lied = await openMachine('annas', a.account, { fetch: lying, now: a.now, db: a.db });
  await lied.sync.round();
  expect(readOwn(a.db)).toEqual(before);
  expect(countRefused(a)).toBe(6);
});

/** What the hub answers of the team's spaces, always from their beginning. */
const lyingOf =
  (honest: Fetch, change: (record: PullAnswer['records'][number]) => object): Fetch =>
  async (url, init) => {
    if (!url.includes('/pull?space=team-')) return honest(url, init);
    const said = (await (await honest(url.replace(/after=\d+/, 'after=0'), init)).json()) as PullAnswer;
    return Response.json({ ...said, records: said.records.map((one) => ({ ...one, id: Bun.randomUUIDv7(), ...change(one) })) });
  };

test('a hub that speaks for others, or for the user, does not reach what the user has published', async () => {
  const { a, both, fetch } = await openTeam();
  say(a, 'Amounts are integer cents, never floats', PROJECT);
  await both();
  const before = a.db.query("SELECT * FROM observations WHERE title LIKE 'Amounts%'").all();
  const mallory = { member: 'mallory-id', author: 'mallory' };
  const ways: [string, (record: PullAnswer['records'][number]) => object][] = [
    ['changed', ({ payload }) => ({ ...mallory, payload: payload?.replaceAll('Amounts are integer', 'Amounts are floating') })],
    ['withdrawn', () => ({ ...mallory, state: 'withdrawn', payload: null })],
    ['changed as the user', ({ payload }) => ({ payload: payload?.replaceAll('Amounts are integer', 'Amounts are floating') })],
    ['withdrawn as the user', () => ({ state: 'withdrawn', payload: null })],
    ['forgotten as the user', () => ({ state: 'forgotten', payload: null })],
    ['forgotten', () => ({ ...mallory, state: 'forgotten', payload: null })],
    ['brought back', ({ payload }) => ({ ...mallory, payload })],
  ];
  for (const [name, change] of ways) {
    const lied = await openMachine('annas', a.account, { fetch: lyingOf(fetch, change), now: a.now, db: a.db });
    // Its hub is not the one that it pushes to: that it cannot agree with it is no matter here.
    await lied.sync.round().catch(() => undefined);
    expect([name, a.db.query("SELECT * FROM observations WHERE title LIKE 'Amounts%'").all()]).toEqual([name, before]);
  }
  expect(countRefused(a)).toBeGreaterThan(1);
});

test('an entity that somebody has taken before stays theirs, and gives them nothing of who has the same later', async () => {
  const { a, b, both, space, as } = await openTeam();
  const id = say(a, 'Amounts are integer cents, never floats', PROJECT);
  await a.sync.stamp();
  const { entity = '' } =
    a.db.query<{ entity: string }, [string]>("SELECT entity FROM sync_records WHERE ref = ? AND kind = 'observation'").get(String(id)) ??
    {};
  a.db.run('DELETE FROM sync_records');
  publish(b, space);
  say(b, 'Something of ben that is his own decision', PROJECT);
  await b.sync.round();
  const [own] = (await as(b).pull(space, 0)).records;
  const squat = makeRecord(entity, own?.payload ?? '');
  await as(b).push(space, [squat]);
  await both();
  a.db.run("INSERT OR IGNORE INTO sync_changes (kind, ref) SELECT 'observation', id FROM observations");
  await both();
  await as(b).push(space, [makeRecord(entity, null, { state: 'forgotten', base: squat.id })]);
  await both();
  expect(titlesOf(a)).toContain('Amounts are integer cents, never floats');
});

test('an admin deletes what a member published: the copies go, their own memory stays and is not published again', async () => {
  const { a, b, both, space, as, fetch } = await openTeam();
  publish(b, space);
  say(b, 'Ben decided that the queue is a table', PROJECT);
  await both();
  expect(titlesOf(a)).toEqual(['Ben decided that the queue is a table']);
  const idOf = ({ db }: Machine) =>
    db.query<{ id: number }, []>("SELECT id FROM observations WHERE title LIKE 'Ben decided%'").get()?.id ?? 0;
  const deps = (machine: Machine) => {
    const path = join(folder, `${machine.name}.json`);
    writeAccount(path, machine.account);
    return { db: machine.db, path, fetch, now: machine.now() };
  };
  // His own is not for this; nor is it for him to delete hers.
  expect(takeDown(deps(b), { kind: 'observation', id: idOf(b) })).rejects.toThrow('Nobody of your team');
  const hers = say(a, 'Amounts are integer cents, never floats', PROJECT);
  await both();
  const copy = b.db.query<{ id: number }, []>("SELECT id FROM observations WHERE title LIKE 'Amounts%'").get()?.id ?? 0;
  expect(takeDown(deps(b), { kind: 'observation', id: copy })).rejects.toThrow('Only an admin');
  forget(a, hers);
  await both();
  expect(await takeDown(deps(a), { kind: 'observation', id: idOf(a) })).toMatchObject({ author: 'ben' });
  await both();
  b.db.run("INSERT OR IGNORE INTO sync_changes (kind, ref) SELECT 'observation', id FROM observations");
  await both();
  expect([titlesOf(a), titlesOf(b)]).toEqual([[], ['Ben decided that the queue is a table']]);
  expect((await as(a).pull(space, 0)).records.some(({ payload }) => payload?.includes('Ben decided'))).toBe(false);
});

test('what its author forgets takes nothing along that the user says in the same words', async () => {
  const { a, b, both, space } = await openTeam();
  publish(b, space);
  const his = say(b, 'The queue is a table in the same database', PROJECT);
  await both();
  say(a, 'The queue is a table in the same database', PROJECT);
  await both();
  expect(titlesOf(a)).toHaveLength(2);
  forget(b, his);
  await both();
  expect(listTitles(a).map(({ title, author }) => [title, author])).toEqual([['The queue is a table in the same database', null]]);
  expect(a.db.query('SELECT * FROM tombstones').all()).toEqual([]);
});

test('a record belongs to the project of its space, and a space takes no name from a repository', async () => {
  const { a, b, both, space, as } = await openTeam();
  publish(b, space);
  say(b, 'Ben decided that the queue is a table', PROJECT);
  await b.sync.round();
  const own = (await as(b).pull(space, 0)).records.find(({ payload }) => payload?.includes('Ben decided'));
  const other = { key: 'example.org/other', name: 'other', firstCommit: 'c'.repeat(40) };
  const body = JSON.parse(own?.payload ?? '');
  const elsewhere = { ...body, fields: { ...body.fields, place: { ...body.fields.place, project: other } } };
  const said = (text: string) => JSON.stringify(elsewhere).replaceAll('Ben decided that the queue is a table', text);
  await as(b).push(space, [makeRecord('entity-elsewhere', said('Another decision, about the cache of ben'))]);
  const opened = await as(b).call('POST', 'spaces', z.object({ id: z.string() }), { project: other });
  await as(b).push(opened.id, [makeRecord('entity-squatting', said('A third decision, about the log of ben'))]);
  const alias = { entity: 'entity-alias', kind: 'alias', clocks: {}, fields: { words: { key: 'example.org/third', project: other } } };
  await as(b).push(space, [makeRecord('entity-alias', JSON.stringify(alias), { kind: 'alias' })]);
  await both();
  expect(listTitles(a).map(({ title, project }) => [title, project])).toEqual([
    ['A third decision, about the log of ben', `sync:${other.key}`],
    ['Another decision, about the cache of ben', PROJECT.key],
    ['Ben decided that the queue is a table', PROJECT.key],
  ]);
  // Anna clones the real one, which began otherwise.
  a.db
    .transaction(() => ensureProject(a.db, { key: other.key, name: 'other', root: '/home/anna/other', remote: null }, a.now()))
    .immediate();
  a.db.run('UPDATE projects SET first_commit = ? WHERE key = ?', ['d'.repeat(40), other.key]);
  await both();
  expect(listTitles(a).filter(({ project }) => project === other.key)).toEqual([]);
  expect(a.db.query("SELECT key FROM project_aliases WHERE key = 'example.org/third'").all()).toEqual([]);
});

test('an answer without an end is not read to its end', async () => {
  const chunk = new Uint8Array(1024 * 1024).fill(32);
  let sent = 0;
  const endless: Fetch = async () =>
    new Response(
      new ReadableStream({
        pull(stream) {
          if (++sent > 200) stream.close();
          else stream.enqueue(chunk);
        },
      }),
    );
  const client = createHubClient({ hub: HUB_URL, token: null, fetch: endless });
  expect(await client.me().catch((error: Error) => error.message)).toMatch(/says more than a hub would/);
  expect(sent).toBeLessThan(25);
});
