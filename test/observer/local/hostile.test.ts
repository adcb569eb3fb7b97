// Odd and hostile input: never thrown at, never slow, never raw JSON in a title.
import { expect, test } from 'bun:test';
import type { Batch } from '../../../src/core/batch.ts';
import { observeLocally } from '../../../src/observer/local/observe.ts';
import { cpuMs } from '../../support/cpu-time.ts';
import { compaction, create, edit, fails, observe, plan, prompt, report, run, stop, tool } from './script.ts';

const LONG = 400_000;
const repeat = (text: string) => text.repeat(Math.ceil(LONG / text.length)).slice(0, LONG);

test.each([
  '<private>',
  '<ide_opened_file>',
  '[a](',
  '**',
  '`',
  '(',
  'a ',
  '- x\n',
  '```\n',
  '# h\n',
  'a:\n',
  'tried ',
  'because ',
  'the build failed at first, so it is set now. ',
  'Two things were wrong. ',
  '1.1 s to ',
  'put x ',
  '<<EOF ',
  '1) ',
  '你好。',
  '\n',
])('a message of nothing but %j takes no time', (text) => {
  const long = repeat(text);
  const steps = [
    prompt(long),
    run(long, long),
    fails('bun test', long),
    edit('a.ts', `+${long}`),
    plan(long),
    report('x', long),
    compaction(long),
    stop(long),
  ];
  // Generous; a quadratic pass would take minutes.
  expect(cpuMs(() => observe(steps), 1)).toBeLessThan(4000);
});

test.each([{ odd: null }, { odd: undefined }, { odd: 5 }, { odd: {} }, { odd: [] }, { odd: 'x' }])(
  'fields holding %p are survived',
  ({ odd }) => {
    const types = ['command', 'edit', 'read', 'search', 'web', 'todos', 'task', 'question', 'plan', 'agent', 'other'];
    const fields = {
      command: odd,
      stdout: odd,
      file: odd,
      hunks: odd,
      items: odd,
      answers: odd,
      text: odd,
      result: odd,
      query: odd,
      target: odd,
    };
    // Deliberately not what the types promise: an old store may hold anything.
    const bodies = [
      ...types.map((type) => tool('X', { type, ...fields } as never)),
      prompt(odd as never),
      stop(odd as never),
    ];
    expect(() => observe(bodies)).not.toThrow();
  },
);

test('the same batch gives the same result', () => {
  const turn = [prompt('Add CSV'), create('a.ts', 'export function a() {'), stop('Added a.')];
  expect(observe(turn)).toEqual(observe(turn));
});

test('an empty batch gives nothing', () => {
  const empty: Batch = {
    project: { name: 'p', root: '/r' },
    session: { firstPrompt: null, title: null },
    events: [],
    earlier: [],
  };
  expect(observeLocally(empty)).toEqual({ observations: [], summary: null, title: null, subtitle: null });
});

test('200 failures of 50 KB each are read in well under a second', () => {
  const output = Array.from(
    { length: 500 },
    (_, at) => `src/a${at}.ts:12:3: error: cannot find value ${at} in this scope, ${'x'.repeat(40)}`,
  );
  const steps = Array.from({ length: 200 }, (_, at) => [
    fails(['npm test', 'cargo build', 'python x.py'][at % 3] ?? '', output.join('\n')),
    edit(`src/a${at}.ts`, '-x', '+y'),
  ]);
  const turn = [prompt('fix the build'), ...steps.flat(), stop('Fixed it: the key was missing.')];
  expect(cpuMs(() => observe(turn))).toBeLessThan(600);
});
