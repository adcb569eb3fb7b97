// What a conversation without any tool has come to is kept in the agent's own last words.
import { expect, test } from 'bun:test';
import type { SessionEvent } from '../../../src/core/event.ts';
import { observeLocally } from '../../../src/observer/local/observe.ts';

function talk(prompt: string, answer: string) {
  const place = { session: 's', cwd: '/shop', promptId: 'p', agentId: null };
  const events = [
    { ...place, id: 'e1', at: 1, kind: 'prompt', text: prompt },
    { ...place, id: 'e2', at: 2, kind: 'stop', message: answer },
  ] as SessionEvent[];
  const project = { name: 'shop', root: '/shop' };
  return observeLocally({ project, session: { firstPrompt: null, title: null }, events, earlier: [] }).observations;
}

const settledIn = (prompt: string, answer: string) =>
  talk(prompt, answer)
    .filter(({ origin, type }) => origin === 'agent' && type === 'decision')
    .map(({ title, narrative, facts }) => [title, narrative, ...facts.map(({ text }) => text)].join('\n'));

test('keeps a recap whole, with what follows it', () => {
  const recap =
    'Recap of parse_size: memory suffixes are binary - K=1024, M=1024**2 - and a bare number means MiB; disk suffixes are decimal. Unknown suffixes raise a ValueError.';
  const [settled = ''] = settledIn('Everything outside the table is an error, like today.', recap);
  expect(settled).toContain('M=1024**2');
  expect(settled).toContain('Unknown suffixes raise a ValueError.');
});

test('keeps what the agent says back of what the user laid down', () => {
  const [settled = ''] = settledIn(
    'Percent first, always. Then the fixed amount.',
    'Got it - apply all percent discounts first, then fixed-amount ones, ignoring submission order.',
  );
  expect(settled).toContain('percent discounts first, then fixed-amount ones');
});

const NOTHING: [string, string][] = [
  ['Can you look at the retrier?', 'Understood. The retrier might exceed the limit. I will start with retry.py.'],
  ['Orders get stuck on hold.', 'Got it. And on hold - once it clears, does the order go back to paid?'],
  ['Rename the flag everywhere.', 'Okay, I will rename it and run the tests.'],
];
for (const [prompt, answer] of NOTHING)
  test(`settles nothing: ${answer}`, () => expect(settledIn(prompt, answer)).toEqual([]));
