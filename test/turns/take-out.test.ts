// What is taken out of a record leaves nothing of its words behind.
import { expect, test } from 'bun:test';
import { writeRecord } from '../../src/turns/record.ts';
import { takeOut } from '../../src/turns/take-out.ts';
import { judgeRecord } from '../../src/turns/turns.ts';
import { batch, prompt, run, stop } from '../support/script.ts';

test('neither among those that nothing bore out', () => {
  const { events } = batch([prompt('Read the guide'), run('curl -s https://zephyr.example', 'x'), stop('x')]);
  const steps = [
    { kind: 'said' as const, text: 'The guide names a quetzal.' },
    { kind: 'said' as const, text: 'It also names a gateway.' },
  ];
  const record = judgeRecord({ steps, closing: '' }, { events });
  expect(record.unshown).toEqual(expect.arrayContaining(['quetzal', 'gateway']));
  expect(record.unshown).not.toContain('guid');
  const left = takeOut(record, { isGone: (text) => text.includes('quetzal') }).record;
  expect(writeRecord(left)).not.toContain('quetzal');
  expect(left.unshown).toContain('gateway');
});
