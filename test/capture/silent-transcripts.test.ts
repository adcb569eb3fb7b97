// What sums up a session does not tell its private parts, and what ran in a silence is not read afterwards, in whichever file it stands.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { observeBatch } from '../../src/observe/observe.ts';
import { processTurn } from '../../src/observe/process-turn.ts';
import { CWD, createLines, SESSION } from '../support/claude-lines.ts';
import { stop, userPrompt } from '../support/payloads.ts';
import { readInto } from '../support/read-into.ts';
import { byRules, createTestStore, type TestStore } from '../support/store.ts';
import { createTranscripts, type Transcripts } from '../support/transcripts.ts';

const BEGIN = Date.parse('2026-03-02T09:00:00Z');
const OTHER = '99999999-2222-4333-8444-555555555555';
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
/** A hook that was there at that second of the conversation. */
const hook = (second: number, command: 'new' | 'save' | 'summary', payload: object) =>
  store.take(command, payload, { receivedAt: BEGIN + second * 1000 });
const compaction = (text: string, more: object = {}) => ({
  session_id: SESSION,
  cwd: CWD,
  hook_event_name: 'PostCompact',
  prompt_id: 'p9',
  compact_summary: text,
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
