// The record of a turn is stored with what is made of the turn, through the one door that everything comes in by.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { TRUST } from '../../src/core/observation.ts';
import { deriveTurn } from '../../src/observe/derive.ts';
import { observeBatch } from '../../src/observe/observe.ts';
import { processTurn } from '../../src/observe/process-turn.ts';
import { readRecord, type TurnRecord } from '../../src/turns/record.ts';
import { findTurn, putTurn, recordTurn } from '../../src/turns/turns.ts';
import { createLines } from '../support/claude-lines.ts';
import { cpuMs } from '../support/cpu-time.ts';
import { bash, nextId, stop, userPrompt } from '../support/payloads.ts';
import { readInto } from '../support/read-into.ts';
import { byRules, createTestStore, type TestStore } from '../support/store.ts';
import { createTranscripts, type Transcripts } from '../support/transcripts.ts';

const CWD = '/home/dev/shop';
let store: TestStore;
let past: Transcripts;
beforeEach(() => {
  store = createTestStore();
  past = createTranscripts();
});
afterEach(() => {
  store.close();
  past.dispose();
});

const distil = () => {
  for (const { id } of store.db.query<{ id: number }, []>('SELECT id FROM sessions ORDER BY id').all())
    while (processTurn(store.db, id, byRules(observeBatch)).kind === 'observed');
};
const listTurns = (sessionId = 1) => [1, 2, 3, 4, 5].filter((promptNumber) => findTurn(store.db, { sessionId, promptNumber }) !== null);
const recordOf = (promptNumber: number, sessionId = 1): TurnRecord | null => {
  const turn = findTurn(store.db, { sessionId, promptNumber });
  return turn && readRecord(turn.record);
};
const kindsOf = (record: TurnRecord | null) => record?.steps.map(({ kind }) => kind);

/** By hooks, one turn of a session. */
function turn(prompt: string, commands: string[], closing: string, promptId = nextId('prompt')): void {
  const more = { prompt_id: promptId };
  store.take('new', userPrompt('s', CWD, prompt, more));
  for (const command of commands) store.take('save', bash('s', CWD, command, 'ok', more));
  store.take('summary', stop('s', CWD, closing, more));
}

test('each turn has one, in the order of the session', () => {
  turn('Look', ['ls'], 'There is a clock.');
  turn('Fix it', ['bun test', 'bun run lint'], 'Fixed.');
  distil();
  expect(listTurns()).toEqual([1, 2]);
  expect(recordOf(2)).toEqual({
    steps: [
      { kind: 'ran', command: 'bun test', isOk: true, output: 'ok' },
      { kind: 'ran', command: 'bun run lint', isOk: true, output: 'ok' },
    ],
    closing: 'Fixed.',
  });
});

test('what comes late for a turn is added to its record, in its place', async () => {
  const { prompt, say, bash: ran, use, result } = createLines({ session: 's', cwd: CWD });
  turn('Fix it', [], 'Fixed.', 'p1');
  distil();
  expect(kindsOf(recordOf(1))).toEqual([]);
  const path = past.write('shop/s.jsonl', [
    prompt('Fix it', 'p1'),
    say('I look first.', 'tool_use'),
    ...ran('toolu_1', 'ls', 'clock.ts'),
    use('toolu_2', 'Read', { file_path: `${CWD}/clock.ts` }),
    result('toolu_2', 'x', { type: 'text', file: { filePath: `${CWD}/clock.ts`, content: 'x' } }),
    say('The time zone it is.', 'tool_use'),
    ...ran('toolu_3', 'bun test', '3 pass'),
    say('Fixed.'),
  ]);
  await readInto(store.db, path);
  distil();
  expect(kindsOf(recordOf(1))).toEqual(['said', 'ran', 'read', 'said', 'ran']);
  expect(recordOf(1)?.closing).toBe('Fixed.');
  expect(listTurns()).toHaveLength(1);
});

test('a turn that is observed in parts has one record of all of it', () => {
  const more = { prompt_id: 'p1' };
  store.take('new', userPrompt('s', CWD, 'Count', more));
  const run = (from: number, to: number) => {
    for (let at = from; at < to; at++) store.take('save', bash('s', CWD, `echo ${at}`, String(at), more));
    processTurn(store.db, 1, byRules(observeBatch));
  };
  run(0, 200);
  run(200, 400);
  store.take('summary', stop('s', CWD, 'Counted.', more));
  distil();
  expect(store.db.query('SELECT DISTINCT batch_id FROM events').all().length).toBeGreaterThan(1);
  expect(kindsOf(recordOf(1))).toHaveLength(400);
  expect(recordOf(1)?.closing).toBe('Counted.');
});

test('a turn of thousands is recorded by its beginning and its end, and its parts cost no more than others', () => {
  const more = { prompt_id: 'p1' };
  store.db.transaction(() => {
    store.take('new', userPrompt('s', CWD, 'Count', more));
    for (let at = 0; at < 6000; at++) store.take('save', bash('s', CWD, `echo ${at}`, String(at), more));
    store.take('summary', stop('s', CWD, 'Counted.', more));
  })();
  const place = { sessionId: 1, promptNumber: 1, root: CWD, branch: null, head: null };
  const record = () => store.db.transaction(() => recordTurn(store.db, place))();
  expect(cpuMs(record)).toBeLessThan(1000);
  const commands = recordOf(1)?.steps.flatMap((step) => (step.kind === 'ran' ? [step.command] : []));
  expect(commands?.[0]).toBe('echo 0');
  expect(commands?.at(-1)).toBe('echo 5999');
  expect(findTurn(store.db, place)?.record).toMatch(/\[… \d+ steps left out …\]/);
  expect(recordOf(1)?.closing).toBe('Counted.');
});

test('a tool that the settings skip is not recorded; one that was refused is', () => {
  store.close();
  store = createTestStore(['Read']);
  const more = { prompt_id: 'p1' };
  store.take('new', userPrompt('s', CWD, 'Fix it', more));
  store.take('save', bash('s', CWD, '', '', { ...more, tool_name: 'Read', tool_input: { file_path: `${CWD}/a.ts` } }));
  const refused = { error: 'It was not allowed. The user said: not that', is_undone: true };
  const event = { ...more, ...refused, hook_event_name: 'PostToolUseFailure', tool_input: { command: 'rm -rf x' } };
  store.take('save', bash('s', CWD, '', '', event), { isFromTranscript: true });
  store.take('summary', stop('s', CWD, 'Stopped.', more));
  distil();
  expect(recordOf(1)?.steps).toEqual([{ kind: 'refused', tool: 'Bash', what: 'rm -rf x', feedback: 'not that' }]);
});

test('what the user said instead of allowing something is their decision at once, as after a rebuild', () => {
  const more = { prompt_id: 'p1' };
  store.take('new', userPrompt('s', CWD, 'Plan the queue', more));
  const refused = { error: 'It was not allowed. The user said: No broker, poll the outbox table instead', is_undone: true };
  const plan = { tool_name: 'ExitPlanMode', tool_input: { plan: '# Queue\n\nUse a broker for the queue.' } };
  const event = { ...more, ...refused, ...plan, hook_event_name: 'PostToolUseFailure' };
  store.take('save', bash('s', CWD, '', '', event), { isFromTranscript: true });
  store.take('summary', stop('s', CWD, 'Understood.', more));
  distil();
  const decisions = () =>
    store.db.query<{ title: string; trust: number }, []>("SELECT title, trust FROM observations WHERE type = 'decision'").all();
  const once = [{ title: 'No broker, poll the outbox table instead', trust: TRUST.user }];
  expect(decisions()).toEqual(once);
  store.db.transaction(() => deriveTurn(store.db, { sessionId: 1, promptNumber: 1 }))();
  expect(decisions()).toEqual(once);
});

test('a turn that was interrupted is observed by itself, not as a part of the next one', () => {
  store.take('new', userPrompt('s', CWD, 'Use port 8080 for the preview, not 3000', { prompt_id: 'p1' }));
  store.take('save', bash('s', CWD, 'serve --port 8080', 'ok', { prompt_id: 'p1' }));
  turn('Use tabs, not spaces, in the Makefile', ['make'], 'The Makefile has tabs, not spaces.', 'p2');
  distil();
  const rows = store.db.query("SELECT prompt_number AS turn, title FROM observations WHERE type = 'decision' ORDER BY id").all();
  expect(rows).toEqual([
    { turn: 1, title: 'Use port 8080 for the preview, not 3000' },
    { turn: 2, title: 'Use tabs, not spaces, in the Makefile' },
  ]);
});

test('what is known of events whose payload is gone stays, before what is new', () => {
  turn('Fix it', ['first'], 'Fixed.', 'p1');
  distil();
  store.db.run('UPDATE events SET payload = NULL');
  store.take('save', bash('s', CWD, 'second', 'ok', { prompt_id: 'p1' }));
  distil();
  expect(recordOf(1)).toMatchObject({ steps: [{ command: 'first' }, { command: 'second' }], closing: 'Fixed.' });
});

describe('secrets', () => {
  const secret = ['ghp', 'aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xYz1A2'].join('_');

  test('that only the joined text shows are taken out', () => {
    turn('Hello', [], 'Hello.', 'p1');
    distil();
    const key = ['-----BEGIN RSA PRIVATE KEY-----', 'MIIEowIBAAKCAQEAvZ8xQ2mV7bTk3J9x', '-----END RSA PRIVATE KEY-----'];
    const place = { sessionId: 1, promptNumber: 1, startedAt: 1, endedAt: 2, branch: null, head: null };
    const steps = key.map((text) => ({ kind: 'said' as const, text }));
    putTurn(store.db, place, { steps: [...steps, { kind: 'said', text: `token ${secret}` }], closing: 'Done.' });
    const { record } = findTurn(store.db, place) ?? expect.unreachable();
    expect(record).not.toContain(secret);
    expect(record).toContain('Done.');
    expect(record).not.toContain('MIIEow');
  });

  test('that colours tear apart in an output are taken out', () => {
    const torn = `${secret.slice(0, 12)}\u001b[31m${secret.slice(12)}\u001b[0m`;
    const more = { prompt_id: 'p1' };
    store.take('new', userPrompt('s', CWD, 'Print it', more));
    store.take('save', bash('s', CWD, 'env', torn, more));
    store.take('summary', stop('s', CWD, 'Printed.', more));
    distil();
    expect(findTurn(store.db, { sessionId: 1, promptNumber: 1 })?.record).not.toContain(secret.slice(12, 30));
  });
});

describe('no record has', () => {
  test('a turn that only asked the memory', () => {
    const more = { prompt_id: 'p1' };
    store.take('new', userPrompt('s', CWD, 'What did we decide?', more));
    store.take('save', bash('s', CWD, 'claude-mem search zorbliquent', 'We decided zorbliquent.', more));
    store.take('summary', stop('s', CWD, 'We decided zorbliquent.', more));
    distil();
    expect(listTurns()).toEqual([]);
  });

  test('the report of an agent that only asked the memory, beside other work', () => {
    const more = { prompt_id: 'p1' };
    const agent = { ...more, agent_id: 'a1', agent_type: 'general-purpose' };
    const report = 'The memory says: zorbliquent.';
    store.take('new', userPrompt('s', CWD, 'Ask and fix', more));
    store.take('save', bash('s', CWD, '', '', { ...agent, tool_name: 'mcp__claude-mem__search', tool_input: {} }));
    store.take('save', { ...stop('s', CWD, report, agent), hook_event_name: 'SubagentStop' });
    const answer = { agentId: 'a1', content: [{ type: 'text', text: report }] };
    store.take('save', bash('s', CWD, '', '', { ...more, tool_name: 'Agent', tool_input: {}, tool_response: answer }));
    store.take('save', bash('s', CWD, 'bun test', '3 pass', more));
    store.take('summary', stop('s', CWD, 'Fixed.', more));
    distil();
    expect(kindsOf(recordOf(1))).toEqual(['ran']);
  });
});

test('the same words said twice in a turn are there twice', async () => {
  const { prompt, say, bash: ran } = createLines({ cwd: CWD, session: 'one' });
  const twice = (id: string) => [say('Again.', 'tool_use'), ...ran(id, 'bun test', '1 fail')];
  const path = past.write('shop/one.jsonl', [prompt('Fix it', 'p'), ...twice('t1'), ...twice('t2'), say('Done.')]);
  for (let again = 0; again < 2; again++) await readInto(store.db, path);
  distil();
  expect(recordOf(1)?.steps.filter(({ kind }) => kind === 'said')).toEqual(Array(2).fill({ kind: 'said', text: 'Again.' }));
});

test('a turn whose prompt only the transcript tells is recorded when that is read', async () => {
  store.take('save', bash('s', CWD, 'bun test', '3 pass', { prompt_id: 'p1', tool_use_id: 'toolu_1' }));
  store.take('summary', stop('s', CWD, 'Fixed.', { prompt_id: 'p1' }));
  distil();
  expect(listTurns()).toEqual([]);
  const { prompt, say, bash: ran } = createLines({ session: 's', cwd: CWD });
  const lines = [prompt('Fix it', 'p1'), say('I look.', 'tool_use'), ...ran('toolu_1', 'bun test', '3 pass'), say('Fixed.')];
  await readInto(store.db, past.write('shop/s.jsonl', lines));
  distil();
  expect(recordOf(1)).toMatchObject({ steps: [{ kind: 'said' }, { kind: 'ran' }], closing: 'Fixed.' });
});

test('a copy of a session that was resumed says nothing again', async () => {
  const lines = (session: string) => {
    const { prompt, say, bash: ran } = createLines({ cwd: CWD, session });
    return [prompt('Fix it'), say('I look first.', 'tool_use'), ...ran('toolu_1', 'ls', 'x'), say('Done.')];
  };
  await readInto(store.db, past.write('shop/one.jsonl', lines('one')));
  await readInto(store.db, past.write('shop/two.jsonl', lines('two')));
  distil();
  expect(store.db.query('SELECT session_id FROM turns').all()).toEqual([{ session_id: 1 }]);
});
