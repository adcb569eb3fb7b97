// What is private stays out when it is read from a transcript, too: in whatever order, file and session its parts are found.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { observeBatch } from '../../src/observe/observe.ts';
import { processTurn } from '../../src/observe/process-turn.ts';
import { CWD, createLines, SESSION } from '../support/claude-lines.ts';
import { bash, stop, userPrompt } from '../support/payloads.ts';
import { readInto } from '../support/read-into.ts';
import { byRules, createTestStore, type TestStore } from '../support/store.ts';
import { createTranscripts, type Transcripts } from '../support/transcripts.ts';

const BEGIN = Date.parse('2026-03-02T09:00:00Z');
const PRIVATE = '<private>diary</private>';
const own = `shop/${SESSION}.jsonl`;

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

const read = (name: string, lines: object[]) => readInto(store.db, past.write(name, lines));
const tools = () =>
  store.db
    .query<{ id: string }, []>("SELECT tool_use_id AS id FROM events WHERE kind = 'tool' ORDER BY seq")
    .all()
    .map(({ id }) => id);
const everything = () =>
  ['events', 'prompts', 'observations', 'summaries', 'sessions', 'transcripts']
    .map((table) => JSON.stringify(store.db.query(`SELECT * FROM ${table}`).all()))
    .join('');
const queued = (lines: ReturnType<typeof createLines>, text: string) =>
  lines.line('attachment', null, { attachment: { type: 'queued_command', prompt: text } });
/** A hook that was there at that second of the conversation. */
const hook = (second: number, command: 'new' | 'save' | 'summary', payload: object) =>
  store.take(command, payload, { receivedAt: BEGIN + second * 1000 });
describe('prompts that share an id, for one was said while the other ran', () => {
  test('a private one hides what follows it, up to a public one, in every copy', async () => {
    const lines = createLines();
    const said = [
      lines.prompt(PRIVATE, 'p1'),
      ...lines.bash('t1', 'cat canary', 'canary'),
      queued(lines, '<task-notification>the canary is ready</task-notification>'),
      ...lines.bash('t2', 'cat canary2', 'canary'),
      queued(lines, 'also run the tests'),
      ...lines.bash('t3', 'bun test', 'ok'),
      lines.say('Tests pass.'),
    ];
    for (const folder of ['shop', 'copy', 'again']) await read(`${folder}/${SESSION}.jsonl`, said);
    expect(everything()).not.toContain('canary');
    expect(tools()).toEqual(['t3']);
  });

  test('what hooks brought of it goes, and what was there before it stays, though no hook brought it', async () => {
    const lines = createLines();
    hook(1, 'new', userPrompt(SESSION, CWD, 'public words', { prompt_id: 'p1' }));
    hook(7, 'save', bash(SESSION, CWD, 'cat', 'canary', { prompt_id: 'p1', tool_use_id: 't2' }));
    hook(9, 'summary', stop(SESSION, CWD, 'We decided to call it canary.', { prompt_id: 'p1' }));
    processTurn(store.db, 1, byRules(observeBatch));
    expect(everything()).toContain('canary');
    await read(own, [
      lines.prompt('public words', 'p1'),
      ...lines.bash('t1', 'ls', 'public tool'),
      queued(lines, PRIVATE),
      ...lines.bash('t2', 'cat', 'canary'),
      lines.say('We decided to call it canary.'),
    ]);
    expect(everything()).not.toContain('canary');
    expect(tools()).toEqual(['t1']);
  });

  test('a second private one hides as the first did; the first that only comes again hides nothing', () => {
    const say = (second: number, text: string) => hook(second, 'new', userPrompt(SESSION, CWD, text, { prompt_id: 'p1' }));
    const run = (second: number, word: string) =>
      hook(second, 'save', bash(SESSION, CWD, `echo ${word}`, word, { prompt_id: 'p1', tool_use_id: word }));
    say(1, PRIVATE);
    say(2, 'public words');
    say(1, PRIVATE);
    run(3, 'kept');
    say(4, PRIVATE);
    run(5, 'canary');
    expect(tools()).toEqual(['kept']);
    expect(everything()).not.toContain('canary');
  });

  test('with all hooks of the prompts, a tool that they missed belongs to the one that it stood under', async () => {
    const lines = createLines();
    hook(1, 'new', userPrompt(SESSION, CWD, 'public words', { prompt_id: 'p1' }));
    hook(4, 'new', userPrompt(SESSION, CWD, PRIVATE, { prompt_id: 'p1' }));
    await read(own, [
      lines.prompt('public words', 'p1'),
      ...lines.bash('t1', 'ls', 'public tool'),
      queued(lines, PRIVATE),
      ...lines.bash('t2', 'cat', 'canary'),
      lines.say('The diary says canary.'),
    ]);
    expect(everything()).not.toContain('canary');
    expect(tools()).toEqual(['t1']);
  });
});

test('private prompts that hooks delivered without an id are found again in a transcript, each', async () => {
  const hidden = { prompt_id: undefined };
  hook(1, 'new', userPrompt(SESSION, CWD, PRIVATE, hidden));
  const lines = createLines();
  const record = (name: string, at: number, more: object) => ({
    ...{ session_id: SESSION, cwd: CWD, hook_event_name: name, timestamp: at, prompt_id: `at:${at}` },
    ...more,
  });
  // As a host would say it that tells nothing beside.
  for (const [number, at] of [BEGIN + 1500, BEGIN + 9000].entries()) {
    const id = (part: string) => ({ id: `${part}${number}`.padEnd(32, '0'), isFromTranscript: true, receivedAt: at });
    store.take('new', record('UserPromptSubmit', at, { prompt: PRIVATE }), id('a'));
    const done = { ...bash(SESSION, CWD, 'cat', 'canary'), ...record('PostToolUse', at, {}) };
    store.take('save', done, id('b'));
  }
  expect(everything()).not.toContain('canary');
  await read(own, [lines.prompt(PRIVATE), ...lines.bash('t1', 'cat', 'canary'), lines.say('It said canary.')]);
  expect(everything()).not.toContain('canary');
});

describe('a slash command that the host answers by itself', () => {
  const command = '<command-name>/status</command-name><command-args></command-args>';

  test.each([true, false])('does not end a private turn (its output follows: %p)', async (hasOutput) => {
    const lines = createLines();
    await read(own, [
      lines.prompt(PRIVATE, 'p1'),
      ...lines.bash('t1', 'cat', 'canary1'),
      lines.prompt(command, 'px'),
      ...(hasOutput ? [lines.prompt('<local-command-stdout>Fine</local-command-stdout>', 'px')] : []),
      ...lines.bash('t2', 'cat', 'canary2'),
      lines.say('The diary says canary3.'),
      lines.prompt(command, 'py'),
      lines.line('user', { role: 'user', content: [{ type: 'text', text: 'Tell the status' }] }, { isMeta: true }),
      ...lines.bash('t3', 'ls', 'public'),
    ]);
    expect(everything()).not.toContain('canary');
    expect(tools()).toEqual(['t3']);
  });

  test('does not end a tool that runs', async () => {
    const lines = createLines();
    await read(own, [
      lines.prompt('build it', 'p1'),
      lines.use('t1', 'Bash', { command: 'bun run build' }),
      lines.prompt(command, 'px'),
      lines.result('t1', 'built', { stdout: 'built', stderr: '' }, { promptId: 'p1' }),
      lines.say('Built.'),
    ]);
    const row = store.db.query<{ payload: string }, []>("SELECT payload FROM events WHERE kind = 'tool'").get();
    expect(JSON.parse(row?.payload ?? '')).toMatchObject({ error: null, action: { stdout: 'built' }, promptId: 'p1' });
  });
});

describe('the agents of a private prompt', () => {
  const agentLines = (from: number, promptId: string | null) => {
    const lines = createLines({ from });
    const side = { isSidechain: true, agentId: 'a1' };
    return [lines.prompt('read the canary', promptId, side), ...lines.bash('x1', 'cat', 'canary'), lines.say('canary')]
      .map((line) => ({ ...line, ...side }))
      .map((line) => (promptId ? line : { ...line, promptId: undefined }));
  };
  const turns = (lines: ReturnType<typeof createLines>, result: object | null) => [
    lines.prompt(PRIVATE, 'p1'),
    lines.use('ta', 'Agent', { prompt: 'read', description: 'd' }),
    ...(result ? [lines.result('ta', 'canary', result)] : []),
    lines.say('ok'),
    lines.prompt('public two', 'p2'),
    ...lines.bash('t2', 'ls', 'x'),
    lines.say('fine'),
  ];

  test.each([true, false])('stay out where their lines name no prompt (their end is told: %p)', async (isTold) => {
    hook(1, 'new', userPrompt(SESSION, CWD, PRIVATE, { prompt_id: 'p1' }));
    hook(60, 'new', userPrompt(SESSION, CWD, 'public two', { prompt_id: 'p2' }));
    // In the background: it goes on for long.
    past.write(`shop/${SESSION}/subagents/agent-a1.jsonl`, [
      ...agentLines(BEGIN + 3000, null).slice(0, 1),
      ...agentLines(BEGIN + 90_000, null).slice(1),
    ]);
    await read(own, turns(createLines(), isTold ? { agentId: 'a1', content: [] } : null));
    expect(everything()).not.toContain('canary');
    expect(tools()).toEqual(['t2']);
  });

  test.each(['p1', null])('stay out where their file lies beside the session’s (prompt: %p)', async (promptId) => {
    past.write('shop/agent-a1.jsonl', agentLines(BEGIN + 2500, promptId));
    past.write(own, turns(createLines(), { agentId: 'a1', content: [] }));
    await readInto(store.db, past.folder);
    expect(everything()).not.toContain('canary');
    expect(tools()).toEqual(['t2']);
  });

  test('are taken back, with the agents they started, when the prompt is found late', async () => {
    const by = (agent: string) => ({ prompt_id: 'p2', agent_id: agent, agent_type: 'g' });
    const starts = { tool_name: 'Agent', tool_input: { prompt: 'x' }, tool_response: { isAsync: true, agentId: 'a2' } };
    hook(20, 'save', bash(SESSION, CWD, 'cat', 'canary1', { ...by('a1'), tool_use_id: 'x1' }));
    hook(21, 'save', { ...bash(SESSION, CWD, '', '', { ...by('a1'), tool_use_id: 'x2' }), ...starts });
    hook(22, 'save', bash(SESSION, CWD, 'cat', 'canary2', { ...by('a2'), tool_use_id: 'x3' }));
    await read(own, turns(createLines(), { isAsync: true, agentId: 'a1' }));
    expect(everything()).not.toContain('canary');
    expect(tools()).toEqual(['t2']);
  });
});
