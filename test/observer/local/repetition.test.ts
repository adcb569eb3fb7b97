// What a reader of the injected text meets once and not twice.
import { describe, expect, test } from 'bun:test';
import { isWithin, newSentences } from '../../../src/observer/local/words/repeats.ts';
import { edit, end, fails, observe, prompt, run, stop } from './script.ts';

test.each([
  ['I fixed the race in the pool.', 'Fix the race in the pool', true],
  [
    'Cause: the loop used `<`, so the last byte was dropped',
    'Fix: the loop used <, so the last byte was dropped',
    true,
  ],
  ['The pool was closed twice', 'The pool was closed', false],
])('%s / %s', (text, known, expected) => {
  expect(isWithin(text, known)).toBe(expected);
});

test('a narrative has at most the first new sentences', () => {
  expect(newSentences('One is new. Two is known. Three is new. One is new.', ['Two is known'], 3)).toBe(
    'One is new. Three is new.',
  );
});

describe('a fix told at length', () => {
  const { observations, summary } = observe([
    prompt('[[mode:fast]] <command-name>/fix</command-name><command-args>the redirect loop on login</command-args>'),
    fails('bun test', '(fail) login > redirects\n2 pass\n1 fail'),
    edit('src/login.ts', '-redirect("/login")', '+redirect("/home")'),
    run('bun test', '3 pass\n0 fail'),
    stop(
      '[[done]] Fixed the redirect loop: the guard read the cookie before it was set. The guard waits for the session now. It runs after the session middleware. The order is checked at start. A wrong order throws.',
    ),
  ]);
  const texts = observations.flatMap((one) => [one.title, one.narrative, ...one.facts.map((fact) => fact.text)]);

  test('says its cause once', () => {
    expect(texts.filter((text) => text?.includes('before it was set'))).toHaveLength(1);
    expect(texts.some((text) => text?.startsWith('Cause: Fixed'))).toBe(false);
  });

  test('has three sentences at most', () => {
    expect((observations[0]?.narrative ?? '').split('. ').length).toBeLessThanOrEqual(3);
  });

  test('teaches nothing that was completed already', () => {
    const sentences = (summary?.completed ?? '').split('. ');
    expect(sentences.some((sentence) => summary?.learned?.includes(sentence))).toBe(false);
  });

  test('has no marker or slash command in a title', () => {
    expect(texts.join('\n')).not.toContain('[[');
    expect(observations[0]?.title).toStartWith('Fix the redirect loop');
  });
});

test.each([[[end()]], [[prompt('hello'), stop('Hello! How can I help you today?')]]])('nothing to tell: %j', (turn) => {
  expect(observe(turn).observations).toEqual([]);
});
