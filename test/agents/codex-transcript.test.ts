import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import type { TranscriptRecord } from '../../src/agents/agent.ts';
import { codex } from '../../src/agents/codex/agent.ts';
import { readSession } from '../../src/capture/take-session.ts';
import {
  answer,
  call,
  codexOf,
  complete,
  event,
  FOLDER,
  kindsOf,
  line,
  meta,
  pathOf,
  prompt,
  ran,
  rules,
  SESSION,
  said,
  started,
  TURN,
  turn,
} from '../support/codex-lines.ts';
import { expectNothingInvented } from '../support/damaged.ts';
import { createTestStore, type TestStore } from '../support/store.ts';
import { readTranscript, toLines } from '../support/transcript.ts';

describe('a Codex transcript', () => {
  test('tells each prompt, tool and closing message once, in order, under its turn', () => {
    const { events, records } = codexOf([meta(), ...turn()]);
    expect(kindsOf(events)).toEqual(['prompt', 'said', ...Array.from({ length: 7 }, () => 'tool'), 'stop']);
    expect(new Set(events.map(({ promptId }) => promptId))).toEqual(new Set([TURN]));
    expect(events[0]).toMatchObject({ session: SESSION, cwd: '/home/dev/shop/api', text: 'fix the tax' });
    expect(events.at(-1)).toMatchObject({ message: 'The tax is right now.' });
    expect(records.map(({ command }) => command)).toEqual(['new', ...Array(8).fill('save'), 'summary']);
    expect(records[0]?.payload).toMatchObject({ git_branch: 'checkout' });
  });

  test('has the exit code of a command that failed before what it said', () => {
    const tool = codexOf([meta(), ...turn()]).events[2];
    expect(tool).toMatchObject({
      kind: 'tool',
      tool: 'Bash',
      toolUseId: `${SESSION}:call_1`,
      error: 'Exit code 1\n1 failed\n',
      action: { type: 'command', command: 'npm test', description: 'run the tests', exitCode: 1 },
    });
  });

  test('is an edit for each file of a patch, and two for one that was moved', () => {
    const edits = codexOf([meta(), ...turn()]).events.slice(3, 6);
    expect(edits).toMatchObject([
      { toolUseId: `${SESSION}:call_2`, action: { file: '/home/dev/shop/api/src/new.ts', created: true } },
      {
        toolUseId: `${SESSION}:call_2#2`,
        action: {
          file: '/home/dev/shop/api/src/basket.ts',
          created: false,
          hunks: [{ lines: [' let sum = 0;', '-return sum', '+return sum + tax'] }],
        },
      },
      { toolUseId: `${SESSION}:call_2#3`, action: { file: '/home/dev/shop/api/src/cart.ts', hunks: [] } },
    ]);
  });

  test('gives the same ids when it is read again from where it stopped, and misses nothing', () => {
    const SECOND = '019c0000-2000-7000-8000-00000000000b';
    const first = [meta(), ...turn()];
    const early = codexOf(first, { isOver: false });
    const all = [...first, started(SECOND), ...prompt('go on'), complete(SECOND, 'Gone on.')];
    const late = codexOf(all, { from: early.resumeAt });
    expect(early.resumeAt).toBeGreaterThan(0);
    expect(late.events.slice(0, early.events.length)).toEqual(early.events);
    expect(kindsOf(late.events.slice(early.events.length))).toEqual(['prompt', 'stop']);
  });

  test('begins again at a tool that still runs', () => {
    const lines = [meta(), started(TURN), ...prompt('fix it'), call('exec_command', 'call_9', { cmd: 'sleep 9' })];
    const { events, resumeAt } = codexOf(lines, { isOver: false });
    expect(kindsOf(events)).toEqual(['prompt']);
    expect(resumeAt).toBe(Buffer.byteLength(toLines(lines.slice(0, 1))));
  });

  test('says of a tool without a result that nothing is known of it', () => {
    const lines = [meta(), started(TURN), ...prompt('fix it'), call('exec_command', 'call_9', { cmd: 'sleep 9' })];
    expect(codexOf(lines).events[1]).toMatchObject({ kind: 'tool', isUndone: true });
    expect(codexOf([...lines, event({ type: 'turn_aborted' })], { isOver: false }).events[1]).toMatchObject({ isUndone: true });
  });

  test('tells a command that ran on once it is over, with all it said', () => {
    const running = 'Chunk ID: 1\nWall time: 10.0 seconds\nProcess running with session ID 7\nOutput:\nstarting\n';
    const lines = [meta(), started(TURN), ...prompt('serve'), call('exec_command', 'c1', { cmd: 'npm start' })];
    const ended = event({ type: 'exec_command_end', call_id: 'c1', aggregated_output: 'starting\nready\n', exit_code: 0 });
    const poll = [call('write_stdin', 'c2', { session_id: 7, chars: '' }), answer('c2', ran(0, 'ready\n'))];
    const { events } = codexOf([...lines, answer('c1', running), ...poll, ended, complete(TURN, 'Up.')]);
    expect(kindsOf(events)).toEqual(['prompt', 'tool', 'stop']);
    expect(events[1]).toMatchObject({ action: { stdout: 'starting\nready\n', exitCode: 0, background: false } });
    const cut = codexOf([...lines, answer('c1', running), complete(TURN, 'Up.')]).events[1];
    expect(cut).toMatchObject({ error: null, action: { stdout: 'starting\n', background: true } });
  });

  test('gives the copied turns of a fork back to the session that had them', () => {
    const FORK = '019c0000-5000-7000-8000-000000000002';
    const NEXT = '019c0000-6000-7000-8000-00000000000c';
    const copied = turn();
    const original = codexOf([meta(), ...copied]).events;
    const forkMeta = meta({ id: FORK, forked_from_id: SESSION });
    const added = [started(NEXT), ...prompt('another way'), call('shell', 'call_1', { command: ['bash', '-lc', 'ls'] })];
    const { events } = codexOf([forkMeta, meta(), ...copied, ...added, answer('call_1', ran(0, 'x'))], {}, FORK);
    const ids = (list: typeof events) => list.map((one) => [one.session, one.promptId, one.kind === 'tool' && one.toolUseId]);
    expect(ids(events).slice(0, original.length)).toEqual(ids(original));
    expect(ids(events).slice(original.length)).toEqual([
      [FORK, NEXT, false],
      [FORK, NEXT, `${FORK}:call_1`],
    ]);
  });

  test("puts a subagent's work into the session that started it, without the words it was given", () => {
    const AGENT = '019c0000-7000-7000-8000-000000000003';
    const INNER = '019c0000-7100-7000-8000-00000000000d';
    const source = { subagent: { thread_spawn: { parent_thread_id: SESSION, agent_role: 'explorer' } } };
    const inner = event({ type: 'task_started', turn_id: INNER, root_turn_id: TURN });
    const work = [call('shell', 'call_1', { command: ['ls'] }), answer('call_1', ran(0, 'x'))];
    const own = [inner, ...prompt('look around'), ...work, complete(INNER, 'Seen.')];
    const { events } = codexOf([meta({ id: AGENT, session_id: SESSION, source }), ...turn(), ...own], {}, AGENT);
    expect(events).toMatchObject([
      { kind: 'tool', session: SESSION, agentId: AGENT, promptId: TURN, toolUseId: `${AGENT}:call_1` },
      { kind: 'subagent', session: SESSION, agentId: AGENT, agentType: 'explorer', message: 'Seen.' },
    ]);
  });

  test('keeps the summary of a compaction, without the words before it, and ends no turn by it', () => {
    const COMPACT = '019c0000-3000-7000-8000-00000000000e';
    const frame = 'Another language model started to solve this problem and produced a summary of it. Here it is:\n';
    const { events } = codexOf([
      meta(),
      started(COMPACT),
      said('assistant', 'We fixed the tax.'),
      line('compacted', { message: `${frame}We fixed the tax.`, replacement_history: [] }),
      complete(COMPACT, ''),
    ]);
    expect(events).toMatchObject([{ kind: 'compaction', summary: 'We fixed the tax.' }]);
  });

  test('without a folder in it has the folder it lies in', () => {
    expect(codexOf([meta({ cwd: undefined }), started(TURN), ...prompt('hi')]).events[0]?.cwd).toBe(FOLDER);
  });

  test('of a version without turns ends a turn where the next prompt begins, or the file', () => {
    const told = (text: string) => [said('user', text), event({ type: 'user_message', message: text, kind: 'plain' })];
    const shell = [
      call('shell', 'call_a', { command: ['bash', '-lc', 'ls'] }),
      answer('call_a', JSON.stringify({ output: 'cart.ts\n', metadata: { exit_code: 0, duration_seconds: 0.1 } })),
    ];
    const lines = [
      meta(),
      rules(),
      ...told('continue'),
      ...shell,
      said('assistant', 'Done.'),
      ...told('continue'),
      said('assistant', 'Again.'),
    ];
    const { events } = codexOf(lines);
    expect(kindsOf(events)).toEqual(['prompt', 'tool', 'stop', 'prompt', 'stop']);
    expect(events[1]).toMatchObject({ durationMs: 100, action: { command: 'ls', stdout: 'cart.ts\n', exitCode: 0 } });
    expect(events[2]?.promptId).toBe(events[0]?.promptId ?? '');
    expect(events[3]?.promptId).not.toBe(events[0]?.promptId ?? '');
    expect(kindsOf(codexOf(lines, { isOver: false }).events)).toEqual(['prompt', 'tool', 'stop', 'prompt']);
  });

  test('damaged breaks nothing and makes nothing up', () => {
    const ended = JSON.stringify({ output: 'cart.ts', metadata: { exit_code: 2, duration_seconds: 0.1 } });
    const old = [call('shell', 'call_b', { command: ['ls'] }), answer('call_b', ended)];
    const whole = toLines([meta(), ...turn(), started('t2'), ...prompt('go on'), ...old, ...turn()]);
    expectNothingInvented(codex, pathOf(SESSION), whole.trim().split('\n'));
  });
});

let store: TestStore;
beforeEach(() => {
  store = createTestStore();
});
afterEach(() => store.close());

const take = (lines: unknown[]) => {
  const body = toLines(lines);
  const { records } = readTranscript(codex, { path: pathOf(SESSION), body });
  for (const { command, payload } of records) store.take(command, payload, { host: 'codex', isFromTranscript: true });
};
const count = (kind: string) => store.db.query<{ n: number }, [string]>('SELECT count(*) AS n FROM events WHERE kind = ?').get(kind)?.n;

test('a Codex session that hooks told in part is whole after its transcript, and nothing is there twice', () => {
  const common = { session_id: SESSION, turn_id: TURN, cwd: '/home/dev/shop/api' };
  const hook = { ...common, hook_event_name: 'PostToolUse', tool_name: 'Bash', tool_input: { command: 'npm test' } };
  store.take('new', { ...common, hook_event_name: 'UserPromptSubmit', prompt: 'fix the tax' }, { host: 'codex' });
  store.take('save', { ...hook, tool_response: '1 failed\n', tool_use_id: 'call_1' }, { host: 'codex' });
  const lines = [meta(), ...turn()];
  take(lines);
  take(lines);
  expect([count('prompt'), count('tool'), count('stop')]).toEqual([1, 7, 1]);
});

test('what lies under a private prompt of a Codex transcript stays out', () => {
  const lines = turn();
  const at = lines.findIndex((line) => JSON.stringify(line).includes('fix the tax'));
  lines.splice(at, 2, ...prompt('<private>fix the tax</private>'));
  take([meta(), ...lines, started('t2'), ...prompt('hello')]);
  expect([count('prompt'), count('tool'), count('stop')]).toEqual([2, 0, 0]);
  expect(JSON.stringify(store.db.query('SELECT payload FROM events').all())).not.toContain('tax');
});

test('what Codex has put away compressed is read the same; damaged, it is counted', () => {
  const folder = mkdtempSync(join(tmpdir(), 'claude-mem-zst-'));
  const plain = join(folder, `rollout-2026-01-02T10-00-00-${SESSION}.jsonl`);
  const body = toLines([meta(), ...turn()]);
  writeFileSync(plain, body);
  writeFileSync(`${plain}.zst`, zstdCompressSync(body));
  writeFileSync(join(folder, `rollout-${SESSION}.jsonl.zst`), zstdCompressSync(body).subarray(0, -9));
  const read = (path: string) => {
    const file = codex.describeFile(path);
    if (!file) throw new Error(`${path} is no transcript`);
    const steps = [...readSession(codex, [{ ...file, from: 0, size: body.length, isOver: true }])];
    return { records: steps.flatMap(({ record }) => record ?? []), damaged: steps.filter(({ damaged }) => damaged).length };
  };
  const withoutPath = (records: TranscriptRecord[]) => JSON.stringify(records).replaceAll('.jsonl.zst', '.jsonl');
  const { records } = read(`${plain}.zst`);
  expect(records.length).toBeGreaterThan(5);
  expect(withoutPath(records)).toEqual(withoutPath(read(plain).records));
  expect(read(join(folder, `rollout-${SESSION}.jsonl.zst`))).toEqual({ records: [], damaged: 1 });
  rmSync(folder, { recursive: true });
});
