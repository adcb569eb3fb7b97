// What is private, and what ran in a silence, stays out when it is read from a transcript, too: in whatever order, file and session its
// parts are found; and nothing that sums up a session tells it.
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
const OTHER = '99999999-2222-4333-8444-555555555555';
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

const compaction = (text: string, more: object = {}) => ({
  ...{ session_id: SESSION, cwd: CWD, hook_event_name: 'PostCompact', prompt_id: 'p9', compact_summary: text },
  ...more,
});

describe('the summary of a compaction', () => {
  const summary = (lines: ReturnType<typeof createLines>, id: string) =>
    lines.prompt('This session is being continued. The diary said canary.', id, { isCompactSummary: true });
  const forked = { forkedFrom: { sessionId: SESSION } };

  test('goes with what rests on it when a private prompt before it is found late', async () => {
    hook(1, 'new', userPrompt(SESSION, CWD, 'public begin', { prompt_id: 'p0' }));
    hook(5, 'save', compaction('We decided to call it canary because it sings.'));
    hook(6, 'summary', stop(SESSION, CWD, 'Done.', { prompt_id: 'p0' }));
    processTurn(store.db, 1, byRules(observeBatch));
    const lines = createLines();
    await read(own, [lines.prompt('public begin', 'p0'), lines.say('hm'), lines.prompt(PRIVATE, 'p1'), lines.say('ok')]);
    expect(everything()).not.toContain('canary');
    expect(store.db.query("SELECT count(*) AS n FROM events WHERE kind = 'compaction'").get()).toEqual({ n: 1 });
  });

  test('stays when only a later prompt is private', async () => {
    const lines = createLines();
    await read(own, [lines.prompt('begin', 'p0'), lines.say('hm'), summary(lines, 'p1'), lines.prompt(PRIVATE, 'p2')]);
    expect(everything()).toContain('The diary said canary.');
  });

  test.each([true, false])('is not kept of a fork of a session with a private part (parent was read: %p)', async (isRead) => {
    const parent = createLines();
    if (isRead) await read(own, [parent.prompt(PRIVATE, 'p1'), parent.say('ok')]);
    const lines = createLines({ session: OTHER });
    const begin = [lines.prompt(PRIVATE, 'p1', forked), lines.prompt('go on', 'p2'), lines.say('ok')];
    await read(`shop/${OTHER}.jsonl`, begin);
    store.take('save', compaction('By hook: canary', { session_id: OTHER, prompt_id: 'p8' }));
    await read(`shop/${OTHER}.jsonl`, [...begin, summary(lines, 'p3')]);
    expect(everything()).not.toContain('canary');
  });

  test('is not kept of a fork of a session of which something was left out, nor of a copy', async () => {
    store.db.run(`INSERT INTO silences (scope, key, since_epoch, until_epoch) VALUES ('session', '${SESSION}', ${BEGIN}, ${BEGIN + 2500})`);
    const parent = createLines();
    const said = [parent.prompt('canary', 'p1'), parent.say('canary'), parent.prompt('public', 'p2'), parent.say('ok')];
    await read(own, said);
    const fork = createLines({ session: OTHER });
    const words = [fork.prompt('public', 'p2', forked), fork.prompt('go on', 'p5'), summary(fork, 'p3')];
    await read(`shop/${OTHER}.jsonl`, words);
    const copy = said.map((line) => ({ ...line, sessionId: 'copy' }));
    const later = createLines({ session: 'copy', from: BEGIN + 60_000 });
    await read('shop/copy.jsonl', [...copy, later.prompt('on', 'p6'), summary(later, 'p7')]);
    expect(everything()).not.toContain('canary');
    expect(everything()).toContain('public');
  });

  test('is not kept of a copy of a session with a private prompt', async () => {
    const lines = createLines();
    const said = [lines.prompt(PRIVATE), lines.say('canary')];
    await read(own, said);
    await read(
      `shop/${OTHER}.jsonl`,
      [...said, summary(lines, 'p3')].map((line) => ({ ...line, sessionId: OTHER })),
    );
    expect(everything()).not.toContain('canary');
  });

  test('is not kept of a session that was incognito before', () => {
    store.take('new', { session_id: SESSION }, { incognito: true });
    store.take('new', userPrompt(SESSION, CWD, 'resumed', { prompt_id: 'p9' }));
    store.take('save', compaction('In the incognito part: canary'));
    expect(everything()).not.toContain('canary');
    expect(everything()).toContain('resumed');
  });
});

test('what ran while memory was off is never read, neither its agents nor a copy; what came after is', async () => {
  store.close();
  store = createTestStore(['Skill'], { off: true });
  const lines = createLines();
  const said = [
    lines.prompt('canary', 'p1'),
    lines.use('ta', 'Agent', { prompt: 'read', description: 'd' }),
    lines.result('ta', 'canary', { agentId: 'a1', content: [{ type: 'text', text: 'canary' }] }),
    lines.say('canary'),
  ];
  const side = { isSidechain: true, agentId: 'a1' };
  past.write(
    `shop/${SESSION}/subagents/agent-a1.jsonl`,
    createLines()
      .bash('x1', 'cat', 'canary')
      .map((line) => ({ ...line, ...side })),
    BEGIN + 5000,
  );
  const path = past.write(own, said, BEGIN + 5000);
  hook(1, 'new', userPrompt(SESSION, CWD, 'canary', { prompt_id: 'p1', transcript_path: path }));
  hook(5, 'summary', stop(SESSION, CWD, 'canary', { prompt_id: 'p1', transcript_path: path }));
  await readInto(store.db, path);
  await read(`copy/${SESSION}.jsonl`, said);
  await read(
    `copy/${OTHER}.jsonl`,
    said.map((line) => ({ ...line, sessionId: OTHER })),
  );
  expect(everything()).not.toContain('canary');
  expect(everything()).not.toContain(CWD);
  const later = createLines({ from: BEGIN + 60_000 });
  await read(own, [...said, later.prompt('go on', 'p2'), ...later.bash('t2', 'ls', 'x'), later.say('Done.')]);
  expect(everything()).not.toContain('canary');
  expect(tools()).toEqual(['t2']);
});
