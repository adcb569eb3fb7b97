import { expect, test } from 'bun:test';
import { type Action, type EventBody, subjectOf } from '../../src/core/event.ts';

const PLACE = { id: 'e', session: 's', cwd: '/work/shop', at: 1, promptId: null, agentId: null };
const tool = (action: Action): EventBody => ({
  ...{ kind: 'tool', tool: 'T', toolUseId: null, action, error: null, durationMs: null },
});
const command = (words: string) =>
  tool({
    ...{ type: 'command', command: words, description: null, stdout: '', stderr: '', exitCode: 0, background: false },
  });

test.each<[string, EventBody, string | null]>([
  ['a file in the project', tool({ type: 'read', file: '/work/shop/src/tax.ts', content: 'x' }), 'src/tax.ts'],
  ['a file elsewhere', tool({ type: 'edit', file: '/work/shops/a.ts', hunks: [], created: true }), '/work/shops/a.ts'],
  ['a command of several lines', command('cd src\n  bun test'), 'cd src bun test'],
  ['a very long command', command('echo '.repeat(100)), `${'echo '.repeat(23)}echo…`],
  ['a question to the memory itself', tool({ type: 'memory' }), null],
  ['what the agent said last', { kind: 'stop', message: 'The tax\nis added.' }, 'The tax is added.'],
  ['nothing said', { kind: 'stop', message: '' }, null],
  ['the summary of a compaction', { kind: 'compaction', summary: 'all of it' }, null],
])('%s', (_, body, subject) => {
  expect(subjectOf({ ...body, ...PLACE }, '/work/shop')).toBe(subject);
});
