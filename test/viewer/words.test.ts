// What of two texts is the same, what changed, and what a search field says.
import { expect, test } from 'bun:test';
import { diffWords } from '../../viewer/src/diff-words.ts';
import { parseQuery } from '../../viewer/src/pages/search/operators.ts';
import { saidIn, sameWords } from '../../viewer/src/same-words.ts';

test('two texts are the same but for quotes, case and the end; one may be cut off', () => {
  expect(sameWords('Prices are `integers`.', 'prices are integers')).toBe(true);
  expect(sameWords('The bundle grew because the picker imp…', 'The bundle grew because the picker imports moment')).toBe(true);
  expect(sameWords('Prices are integers', 'Prices are floats')).toBe(false);
  expect(saidIn('never floats', 'Prices are integers, never floats.')).toBe(true);
});

test('of two sentences only what differs is marked; of two that share little each stands whole', () => {
  expect(diffWords('Retry after 5 seconds', 'Retry after 30 seconds')).toEqual([
    { kind: 'same', text: 'Retry after' },
    { kind: 'gone', text: '5' },
    { kind: 'new', text: '30' },
    { kind: 'same', text: 'seconds' },
  ]);
  expect(diffWords('Use npm', 'The monorepo needs its own workspaces now')).toEqual([
    { kind: 'gone', text: 'Use npm' },
    { kind: 'new', text: 'The monorepo needs its own workspaces now' },
  ]);
});

test('operators are taken out of the question, types add up, quotes hold words together', () => {
  expect(parseQuery('why type:bugfix retry type:decision since:"1 month" project:shop')).toEqual({
    words: 'why retry',
    said: { type: 'bugfix,decision', since: '1 month', project: 'shop' },
  });
  // What is still typed is not asked for yet; what is no beginning of a type is, and refused.
  for (const text of ['retry type:b', 'retry type:Bug']) expect(parseQuery(text)).toEqual({ words: 'retry', said: {} });
  expect(parseQuery('retry type:gossip').said).toEqual({ type: 'gossip' });
  expect(parseQuery('http://host:80/path and a:b')).toEqual({ words: 'http://host:80/path and a:b', said: {} });
});
