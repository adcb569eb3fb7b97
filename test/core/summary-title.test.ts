// What a summary is called where it stands as one line.
import { expect, test } from 'bun:test';
import { titleSummary } from '../../src/core/observation.ts';

const NOTHING = { request: null, completed: null, learned: null, investigated: null, nextSteps: null, notes: null };

test.each(['commit!', '/ship-it', 'please', 'are you able to try it', '', null])(
  'asked "%s", it is called by what came of it',
  (request) => {
    const completed = '- Committed 1234567: Round the totals of refunds\n- Pushed it';
    expect(titleSummary({ ...NOTHING, request, completed })).toBe('Committed 1234567: Round the totals of refunds');
    const learned = 'The hook only fires in a new session';
    expect(titleSummary({ ...NOTHING, request, learned })).toBe(learned);
  },
);

test.each(['Round the totals of refunds', 'Upgrade bun to 1.3.2', '修复退款的四舍五入错误'])(
  'asked "%s", it is called by that',
  (request) => {
    expect(titleSummary({ ...NOTHING, request, completed: 'Rounded all totals of every refund since March.' })).toBe(request);
  },
);

test('what says no more than the request does not take its place', () => {
  expect(titleSummary({ ...NOTHING, request: 'Fix refunds', completed: 'Done.' })).toBe('Fix refunds');
});

test('without anything better it is called by whatever there is', () => {
  expect(titleSummary({ ...NOTHING, request: 'commit!' })).toBe('commit!');
  expect(titleSummary({ ...NOTHING, nextSteps: '- Test the refunds\n- Ship' })).toBe('Test the refunds');
  expect(titleSummary(NOTHING)).toBeNull();
});
