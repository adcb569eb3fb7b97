// The time to condense grows with the text and with nothing else, whatever stands in it.
import { expect, test } from 'bun:test';
import type { Action, SessionEvent } from '../../src/core/event.ts';
import { condenseEvents } from '../../src/model/condense.ts';
import { cpuMs } from '../support/cpu-time.ts';

const SHORT = 125_000;
/** Three doublings at once, which a collection of garbage does not hide: linear is 8, with a million lines 14, quadratic 64. */
const TIMES = 8;
const MOST_RATIO = 24;
/** A megabyte in this time are fast enough, whatever a ratio of small times says. */
const TOO_SHORT_MS = 150;

const BASE = { id: 'e1', session: 's1', cwd: '/home/dev/shop', at: 1, promptId: null, agentId: null };
const tool = (action: Action, error: string | null = null): SessionEvent => ({
  ...BASE,
  kind: 'tool',
  tool: 'X',
  toolUseId: null,
  action,
  error,
  durationMs: null,
});
const signed = (text: string, sign: (at: number) => string) => [
  { oldStart: 1, newStart: 1, lines: text.split('\n').map((line, at) => `${sign(at)}${line}`) },
];
const command = (text: string, stdout: string): Action => ({
  type: 'command',
  command: text,
  description: null,
  stdout,
  stderr: '',
  exitCode: 0,
  background: false,
});

const KINDS: [string, (text: string) => SessionEvent][] = [
  ['an output', (text) => tool(command('make', text))],
  ['an error', (text) => tool(command('make', ''), `Exit code 1\n${text}`)],
  ['a change', (text) => tool({ type: 'edit', file: '/a', created: false, hunks: signed(text, (at) => '+- '.charAt(at % 3)) })],
  ['a read', (text) => tool({ type: 'read', file: '/a', content: text })],
  ['a search', (text) => tool({ type: 'search', query: text, path: text, files: text.split('\n'), matches: null })],
  ['a prompt', (text) => ({ ...BASE, kind: 'prompt', text })],
  ['a message', (text) => ({ ...BASE, kind: 'stop', message: text })],
];

const UNITS = [
  ...['x', 'a ', '\n', '<', 'A1b2', '\x1b[', '\r', 'Error: a\n', '   at x (\n', '{"a":1},', '(', '[a](', 'export function f() {\n'],
  ...['# h\n', 'const x = (', '/home/dev/shop', '-', '你', `${'a'.repeat(299)}\n`],
];

test.each(KINDS)(
  '%s',
  (_, make) => {
    for (const unit of UNITS) {
      const text = (size: number) => make(unit.repeat(Math.ceil(size / unit.length)));
      expect(isLinear(text(SHORT), text(TIMES * SHORT)), unit).toBe(true);
    }
  },
  240_000,
);

/** Tried side by side, several times: a machine can be busy for a while; what is not linear fails every time. */
function isLinear(short: SessionEvent, long: SessionEvent): boolean {
  for (let tries = 0; tries < 6; tries++) {
    const ms = condense(long);
    if (ms < TOO_SHORT_MS || (ms < MOST_RATIO * condense(short) && ms < 3000)) return true;
  }
  return false;
}

function condense(event: SessionEvent): number {
  let length = 0;
  const ms = cpuMs(() => {
    length = condenseEvents([event], '/home/dev/shop').reduce((sum, { tell }) => sum + tell(3000).length, 0);
  }, 1);
  expect(length).toBeLessThanOrEqual(3000);
  return ms;
}
