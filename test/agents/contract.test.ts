// What every agent must do, with payloads as its hooks send them (test/fixtures/agents), from good to hopeless.
import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { AGENTS } from '../../src/agents/agents.ts';
import { HOOK_COMMANDS } from '../../src/core/envelope.ts';
import { cpuMs } from '../support/cpu-time.ts';

const Line = z.object({ command: z.enum(HOOK_COMMANDS), kind: z.string(), payload: z.record(z.string(), z.unknown()) });
const linesOf = (name: string) =>
  readFileSync(join(import.meta.dir, `../fixtures/agents/${name}.jsonl`), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => Line.parse(JSON.parse(line)));

const CWD = '/home/dev/shop';
const LONG = 'word '.repeat(400_000);
const DEEP = JSON.parse(`${'['.repeat(2000)}${']'.repeat(2000)}`);
const STRANGE = [null, 7, '', [], {}, true, DEEP, LONG, '\u0000', { length: -1 }, ['a', null]];

describe.each(AGENTS.map((agent) => ({ name: agent.name, agent, lines: linesOf(agent.name) })))('$name', ({ agent, lines }) => {
  const parse = (payload: unknown, command: (typeof HOOK_COMMANDS)[number] = 'save') =>
    agent.parseHook({ id: 'e1', command, payload, receivedAt: 1000 });
  const events = lines.map(({ command, payload }) => {
    const parsed = parse(payload, command);
    if (parsed.kind !== 'event') throw new Error(`${JSON.stringify(payload)} is ${parsed.kind}`);
    return parsed.event;
  });

  test('understands each event of a session, and whose and where it is', () => {
    expect(events.map(({ kind }) => kind as string)).toEqual(lines.map(({ kind }) => kind));
    expect(new Set(events.map(({ session }) => session)).size).toBe(1);
    expect(new Set(events.map(({ cwd }) => cwd))).toEqual(new Set([CWD]));
  });

  test('knows what was asked, run, changed and said', () => {
    expect(events).toContainEqual(expect.objectContaining({ kind: 'prompt', text: 'Keep carts for a week' }));
    const tools = events.flatMap((event) => (event.kind === 'tool' ? [event.action] : []));
    expect(tools).toContainEqual(expect.objectContaining({ type: 'command', command: 'npm test' }));
    const lines = ['-DAYS = 1', '+DAYS = 7'];
    const hunks = [expect.objectContaining({ lines })];
    expect(tools).toContainEqual(expect.objectContaining({ type: 'edit', file: `${CWD}/cart.ts`, created: false, hunks }));
    const said = events.flatMap((event) => (event.kind === 'stop' ? event.message : event.kind === 'said' ? event.text : []));
    expect(said).toContain('Carts are kept for a week.');
  });

  test('keeps fields and events that a later version adds, raw', () => {
    for (const { payload, command, kind } of lines) {
      const [now, later] = [parse(payload, command), parse({ ...payload, added_later: { any: ['thing'] } }, command)];
      expect(now).toMatchObject({ kind: 'event', event: { kind } });
      expect(now).not.toHaveProperty('event.extra');
      expect(later).toMatchObject({ kind: 'event', event: { kind, extra: { added_later: { any: ['thing'] } } } });
    }
    const added = { ...lines[0]?.payload, hook_event_name: 'AddedLater', what: [1] };
    expect(parse(added)).toMatchObject({ kind: 'event', event: { kind: 'unknown', name: 'AddedLater', raw: added } });
  });

  test('makes nothing up of what is damaged, and never throws', () => {
    for (const strange of STRANGE) if (typeof strange !== 'object' || Array.isArray(strange)) expect(parse(strange).kind).toBe('ignored');
    for (const { payload, command } of lines)
      for (const field of Object.keys(payload))
        for (const strange of STRANGE) expect(parse({ ...payload, [field]: strange }, command).kind).toBeString();
  });

  test('is done with megabytes in little time', () => {
    const spent = cpuMs(() => {
      for (const { payload, command } of lines) {
        const huge = Object.fromEntries(Object.entries(payload).map(([key, value]) => [key, key.startsWith('tool_') ? LONG : value]));
        parse({ ...huge, tool_input: { command: LONG }, prompt: `<hook_context>${LONG}`, edits: [{ old_string: LONG }] }, command);
      }
    });
    expect(spent).toBeLessThan(2000);
  });

  test('tells the model what it is given, in its own form, and nothing when there is nothing', () => {
    const said = agent.renderStart({ context: 'Earlier: "a"\nb', message: '' });
    expect(JSON.stringify(JSON.parse(said))).toContain(JSON.stringify('Earlier: "a"\nb').slice(1, -1));
    for (const occasion of ['first-prompt', 'edit', 'error'] as const) {
      const note = agent.renderNote(occasion, 'A note');
      expect(note === '' || note.includes('A note')).toBeTrue();
    }
    expect(agent.renderStart({ context: '', message: '' })).not.toContain('dditional');
  });

  test('has no memory of its own tools', () => {
    const ours = { 'claude-code': 'mcp__claude-mem__search', codex: 'mcp__claude-mem__search', gemini: 'mcp_claude-mem_search' };
    const tool = { ...ours, opencode: 'claude-mem_search', cursor: 'MCP:claude-mem_search', vscode: 'mcp__claude-mem__search' }[agent.name];
    const used = lines.find(({ kind, payload }) => kind === 'tool' && 'tool_name' in payload);
    expect(parse({ ...used?.payload, tool_name: tool })).toMatchObject({ event: { action: { type: 'memory' } } });
  });
});
