// A session that comes twice, from another store and from its own events, in whatever order: all of it is there once.

import type { Database } from 'bun:sqlite';
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { claudeCode } from '../../src/agents/claude-code/agent.ts';
import { takeSession } from '../../src/capture/take-session.ts';
import { findSession } from '../../src/capture/transcript-files.ts';
import { runExport } from '../../src/import/export.ts';
import { runExportImport } from '../../src/import/from-export.ts';
import { runOriginalImport } from '../../src/import/from-original.ts';
import { undoImport } from '../../src/import/import-rows.ts';
import { createFindKnown } from '../../src/import/same-memory.ts';
import { observeBatch } from '../../src/observe/observe.ts';
import { processTurn } from '../../src/observe/process-turn.ts';
import { CAPTURE_ALL } from '../support/capture-settings.ts';
import { CWD, createLines, SESSION } from '../support/claude-lines.ts';
import { createControl } from '../support/job-control.ts';
import { bash, stop, userPrompt } from '../support/payloads.ts';
import { byRules, createTestStore, type TestStore } from '../support/store.ts';
import { createTranscripts, type Transcripts } from '../support/transcripts.ts';
import { GENERATIONS, MINUTE, ONE_SESSION, T, times, writePeer } from './original-database.ts';

let past: Transcripts;
let stores: TestStore[] = [];

beforeEach(() => {
  past = createTranscripts();
});
afterEach(() => {
  for (const store of stores) store.close();
  stores = [];
  past.dispose();
});

function open(): TestStore {
  const store = createTestStore();
  stores.push(store);
  return store;
}

const quiet = () => undefined;
const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };

const ASKED = ['Never keep the payment keys in env files, use the zanzibar vault.', 'Now the docs, and push them.'] as const;
const SAID = [
  'We decided to use the zanzibar vault instead of env files because Nordwind audits it.',
  'The page says how the vault is opened, and who audits it.',
] as const;
const PATCH = [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: ['-const a = 1', '+const vault = zanzibar()'] }];
const EDITED = { filePath: `${CWD}/vault.ts`, structuredPatch: PATCH };
const DOCUMENTED = {
  filePath: `${CWD}/docs/vault.md`,
  structuredPatch: [{ oldStart: 1, oldLines: 0, newStart: 1, newLines: 1, lines: ['+Open the vault with its key.'] }],
};
const COMMITTED = '[main abc1234] Document the vault';

function writeTranscript(from = Date.parse('2026-01-02T10:00:00.350Z')): string {
  const { prompt, use, result, say, bash: run } = createLines({ from });
  return past.write(`shop/${SESSION}.jsonl`, [
    prompt(ASKED[0], 'p1'),
    ...run('t1', 'bun test payments', '1 fail\nerror: the vault is locked'),
    use('t2', 'Edit', { file_path: EDITED.filePath }),
    result('t2', 'ok', EDITED),
    ...run('t3', 'bun test payments', '2 pass'),
    say(SAID[0]),
    prompt(ASKED[1], 'p2'),
    use('t5', 'Edit', { file_path: DOCUMENTED.filePath }),
    result('t5', 'ok', DOCUMENTED),
    ...run('t4', 'git commit -m "Document the vault"', COMMITTED),
    say(SAID[1]),
  ]);
}

/** The same session as hooks told it. */
function hear(store: TestStore): void {
  const own = (prompt_id: string, tool_use_id: string) => ({ prompt_id, tool_use_id });
  store.take('new', userPrompt(SESSION, CWD, ASKED[0], { prompt_id: 'p1' }));
  store.take('save', bash(SESSION, CWD, 'bun test payments', '1 fail\nerror: the vault is locked', own('p1', 't1')));
  const change = (tool_response: { filePath: string }, ids: object) => ({
    ...{ session_id: SESSION, cwd: CWD, hook_event_name: 'PostToolUse', tool_name: 'Edit', ...ids },
    ...{ tool_input: { file_path: tool_response.filePath }, tool_response },
  });
  store.take('save', change(EDITED, own('p1', 't2')));
  store.take('save', bash(SESSION, CWD, 'bun test payments', '2 pass', own('p1', 't3')));
  store.take('summary', stop(SESSION, CWD, SAID[0], { prompt_id: 'p1' }));
  store.take('new', userPrompt(SESSION, CWD, ASKED[1], { prompt_id: 'p2' }));
  store.take('save', change(DOCUMENTED, own('p2', 't5')));
  store.take('save', bash(SESSION, CWD, 'git commit -m "Document the vault"', COMMITTED, own('p2', 't4')));
  store.take('summary', stop(SESSION, CWD, SAID[1], { prompt_id: 'p2' }));
  distil(store);
}

async function read({ db }: TestStore, path: string): Promise<void> {
  const found = await findSession(claudeCode, path);
  if (!found) throw new Error('there is no transcript');
  const deps = { db, options: () => CAPTURE_ALL, clock: Date.now, pause: () => Promise.resolve() };
  await takeSession(found, deps, { isOver: true, isEnd: true });
}

function distil({ db }: TestStore): void {
  const deps = { ...byRules(observeBatch), findKnown: createFindKnown(db) };
  for (const { id } of db.query<{ id: number }, []>('SELECT id FROM sessions').all()) while (processTurn(db, id, deps).kind === 'observed');
}

async function exportFrom({ db }: TestStore, more: object = {}): Promise<string> {
  const path = `${past.folder}/${crypto.randomUUID()}.jsonl`;
  await runExport({ db, log, clock: Date.now })({ path, ...more }, createControl());
  return path;
}

const importInto = ({ db }: TestStore, path: string) =>
  runExportImport({ db, settings: () => CAPTURE_ALL, log, clock: Date.now, onStored: quiet })({ path, asMine: true }, createControl());

const importPeer = ({ db }: TestStore, path: string) =>
  runOriginalImport({ db, settings: () => CAPTURE_ALL, dataDir: past.folder, clock: () => T + 1e9, onStored: quiet })(
    { path, asMine: true },
    createControl(),
  );

const all = <Row>(db: Database, sql: string) => db.query<Row, []>(sql).all();
const titles = ({ db }: TestStore) =>
  all<{ title: string }>(db, 'SELECT title FROM observations')
    .map(({ title }) => title)
    .sort();
const look = ({ db }: TestStore) => ({
  prompts: all(db, 'SELECT prompt_number, prompt_id, text FROM prompts ORDER BY prompt_number'),
  counter: all(db, 'SELECT prompt_counter, title FROM sessions'),
  summaries: all(db, 'SELECT prompt_number, request, completed FROM summaries ORDER BY prompt_number'),
  observations: all(db, 'SELECT prompt_number, type, title, outcome FROM observations ORDER BY title'),
});

test.each(['hooks', 'the transcript'])('an export of what %s told and the transcript, in either order', async (by) => {
  const [here, first, second] = [open(), open(), open()];
  const transcript = writeTranscript();
  if (by === 'hooks') hear(here);
  else await read(here, transcript);
  distil(here);
  const expected = look(here);
  expect(expected.observations.length).toBeGreaterThan(2);
  expect(expected.summaries).toHaveLength(2);
  const file = await exportFrom(here);

  await importInto(first, file);
  await read(first, transcript);
  distil(first);
  expect(look(first)).toEqual(expected);
  // The events belong to the turns that were there.
  expect(all(first.db, "SELECT prompt_number AS n FROM events WHERE kind = 'tool' ORDER BY seq")).toEqual(
    [1, 1, 1, 2, 2].map((n) => ({ n })),
  );

  await read(second, transcript);
  distil(second);
  await importInto(second, file);
  await importInto(second, file);
  expect(look(second)).toEqual(expected);
});

test('what a person said of a memory stays said of it, and nothing stands beside it', async () => {
  const [here, there] = [open(), open()];
  hear(here);
  here.db.run("UPDATE observations SET wrong_at = '2026-01-03T00:00:00.000Z' WHERE title LIKE 'Never keep the payment keys%'");
  const file = await exportFrom(here);
  await importInto(there, file);
  await read(there, writeTranscript());
  distil(there);
  expect(titles(there)).toEqual(titles(here));
  expect(all(there.db, 'SELECT title FROM observations WHERE wrong_at IS NOT NULL')).toHaveLength(1);
});

test('of a part of a session the rest is read into its place', async () => {
  const [here, there] = [open(), open()];
  hear(here);
  const [second] = all<{ at: number }>(here.db, 'SELECT created_at_epoch AS at FROM prompts WHERE prompt_number = 2');
  await importInto(there, await exportFrom(here, { since: new Date((second?.at ?? 0) - 1).toISOString() }));
  expect(all(there.db, 'SELECT prompt_number AS n FROM prompts')).toEqual([{ n: 2 }]);
  await read(there, writeTranscript());
  distil(there);
  expect(look(there)).toMatchObject({ ...look(here), counter: [{ prompt_counter: 2 }] });
});

test('the same words at another time are said again', async () => {
  const there = open();
  const [prompt] = ONE_SESSION.user_prompts ?? [];
  const path = `${past.folder}/claude-mem.db`;
  writePeer(path, GENERATIONS['version 10'] ?? {}, ONE_SESSION);
  await importPeer(there, path);
  there.take('new', userPrompt('c-1', CWD, String(prompt?.prompt_text), { prompt_id: 'new' }));
  expect(all(there.db, 'SELECT prompt_number AS n, prompt_id AS id FROM prompts')).toEqual([
    { n: 1, id: null },
    { n: 2, id: 'new' },
  ]);
});

test('what another program brought outlives the deepening of the same session', async () => {
  const there = open();
  const path = `${past.folder}/claude-mem.db`;
  writePeer(path, GENERATIONS['version 10'] ?? {}, ONE_SESSION);
  await importPeer(there, path);
  const brought = look(there);
  const { prompt, bash: run, say } = createLines({ session: 'c-1', cwd: CWD, from: T });
  const [asked] = ONE_SESSION.user_prompts ?? [];
  const file = past.write('shop/c-1.jsonl', [
    prompt(String(asked?.prompt_text), 'p1'),
    ...run('t1', 'git commit -m "Merge the cart after the login"', '[main abc1234] Merge the cart after the login'),
    say('We decided to merge the cart after the login because the user is known only then.'),
  ]);
  await read(there, file);
  distil(there);
  const together = look(there);
  expect(together.observations.length).toBeGreaterThan(brought.observations.length);
  expect(together.observations).toEqual(expect.arrayContaining(brought.observations));
  expect(together.prompts).toEqual([{ prompt_number: 1, prompt_id: 'p1', text: String(asked?.prompt_text) }]);

  expect(undoImport(there.db, 1)).toBe(true);
  expect(look(there)).toMatchObject({ observations: brought.observations, summaries: brought.summaries });
  await read(there, file);
  distil(there);
  expect(look(there)).toEqual(together);
});

test.each(['pinned = 1', 'kept = 1', "edited_at = 'now'", "wrong_at = 'now'", "hidden_at = 'now'"])(
  'a session of which a person said something is not deepened: %s',
  async (mark) => {
    const here = open();
    await read(here, writeTranscript());
    distil(here);
    here.db.run(`UPDATE observations SET ${mark} WHERE id = 1`);
    const before = look(here);
    expect(undoImport(here.db, 1)).toBe(false);
    expect(look(here)).toEqual(before);
    expect(all(here.db, 'SELECT 1 FROM events').length).toBeGreaterThan(0);
  },
);

test('a prompt that the other program missed comes between its two, and what it had noted goes along', async () => {
  const there = open();
  const path = `${past.folder}/claude-mem.db`;
  const [asked, noted] = [ONE_SESSION.user_prompts?.[0], ONE_SESSION.observations?.[0]];
  const later = { ...asked, prompt_number: 2, prompt_text: 'And the third one?', ...times(20) };
  const more = { ...noted, prompt_number: 2, title: 'The third thing', narrative: 'Of another turn.', ...times(21) };
  writePeer(path, GENERATIONS['version 10'] ?? {}, {
    ...ONE_SESSION,
    user_prompts: [...(ONE_SESSION.user_prompts ?? []), later],
    observations: [...(ONE_SESSION.observations ?? []), more],
  });
  await importPeer(there, path);
  const turn = (minutes: number, text: string) => {
    const { prompt, bash: run, say } = createLines({ session: 'c-1', cwd: CWD, from: T + minutes * MINUTE });
    return [prompt(text, `p${minutes}`), ...run(`t${minutes}`, 'ls', 'x'), say('Looked.')];
  };
  const texts = [String(asked?.prompt_text), 'The second one', 'And the third one?'] as const;
  const lines = [...turn(0, texts[0]), ...turn(10, texts[1]), ...turn(20, texts[2])];
  await read(there, past.write('shop/c-1.jsonl', lines));
  expect(look(there).prompts).toMatchObject(texts.map((text, at) => ({ prompt_number: at + 1, text })));
  expect(all(there.db, "SELECT prompt_number AS n FROM observations WHERE title = 'The third thing'")).toEqual([{ n: 3 }]);
});
