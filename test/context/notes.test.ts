// Notes in the middle of a session: said once, said in time, and said again after a compaction.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureSession } from '../../src/capture/sessions.ts';
import type { PromptNote } from '../../src/context/found-notes.ts';
import { inTime } from '../../src/context/notes.ts';
import { markError } from '../../src/core/error-mark.ts';
import { bareEvidence } from '../../src/core/evidence.ts';
import { identifyProject } from '../../src/git/identity.ts';
import { insertObservation } from '../../src/memory/observations.ts';
import { ensureProject } from '../../src/projects/projects.ts';
import { openStore } from '../../src/store/open.ts';
import { EMPTY_OBSERVATION } from '../support/memories.ts';
import { bashFailure, sessionStart, userPrompt } from '../support/payloads.ts';
import { createTestWorker, type TestWorker } from '../support/worker-app.ts';

const ERROR = "Error: ENOENT: no such file or directory, open '/srv/rates/exchange.json'";
const QUESTION = 'Why are the exchange rates bundled and not read from exchange.json at run time?';

let worker: TestWorker;
let cwd: string;

beforeEach(async () => {
  worker = createTestWorker();
  cwd = join(worker.paths.dataDir, 'shop');
  mkdirSync(cwd);
  const db = openStore(worker.paths.database);
  const identity = identifyProject(cwd);
  const projectId = ensureProject(db, identity, 1).id;
  const place = { host: 'claude-code', projectId, cwd, root: identity.root, branch: null, at: 1 };
  const { id: sessionId } = ensureSession(db, { ...place, hostSessionId: 'before' });
  const draft = {
    ...EMPTY_OBSERVATION,
    type: 'decision' as const,
    title: 'Exchange rates are bundled, never read from exchange.json at run time',
    filesModified: ['src/price.ts'],
    at: Date.now() - 60_000,
  };
  const owner = { sessionId, projectId, promptNumber: 1, batchId: null, isProvisional: false };
  insertObservation(db, owner, draft);
  const fix = {
    ...draft,
    type: 'bugfix' as const,
    outcome: 'passed' as const,
    title: 'Bundled the rates',
    filesModified: [],
  };
  insertObservation(db, owner, fix, { ...bareEvidence(fix), errorMarks: markError(ERROR) });
  db.close();
  await worker.start();
});
afterEach(() => worker.dispose());

const beforeEdit = (session: string, more: object = {}) => ({
  session_id: session,
  cwd,
  hook_event_name: 'PreToolUse',
  tool_name: 'Edit',
  tool_input: { file_path: `${cwd}/src/price.ts` },
  ...more,
});
const tellings = () => worker.rows<{ occasion: string }>('SELECT occasion FROM tellings').map((row) => row.occasion);

describe('before an edit', () => {
  beforeEach(() => worker.send('new', userPrompt('one', cwd, 'hi')));

  test('what is known of the file is said once, and the edit is left alone', async () => {
    const output = JSON.parse(await worker.send('context', beforeEdit('one')));
    expect(output.hookSpecificOutput.hookEventName).toBe('PreToolUse');
    expect(Object.keys(output.hookSpecificOutput)).toEqual(['hookEventName', 'additionalContext']);
    expect(output.hookSpecificOutput.additionalContext).toContain('Exchange rates are bundled');
    expect(await worker.send('context', beforeEdit('one', { again: 1 }))).toBe('');
  });

  test('it is said of a file that is named through a link, too', async () => {
    const link = join(worker.paths.dataDir, 'link');
    symlinkSync(cwd, link);
    const more = { cwd: link, tool_input: { file_path: `${link}/src/price.ts` } };
    expect(await worker.send('context', beforeEdit('one', more))).toContain('Exchange rates are bundled');
  });

  test('it is said again after a compaction', async () => {
    expect(await worker.send('context', beforeEdit('one'))).not.toBe('');
    await worker.send('context', sessionStart('one', cwd, { source: 'compact' }));
    expect(await worker.send('context', beforeEdit('one', { again: 1 }))).toContain('Exchange rates');
  });

  test('what comes too late for the hook is neither said nor taken for told', async () => {
    expect(await worker.send('context', beforeEdit('one'), { receivedAt: Date.now() - 3_600_000 })).toBe('');
    expect(tellings()).toEqual([]);
    expect(await worker.send('context', beforeEdit('one', { again: 1 }))).toContain('Exchange rates');
  });

  test.each([
    ['without a session', { session_id: undefined }],
    ['of a session that nobody knows', { session_id: 'unknown' }],
    ['of no file', { tool_input: {} }],
    ['of another tool', { tool_name: 'Bash', tool_input: { command: 'ls' } }],
    ['of a file without a past', { tool_input: { file_path: '/elsewhere/a.ts' } }],
    ['with nonsense for an input', { tool_input: 7 }],
  ])('a question %s is answered with silence, and nothing is kept', async (_, more) => {
    const before = worker.rows('SELECT id FROM events').length;
    expect(await worker.send('context', beforeEdit('one', more))).toBe('');
    expect(worker.rows('SELECT id FROM events')).toHaveLength(before);
  });
});

describe('after an error', () => {
  test('twenty at once are told of it once', async () => {
    await worker.send('new', userPrompt('one', cwd, 'hi'));
    const outputs = await Promise.all(
      Array.from({ length: 20 }, () => worker.send('save', bashFailure('one', cwd, 'node src/price.ts', ERROR))),
    );
    const said = outputs.filter(Boolean);
    expect(said).toHaveLength(1);
    expect(JSON.parse(said[0] ?? '').hookSpecificOutput.hookEventName).toBe('PostToolUseFailure');
  });
});

describe('with a prompt', () => {
  const FRANCE = 'What is the capital of France and its population?';
  const ask = (text: string) => worker.send('new', userPrompt('one', cwd, text));

  test('one that tells too little is not looked up; what was found is given once', async () => {
    expect(await ask('hi')).toBe('');
    expect(await ask('<private>my own</private>')).toBe('');
    const told = await ask(QUESTION);
    expect(told).toContain('Exchange rates are bundled');
    expect(JSON.parse(told).hookSpecificOutput.additionalContext).toMatch(/^#\d+ .* \(src\/price\.ts, cannot verify\)$/m);
    expect(told.length).toBeLessThan(1700);
    expect(await ask(`${QUESTION} Again.`)).toBe('');
  });

  test('what is looked up in vain silences nothing', async () => {
    for (let n = 0; n < 8; n++) expect(await ask(`${FRANCE} ${n}`)).toBe('');
    expect(tellings()).toEqual([]);
    expect(await ask(QUESTION)).toContain('Exchange rates are bundled');
  });

  const NOTED: [text: string, prompt: string][] = [
    ['The invoice mailer retries seven times', 'How often does the invoice mailer retry, seven times?'],
    ['The label printer speaks ZPL over port 9100', 'Which port does the label printer speak ZPL over?'],
    ['Nightly exports are written as windows-1252', 'Are nightly exports written as windows-1252?'],
    ['The warehouse scanner locks after five wrong pins', 'When does the warehouse scanner lock, wrong pins?'],
  ];
  const noteAll = async () => {
    for (const [text] of NOTED) await worker.call('POST', '/api/memory/save', { text, cwd, by: 'user' });
  };
  const countNotes = async () => {
    const notes: string[] = [];
    for (const [, prompt] of NOTED) notes.push(await ask(prompt));
    return notes.map((note) => note !== '');
  };

  test('three prompts of a session get a note', async () => {
    await noteAll();
    expect(await countNotes()).toEqual([true, true, true, false]);
  });

  test.each([
    [0, [false, false, false, false]],
    [1, [true, false, false, false]],
    ['off', [false, false, false, false]],
    ['every', [true, true, true, true]],
  ])('promptRecall %j gives as many', async (promptRecall, given) => {
    await worker.stop();
    writeFileSync(worker.paths.config, JSON.stringify({ promptRecall }), { mode: 0o600 });
    await worker.start();
    await noteAll();
    expect(await countNotes()).toEqual(given);
  });

  test('a look-up that is not ready in time is left out and counted as late, one that is counts as a note', async () => {
    const counted: string[] = [];
    const waiting = { patience: 0.1, latencies: { note: (stage: string) => counted.push(stage) } };
    const query = {} as Parameters<PromptNote>[0];
    const piece = { text: 'known' } as Awaited<ReturnType<PromptNote>>[number];
    const never = new Promise<never>(() => undefined);
    expect(await inTime(() => never, waiting)(query)).toEqual([]);
    expect(await inTime(async () => [piece], waiting)(query)).toEqual([piece]);
    expect(counted).toEqual(['lateNote', 'note']);
  });

  test('the look-ups are counted', async () => {
    await ask(QUESTION);
    const { body } = await worker.call('GET', '/api/stats');
    const { note, lateNote } = (body as { latencies: Record<string, { count: number }> }).latencies;
    expect((note?.count ?? 0) + (lateNote?.count ?? 0)).toBe(1);
  });
});

test('what somebody notes about a file by hand comes up before an edit of it', async () => {
  await worker.call('POST', '/api/memory/save', { text: 'src/tax.ts: never round before the sum', cwd, by: 'user' });
  await worker.send('new', userPrompt('one', cwd, 'hi'));
  const edit = { ...beforeEdit('one'), tool_input: { file_path: `${cwd}/src/tax.ts` } };
  expect(await worker.send('context', edit)).toContain('never round before the sum');
});
