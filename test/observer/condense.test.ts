// Events are told once, by what they are worth, and never longer than they may be.
import { describe, expect, test } from 'bun:test';
import type { EventBody, SessionEvent } from '../../src/core/event.ts';
import { condenseEvent, condenseEvents } from '../../src/observer/condense.ts';
import {
  ask,
  compaction,
  create,
  edit,
  events,
  fails,
  grep,
  plan,
  prompt,
  ROOT,
  report,
  run,
  stop,
  todos,
  tool,
  web,
} from './script.ts';

const told = (body: EventBody, maxChars = 2000) =>
  condenseEvent(events(body)[0] as SessionEvent, { maxChars, root: ROOT });
/** Words that are all different, as in a text that tells something. */
const letters = (at: number) => [...String(at * 7919)].map((digit) => 'abcdefghij'.charAt(Number(digit))).join('');
const tellAll = (...bodies: EventBody[]) => condenseEvents(events(...bodies), { root: ROOT });
const readOf = (file: string, content: string) => tool('Read', { type: 'read', file: `${ROOT}/${file}`, content });

describe('one event', () => {
  test.each<[string, EventBody, string]>([
    ['a command', run('bun test', '3 pass'), '$ bun test\n3 pass'],
    ['a failed command', fails('bun test', 'error: no', 2), '$ bun test (exit code 2)\nerror: no'],
    ['an edit', edit('src/a.ts', '-a', '+b', '+c'), 'edited src/a.ts (+2 -1 lines)\n[line 1]\n-a\n+b\n+c'],
    ['a new file', create('src/a.ts', 'a', 'b'), 'created src/a.ts (2 lines)\na\nb'],
    ['a short file read', readOf('a.txt', 'x\ny'), 'read a.txt (2 lines)\nx\ny'],
    ['a search', grep('total'), 'searched "total": 3 found'],
    ['a page', web('https://x.dev'), 'https://x.dev\n…'],
    ['a question', ask('Which?', 'b', ['a', 'b']), 'the user was asked\nasked: Which?\noffered: a | b\nuser: b'],
    ['a plan', plan('# Do it'), 'plan put to the user\n# Do it'],
    ['a plan that was rejected', plan('# Do it', 'too big'), 'failed: plan put to the user\ntoo big\nmeant:\n# Do it'],
    ['todos', todos(['completed', 'a'], ['pending', 'b']), 'todo list, 1 of 2 done\n[completed] a\n[pending] b'],
    ['a report', report('Explore', 'Found it.'), 'Explore reported: Found it.'],
    ['a message', stop('Done.'), 'Done.'],
    ['a compaction', compaction('So far.'), 'So far.'],
    ['a prompt from an IDE', prompt('<ide_opened_file>x</ide_opened_file>do it'), 'do it'],
    [
      'another tool',
      tool('mcp__x', { type: 'other', input: { a: 1 }, output: [{ type: 'text', text: 'ok' }] }),
      '{"a":1}\nok',
    ],
    [
      'a rejection',
      tool(
        'Edit',
        { type: 'edit', file: `${ROOT}/a`, created: false, hunks: [] },
        "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\nuse b",
      ),
      'failed: edited a (+0 -0 lines)\nrejected by the user, who said: use b',
    ],
    ['an end', { kind: 'end', reason: 'other' }, ''],
    ['something unknown', { kind: 'unknown', name: 'Odd', raw: { a: 1 } }, 'Odd {"a":1}'],
  ])('%s', (_, body, expected) => {
    expect(told(body)).toBe(expected);
  });

  test('paths in a command and its output are those of the project', () => {
    expect(told(run(`cat ${ROOT}/src/a.ts`, `${ROOT}/src/a.ts:1 see /x${ROOT}/b and ${ROOT}`))).toBe(
      `$ cat src/a.ts\nsrc/a.ts:1 see /x${ROOT}/b and ${ROOT}`,
    );
  });

  test('a script is told with its output', () => {
    const text = told(run('git commit -m "$(cat <<EOF\nAdd totals\n\nBecause of tax.\nEOF\n)"', '[main 1] Add totals'));
    expect(text).toContain('Because of tax.');
    expect(text).toEndWith('output:\n[main 1] Add totals');
  });

  test('a long file that was read is told by what it declares', () => {
    const content = Array.from({ length: 40 }, (_, at) => `export function f${at}() {\n  return ${at};\n}\n`).join(
      '\n',
    );
    expect(told(readOf('src/a.ts', content), 300)).toStartWith('read src/a.ts (159 lines)\nholds: f0, f1, f2');
  });

  test('a pasted prompt keeps its beginning and its end', () => {
    const text = told(prompt(`Why does this fail?\n${'log line of no use\n'.repeat(3000)}It began on Monday.`), 3000);
    expect(text).toStartWith('Why does this fail?');
    expect(text).toEndWith('It began on Monday.');
    expect(text.length).toBeLessThanOrEqual(3000);
  });

  test('input of another shape is told as far as it can be read', () => {
    const values = [null, undefined, 5, 'text', {}, [], [null], [{}], ['x'], [{ lines: [5] }], [{ text: 1 }]];
    const fields =
      'file hunks command description stdout stderr content query path files matches target text items answers prompt result';
    const types = [
      'edit',
      'command',
      'read',
      'search',
      'web',
      'todos',
      'task',
      'question',
      'plan',
      'agent',
      'other',
      'new',
    ];
    for (const value of values) {
      const body = Object.fromEntries(fields.split(' ').map((field) => [field, value]));
      for (const type of types) {
        const event = {
          ...tool('Odd', { type, ...body } as never),
          error: value,
          text: value,
          message: value,
          summary: value,
        };
        for (const kind of ['tool', 'prompt', 'stop', 'subagent', 'compaction']) {
          expect(typeof told({ ...event, kind } as never)).toBe('string');
        }
      }
    }
  });
});

describe('many events', () => {
  test('a file read again is one event', () => {
    const all = tellAll(readOf('a.ts', 'x'), readOf('b.ts', 'y'), readOf('a.ts', 'x\nlonger'), readOf('a.ts', ''));
    expect(all.map(({ text, times }) => [text, times])).toEqual([
      ['read a.ts (2 lines)\nx\nlonger', 3],
      ['read b.ts (1 lines)\ny', 1],
    ]);
  });

  test('of the todo lists only the last is told, of tasks how they stand', () => {
    const task = (id: string, text: string | null, status: 'pending' | 'completed') =>
      tool('TaskUpdate', { type: 'task', id, text, status });
    const all = tellAll(
      todos(['pending', 'a']),
      task('1', 'b', 'pending'),
      task('2', 'c', 'pending'),
      todos(['completed', 'a']),
      task('1', null, 'completed'),
    );
    expect(all.map(({ text }) => text)).toEqual([
      'todo list, 1 of 1 done\n[completed] a',
      'todo list, 1 of 2 done\n[completed] b\n[pending] c',
    ]);
  });

  test('a report that arrives twice is told once', () => {
    const agent = tool('Agent', {
      type: 'agent',
      agentId: 'a1',
      description: 'Look',
      prompt: 'Look there',
      result: 'Nothing there.',
    });
    expect(tellAll(agent, report('Explore', 'Nothing there.'))).toHaveLength(1);
  });

  test('of a plan put twice only the last is told in full, and its file not at all', () => {
    const file = tool('Write', { type: 'edit', file: '/home/dev/.claude/plans/x.md', created: true, hunks: [] });
    const all = tellAll(file, plan('# First plan', 'use gh instead'), plan('# Second plan'));
    expect(all.map(({ text }) => text).join('\n')).toContain('use gh instead');
    expect(all.map(({ text }) => text).join('\n')).not.toContain('# First plan');
    expect(all).toHaveLength(2);
  });

  test('starts, ends and empty messages are left out', () => {
    expect(
      tellAll({ kind: 'start', source: 'startup', secondsSinceLastResponse: null }, stop(' '), prompt(''), {
        kind: 'end',
        reason: 'x',
      }),
    ).toEqual([]);
  });

  test('a few events are told in detail, many get less, changes and failures more than reading', () => {
    const output = (name: string) =>
      Array.from({ length: 600 }, (_, at) => `${letters(at)} of ${name} in the log`).join('\n');
    const few = tellAll(run('a', output('a')), run('b', output('b')));
    expect(few[0]?.text.length).toBeGreaterThan(2500);
    const many = tellAll(...Array.from({ length: 60 }, (_, at) => run(`c${at}`, output(`c${at}`))));
    for (const { text } of many) expect(text.length).toBeWithin(600, 701);
    const mixed = tellAll(
      ...Array.from({ length: 12 }, () => [web('https://x.dev'), fails('bun test', output('f'))]).flat(),
      tool('WebFetch', { type: 'web', target: 'https://y.dev', text: output('w') }),
    );
    expect(mixed.at(-2)?.text.length).toBeGreaterThan(mixed.at(-1)?.text.length ?? 0);
  });

  test('what the user said and the last message are never squeezed', () => {
    const long = (mark: string) => `${mark} ${'word '.repeat(500)}`;
    const all = tellAll(
      prompt(long('p')),
      ...Array.from({ length: 80 }, (_, at) => run(`c${at}`, 'x\n'.repeat(2000))),
      ask('Which?', long('q'), []),
      stop(long('s')),
    );
    for (const { event, text } of all.filter((one) => one.text.includes('word')))
      expect(text.length, event.kind).toBeGreaterThan(2400);
  });
});
