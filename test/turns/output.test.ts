// Of what a command printed, the lines that tell are kept, however much it was.
import { describe, expect, test } from 'bun:test';
import { tellOutput } from '../../src/turns/output.ts';
import { cpuMs } from '../support/cpu-time.ts';

const noise = (count: number) => Array.from({ length: count }, (_, at) => `compiling module number ${at} of the shop`);

describe('an output', () => {
  test('that is short is kept whole, without its colours', () => {
    expect(tellOutput('\u001b[32m3 passed\u001b[0m\r\n', true)).toBe('3 passed');
  });

  test('of a failure keeps the error from the middle, and the end', () => {
    const lines = [...noise(500), 'AssertionError: expected 3, received 4', ...noise(500), '1 of 12 tests failed'];
    const told = tellOutput(lines.join('\n'), false);
    expect(told).toContain('AssertionError: expected 3, received 4');
    expect(told).toEndWith('1 of 12 tests failed');
    expect(told.length).toBeLessThan(2000);
  });

  test('of a success keeps its first lines and its last', () => {
    const told = tellOutput(['listening on 4711', ...noise(500), 'done in 3 s'].join('\n'), true);
    expect(told).toStartWith('listening on 4711');
    expect(told).toEndWith('done in 3 s');
    expect(told.length).toBeLessThan(1100);
  });
});

describe.each([
  ['lines that all tell', 'error: no\n'],
  ['one line', 'error '],
  ['begun colours', '\u001b['],
])('of %s', (_, unit) => {
  test('a hundred times as much costs at most a few times as much', () => {
    const of = (length: number) => unit.repeat(length / unit.length);
    const [small, large] = [of(100_000), of(10_000_000)];
    const cost = cpuMs(() => tellOutput(small, false), 5);
    // Copying ten megabytes takes its time, too.
    expect(cpuMs(() => tellOutput(large, false), 5)).toBeLessThan(Math.max(200, cost * 20));
  });
});
