// What is worth most for each token, within a budget.
import { expect, test } from 'bun:test';
import { type Item, pack } from '../../src/context/pack.ts';

const LIMITS = { tokens: 500, mostLines: 10, mostFull: 1, mostOfSource: 10 };
const item = (id: string, more: Partial<Item>): Item => ({
  id,
  value: 5,
  lineTokens: 20,
  fullTokens: 100,
  source: id,
  isCounted: true,
  ...more,
});

test('what has hardly more to say than its line does not take the place of what has', () => {
  const empty = item('empty', { value: 5, lineTokens: 10, fullTokens: 12 });
  const rich = item('rich', { value: 9, fullTokens: 60 });
  const packed = pack([empty, rich], LIMITS);
  expect([...packed].sort()).toEqual([
    ['empty', 'line'],
    ['rich', 'full'],
  ]);
});

test('of two that cost the same the one that is worth more is told in full', () => {
  const packed = pack([item('less', { value: 3 }), item('more', {})], LIMITS);
  expect(packed.get('more')).toBe('full');
  expect(packed.get('less')).toBe('line');
});

test('nothing goes over the budget', () => {
  const packed = pack([item('one', {}), item('two', {})], { ...LIMITS, tokens: 35 });
  expect([...packed.values()]).toEqual(['line']);
});
