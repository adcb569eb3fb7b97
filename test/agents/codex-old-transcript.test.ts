import { describe, expect, test } from 'bun:test';
import { codex } from '../../src/agents/codex/agent.ts';
import {
  answer,
  call,
  codexOf,
  event,
  kindsOf,
  meta,
  pathOf,
  prompt,
  rules,
  SESSION,
  said,
  started,
  turn,
} from '../support/codex-lines.ts';
import { createRandom, mutateLine, wordsIn } from '../support/mutate.ts';
import { readTranscript, toLines } from '../support/transcript.ts';

describe('a Codex transcript of another time, or broken', () => {
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

  test('damaged in 5,000 lines breaks nothing and makes nothing up', () => {
    const random = createRandom(7);
    const OURS = new Set('Exit code result failed without message Begin Patch Delete File subagent'.split(' '));
    const ended = JSON.stringify({ output: 'cart.ts', metadata: { exit_code: 2, duration_seconds: 0.1 } });
    const old = [call('shell', 'call_b', { command: ['ls'] }), answer('call_b', ended)];
    const whole = toLines([meta(), ...turn(), started('t2'), ...prompt('go on'), ...old, ...turn()])
      .trim()
      .split('\n');
    for (let round = 0; round < 500; round++) {
      const lines = [...whole];
      for (let damaged = 0; damaged < 10; damaged++) {
        const at = Math.floor(random() * lines.length);
        lines[at] = mutateLine(whole[at] ?? '', random);
      }
      const body = lines.join('\n');
      const read = readTranscript(codex, { path: pathOf(SESSION), body });
      for (const { payload } of read.records) {
        const { transcript_path: _, hook_event_name: __, cwd: ___, tool_name: ____, ...told } = payload;
        const words = wordsIn(told).filter((word) => !OURS.has(word) && !body.includes(word) && !/^[0-9a-f]{12,}$/.test(word));
        expect(words).toEqual([]);
        expect(payload.session_id).not.toBe('');
      }
    }
  }, 60_000);
});
