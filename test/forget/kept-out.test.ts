// What was forgotten, private or secret in a record is gone from it and stays out, whichever way the turn comes again.

import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { claudeCode } from '../../src/agents/claude-code/agent.ts';
import { expirePayloads } from '../../src/capture/events.ts';
import { dropSessionPart } from '../../src/capture/sessions.ts';
import { takeSession } from '../../src/capture/take-session.ts';
import { findSession } from '../../src/capture/transcript-files.ts';
import { MEMORY_TABLES, type MemoryRef } from '../../src/core/memory.ts';
import { eraseMemories } from '../../src/forget/erase.ts';
import { observeBatch } from '../../src/observe/observe.ts';
import { processTurn } from '../../src/observe/process-turn.ts';
import { readRecord } from '../../src/turns/record.ts';
import { findTurn, putTurn } from '../../src/turns/turns.ts';
import { checkDocuments } from '../store/check-documents.ts';
import { CAPTURE_ALL } from '../support/capture-settings.ts';
import { CWD, createLines, SESSION } from '../support/claude-lines.ts';
import { bash, bashFailure, edit, stop, userPrompt } from '../support/payloads.ts';
import { byRules, createTestStore, type TestStore } from '../support/store.ts';
import { createTranscripts, type Transcripts } from '../support/transcripts.ts';

let past: Transcripts;
let store: TestStore;
beforeEach(() => {
  past = createTranscripts();
  store = createTestStore();
});
afterEach(() => {
  store.close();
  past.dispose();
});

const DECISION = 'We decided to keep the zanzibar vault keys in Nordwind instead of the old vault, because it loses them.';
const REST = 'The pager shows the last row again, because offset 0 is counted now.';
const ANSWER = `## The pager\n\n${REST}\n\n## The vault\n\n${DECISION}`;

const distil = () => {
  for (const { id } of store.db.query<{ id: number }, []>('SELECT id FROM sessions').all())
    while (processTurn(store.db, id, byRules(observeBatch)).kind === 'observed');
};
const turnAt = (promptNumber = 1) => findTurn(store.db, { sessionId: 1, promptNumber });
const records = () =>
  store.db
    .query<{ record: string }, []>('SELECT record FROM turns ORDER BY id')
    .all()
    .map(({ record }) => record)
    .join('\n');
const everything = () =>
  ['events', 'prompts', 'turns', 'observations', 'summaries', 'sessions', 'documents', 'injections']
    .map((table) => JSON.stringify(store.db.query(`SELECT * FROM ${table}`).all()))
    .join('');

function hear(): void {
  store.take('new', userPrompt(SESSION, CWD, 'Please look at the pager.', { prompt_id: 'p1' }));
  store.take('save', bash(SESSION, CWD, 'bun test pager', '3 pass', { prompt_id: 'p1', tool_use_id: 't1' }));
  store.take('summary', stop(SESSION, CWD, ANSWER, { prompt_id: 'p1' }));
  distil();
}

async function importLines(lines: object[]): Promise<void> {
  const found = await findSession(claudeCode, past.write(`shop/${SESSION}.jsonl`, lines));
  if (!found) throw new Error('there is no transcript');
  const deps = { db: store.db, options: () => CAPTURE_ALL, clock: Date.now, pause: () => Promise.resolve() };
  await takeSession(found, deps, { isOver: true, isEnd: true });
  distil();
}

async function read(): Promise<void> {
  const { prompt, bash: run, say } = createLines();
  const step = run('t1', 'bun test pager', '3 pass');
  await importLines([prompt('Please look at the pager.', 'p1'), say(DECISION, 'tool_use'), ...step, say(ANSWER)]);
}

const dropSession = () => {
  while (!store.db.transaction(() => dropSessionPart(store.db, 1)).immediate());
};

const erase = (sql: string) => {
  const ids = store.db.query<{ id: number }, []>(sql).all();
  expect(ids.length).toBeGreaterThan(0);
  const refs = ids.map(({ id }) => ({ kind: 'observation', id }) as const);
  return eraseRefs(refs);
};
const eraseRefs = (refs: MemoryRef[]) =>
  store.db.transaction(() => eraseMemories(store.db, refs, { at: Date.now(), onPieces: () => undefined })).immediate();
const eraseDecision = () => erase("SELECT id FROM observations WHERE title LIKE '%zanzibar%'");

describe('a paragraph that was forgotten', () => {
  test('stays out when its transcript is read with what no hook brought', async () => {
    hear();
    expect(eraseDecision().tally.paragraphs).toBe(1);
    expect(records()).toContain(`${REST}\n\n## The vault\n\n[forgotten]`);
    await read();
    expect(records()).not.toContain('zanzibar');
    expect(everything()).not.toContain('zanzibar');
    checkDocuments(store.db);
  });

  test('stays out when nothing is left of its session, and its transcript is imported', async () => {
    await read();
    eraseDecision();
    dropSession();
    expect(records()).toBe('');
    await read();
    expect(everything()).not.toContain('zanzibar');
    checkDocuments(store.db);
  });

  test('stays out of a record that somebody makes again', () => {
    hear();
    const before = turnAt();
    eraseDecision();
    const after = turnAt();
    if (!before || !after) throw new Error('there is no record');
    store.db.transaction(() => putTurn(store.db, { ...before, head: null }, readRecord(before.record))).immediate();
    expect(turnAt()?.record).toBe(after.record);
    checkDocuments(store.db);
  });
});

test('the steps that a memory rests on go with it, and the others stay', () => {
  store.take('new', userPrompt(SESSION, CWD, 'The slug test is red.', { prompt_id: 'p1' }));
  store.take('save', bash(SESSION, CWD, 'git status', 'clean', { prompt_id: 'p1' }));
  store.take('save', { ...bashFailure(SESSION, CWD, 'bun test slug', '1 fail: umlauts are lost'), prompt_id: 'p1' });
  store.take('save', { ...edit(SESSION, CWD, 'src/slug.ts', ['-const a = strip(x)', '+const a = keep(x)']), prompt_id: 'p1' });
  store.take('save', bash(SESSION, CWD, 'bun test slug', '4 pass', { prompt_id: 'p1' }));
  store.take('summary', stop(SESSION, CWD, 'Fixed.', { prompt_id: 'p1' }));
  distil();
  expect(records()).toContain('src/slug.ts');
  const { tally } = erase("SELECT id FROM observations WHERE files_modified LIKE '%slug.ts%'");
  expect(tally.paragraphs).toBeGreaterThanOrEqual(2);
  expect(records()).not.toContain('slug');
  expect(records()).not.toContain('keep(x)');
  expect(records()).toContain('git status');
});

test('the record of its own turn is nobody else who says it', () => {
  hear();
  const { pieces } = eraseDecision();
  // Its own record held them until just now.
  expect(pieces.words).toContain('zanzibar');
  expect(pieces.telling.length).toBeGreaterThan(0);
});

test('what turns out to be private goes from the record it was counted to, and the rest of that is kept', () => {
  hear();
  store.take('save', bash(SESSION, CWD, 'cat diary', 'canary sings', { prompt_id: 'p2', tool_use_id: 't2' }));
  store.take('summary', stop(SESSION, CWD, 'The canary sings.', { prompt_id: 'p2' }));
  distil();
  expect(records()).toContain('canary');
  store.take('new', userPrompt(SESSION, CWD, '<private>read my diary</private>', { prompt_id: 'p2' }));
  expect(everything()).not.toContain('canary');
  expect(records()).toContain(REST);
  expect(records()).toContain('bun test pager');
  checkDocuments(store.db);
});

test('prompts that get other numbers keep their records, and the index stays whole', async () => {
  const { prompt, bash: run, say } = createLines();
  // Hooks brought the second turn alone; the first is found in the transcript.
  store.take('new', userPrompt(SESSION, CWD, 'The second request, about wombats.', { prompt_id: 'p2' }), {
    receivedAt: Date.parse('2026-03-02T10:00:00Z'),
  });
  store.take('summary', stop(SESSION, CWD, 'Wombats are in.', { prompt_id: 'p2' }), { receivedAt: Date.parse('2026-03-02T10:01:00Z') });
  distil();
  await importLines([
    prompt('The first request, about pagers.', 'p1'),
    ...run('t1', 'bun test pager', '3 pass'),
    say('Pagers are in.'),
    prompt('The second request, about wombats.', 'p2'),
    say('Wombats are in.'),
  ]);
  expect(turnAt(1)?.record).toContain('Pagers');
  expect(turnAt(2)?.record).toContain('Wombats');
  checkDocuments(store.db);
});

describe('told by hooks and erased', () => {
  const ASKED = 'Please use the zanzibar vault for the payment keys of Nordwind.';
  const OUTPUT = '1 fail\nerror: zanzibar vault is locked';
  const PATCH = [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: ['-const a = 1', '+const vault = zanzibar()'] }];
  const EDITED = { filePath: `${CWD}/vault.ts`, structuredPatch: PATCH };

  function hearAndErase(asked: string, isUsed = false): void {
    const own = (tool_use_id: string) => ({ prompt_id: 'p1', tool_use_id });
    store.take('new', userPrompt(SESSION, CWD, asked, { prompt_id: 'p1' }));
    store.take('save', bash(SESSION, CWD, 'bun test payments', OUTPUT, own('t1')));
    store.take('save', {
      ...{ session_id: SESSION, cwd: CWD, hook_event_name: 'PostToolUse', tool_name: 'Edit', ...own('t2') },
      ...{ tool_input: { file_path: EDITED.filePath }, tool_response: EDITED },
    });
    store.take('summary', stop(SESSION, CWD, 'Wired zanzibar in.', { prompt_id: 'p1' }));
    distil();
    if (isUsed) expirePayloads(store.db, Number.MAX_SAFE_INTEGER, 1);
    const refs = Object.entries(MEMORY_TABLES).flatMap(([kind, table]) =>
      store.db
        .query<{ id: number }, []>(`SELECT id FROM ${table}`)
        .all()
        .map(({ id }) => ({ kind, id }) as MemoryRef),
    );
    expect(refs.length).toBeGreaterThan(2);
    eraseRefs(refs);
  }

  const prompts = () => store.db.query("SELECT text FROM prompts WHERE text <> ''").all();

  test.each([
    ['a long prompt', ASKED, false],
    ['a short prompt', 'zanzibar it', false],
    ['payloads that had gone before', ASKED, true],
  ])('it stays away when its session is gone and its transcript is read: %s', async (_, asked, isUsed) => {
    hearAndErase(asked, isUsed);
    dropSession();
    expect(store.db.query('SELECT 1 FROM events').all()).toEqual([]);
    const { prompt, bash: run, use, result, say } = createLines();
    await importLines([
      ...[prompt(asked, 'p1'), ...run('t1', 'bun test payments', OUTPUT)],
      ...[use('t2', 'Edit', { file_path: EDITED.filePath }), result('t2', 'ok', EDITED), say('Wired zanzibar in.')],
      ...[prompt('Something else, please.', 'p2'), ...run('t9', 'ls', 'README.md'), say('Looked.')],
    ]);
    expect(everything()).not.toContain('zanzibar');
    // What nobody wanted forgotten comes in.
    expect(prompts()).toEqual([{ text: 'Something else, please.' }]);
    expect(store.db.query("SELECT tool_use_id AS id FROM events WHERE kind = 'tool'").all()).toEqual([{ id: 't9' }]);
  });

  test('other words under the same id, said while the turn runs, are news', () => {
    hearAndErase(ASKED);
    store.take('new', userPrompt(SESSION, CWD, 'And mind the linter.', { prompt_id: 'p1' }));
    expect(prompts()).toEqual([{ text: 'And mind the linter.' }]);
  });
});
