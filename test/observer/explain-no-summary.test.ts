import { expect, test } from 'bun:test';
import type { Action, EventBody, SessionEvent } from '../../src/core/event.ts';
import { explainNoSummary } from '../../src/observer/no-summary.ts';
import { EMPTY_SUMMARY } from '../support/memories.ts';

const event = (body: EventBody): SessionEvent => ({
  ...body,
  ...{ id: '1', session: 's', cwd: '/shop', at: 0, promptId: null, agentId: null },
});
const tool = (action: Action) =>
  event({ kind: 'tool', tool: 'T', toolUseId: null, action, error: null, durationMs: null });

const ASKED = event({ kind: 'prompt', text: 'Why?' });
const ENDED = event({ kind: 'stop', message: 'Done.' });
const READ = tool({ type: 'read', file: '/shop/a.ts', content: '' });
const EDIT = tool({ type: 'edit', file: '/shop/a.ts', hunks: [], created: false });
const BARE = { ...EMPTY_SUMMARY, request: 'Why?' };

test.each([
  ['a turn that goes on', [ASKED, EDIT], null, false],
  ['a turn in which nothing was done', [ASKED, READ, ENDED], BARE, false],
  ['an end with nothing before it', [event({ kind: 'end', reason: 'exit' })], null, false],
  ['a turn with an edit', [ASKED, EDIT, ENDED], BARE, true],
  ['a turn with an edit that nobody summed up', [ASKED, EDIT, ENDED], null, true],
])('%s needs a summary or not, and the reason is said', (_, events, summary, isOdd) => {
  expect(explainNoSummary(events, summary)).toEqual({ reason: expect.stringMatching(/\w/), isOdd });
});

test('a turn with a summary needs no reason', () => {
  expect(explainNoSummary([ASKED, EDIT, ENDED], { ...BARE, completed: 'Fixed it.' })).toBeNull();
});
