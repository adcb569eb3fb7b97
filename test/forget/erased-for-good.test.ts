// What was erased stays away when nothing is left of its session but tombstones, whichever way it would come again.
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { claudeCode } from '../../src/agents/claude-code/agent.ts';
import { expirePayloads } from '../../src/capture/events.ts';
import { takeSession } from '../../src/capture/take-session.ts';
import { findSession } from '../../src/capture/transcript-files.ts';
import { eraseMemories } from '../../src/forget/erase.ts';
import { dropSessionPart } from '../../src/forget/retention.ts';
import { observeBatch } from '../../src/observe/observe.ts';
import { processTurn } from '../../src/observe/process-turn.ts';
import { CWD, createLines, SESSION } from '../support/claude-lines.ts';
import { bash, stop, userPrompt } from '../support/payloads.ts';
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

const PATCH = [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: ['-const a = 1', '+const vault = zanzibar()'] }];
const EDITED = { filePath: `${CWD}/vault.ts`, structuredPatch: PATCH };
const OUTPUT = '1 fail\nerror: zanzibar vault is locked';

function hear(asked: string): void {
  const own = (tool_use_id: string) => ({ prompt_id: 'p1', tool_use_id });
  store.take('new', userPrompt(SESSION, CWD, asked, { prompt_id: 'p1' }));
  store.take('save', bash(SESSION, CWD, 'bun test payments', OUTPUT, own('t1')));
  store.take('save', {
    ...{ session_id: SESSION, cwd: CWD, hook_event_name: 'PostToolUse', tool_name: 'Edit', ...own('t2') },
    ...{ tool_input: { file_path: EDITED.filePath }, tool_response: EDITED },
  });
  store.take('summary', stop(SESSION, CWD, 'Wired zanzibar in.', { prompt_id: 'p1' }));
  while (processTurn(store.db, 1, byRules(observeBatch)).kind === 'observed');
}

async function read(asked: string, session = SESSION): Promise<void> {
  const { prompt, bash: run, use, result, say } = createLines({ session });
  const path = past.write(`shop/${session}.jsonl`, [
    prompt(asked, 'p1'),
    ...run('t1', 'bun test payments', OUTPUT),
    use('t2', 'Edit', { file_path: EDITED.filePath }),
    result('t2', 'ok', EDITED),
    say('Wired zanzibar in.'),
    prompt('Something else, please.', 'p2'),
    ...run('t9', 'ls', 'README.md'),
    say('Looked.'),
  ]);
  const found = await findSession(claudeCode, path);
  if (!found) throw new Error('there is no transcript');
  const deps = { db: store.db, options: () => ({ skipTools: [] }), clock: Date.now, pause: () => Promise.resolve() };
  await takeSession(found, deps, { isOver: true, isEnd: true });
  for (const { id } of store.db.query<{ id: number }, []>('SELECT id FROM sessions').all())
    while (processTurn(store.db, id, byRules(observeBatch)).kind === 'observed');
}

function eraseAll(): void {
  const refs = (['prompt', 'observation', 'summary'] as const).flatMap((kind) =>
    store.db
      .query<{ id: number }, []>(`SELECT id FROM ${kind === 'summary' ? 'summaries' : `${kind}s`}`)
      .all()
      .map(({ id }) => ({ kind, id })),
  );
  expect(refs.length).toBeGreaterThan(2);
  store.db.transaction(() => eraseMemories(store.db, refs, { at: Date.now(), onPieces: () => undefined })).immediate();
}

function letGo(): void {
  while (!store.db.transaction(() => dropSessionPart(store.db, 1)).immediate());
}

const said = () =>
  ['events', 'prompts', 'turns', 'observations', 'summaries', 'sessions', 'documents']
    .map((table) => JSON.stringify(store.db.query(`SELECT * FROM ${table}`).all()))
    .filter((rows) => rows.includes('zanzibar'));

const CASES = [
  ['a long prompt', 'Please use the zanzibar vault for the payment keys of Nordwind.', false],
  ['a short prompt', 'zanzibar it', false],
  ['payloads that had gone before', 'Please use the zanzibar vault for the payment keys of Nordwind.', true],
] as const;

test.each(CASES)('told by hooks, erased, its session let go, and its transcript read: %s', async (_, asked, isUsed) => {
  hear(asked);
  if (isUsed) expirePayloads(store.db, Number.MAX_SAFE_INTEGER, 1);
  eraseAll();
  letGo();
  expect(store.db.query('SELECT 1 FROM events').all()).toEqual([]);
  await read(asked);
  expect(said()).toEqual([]);
  // What nobody wanted forgotten comes in.
  expect(store.db.query("SELECT text FROM prompts WHERE text <> ''").all()).toEqual([{ text: 'Something else, please.' }]);
  expect(store.db.query("SELECT tool_use_id AS id FROM events WHERE kind = 'tool'").all()).toEqual([{ id: 't9' }]);
});

test('a prompt in other words under the same id, said while its turn runs, is news', () => {
  hear('Please use the zanzibar vault for the payment keys of Nordwind.');
  eraseAll();
  store.take('new', userPrompt(SESSION, CWD, 'And mind the linter.', { prompt_id: 'p1' }));
  expect(store.db.query("SELECT text FROM prompts WHERE text <> ''").all()).toEqual([{ text: 'And mind the linter.' }]);
});
