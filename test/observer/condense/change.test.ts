// Changes: the lines that are new in them are kept, a change repeated everywhere is told once.
import { describe, expect, test } from 'bun:test';
import type { Hunk } from '../../../src/core/event.ts';
import { condenseChange } from '../../../src/observer/condense/change.ts';

const hunk = (newStart: number, ...lines: string[]): Hunk => ({ oldStart: newStart, newStart, lines });
const context = (count: number, name: string) =>
  Array.from({ length: count }, (_, at) => ` const ${name}${at} = load(${at});`);

test('a small change is shown as it is, with its place', () => {
  expect(condenseChange([hunk(12, ' a', '-b', '+c', ' d')], false, 500)).toBe('[line 12]\n a\n-b\n+c\n d');
});

test('context gives way before changed lines', () => {
  const text = condenseChange(
    [hunk(1, ...context(40, 'before'), '-limit = 30', '+limit = 45', ...context(40, 'after'))],
    false,
    200,
  );
  expect(text).toContain('-limit = 30\n+limit = 45');
  expect(text).toContain(' const before39');
  expect(text).not.toContain('before10');
});

test('a rename in forty places leaves room for the one change that is something else', () => {
  const hunks = Array.from({ length: 40 }, (_, at) =>
    hunk(
      at * 20,
      ' {',
      '-  fetchUser(id);',
      '+  loadUser(id);',
      ...(at === 29 ? ['+  auditTrail.push(reason);'] : []),
      ' }',
    ),
  );
  const text = condenseChange(hunks, false, 400);
  expect(text).toContain('+  auditTrail.push(reason);');
  expect(text).toContain('+  loadUser(id);');
  expect(text.length).toBeLessThanOrEqual(400);
});

test('every place of a change gets its first new line before any gets its second', () => {
  const hunks = Array.from({ length: 6 }, (_, at) =>
    hunk(
      at * 50,
      ...Array.from({ length: 20 }, (_, line) => `+  value${at}x${line} = compute${at}x${line}(input${at});`),
    ),
  );
  const text = condenseChange(hunks, false, 600);
  for (let at = 0; at < 6; at++) expect(text).toContain(`value${at}x0`);
});

describe('a new file', () => {
  const body = (name: string) => [
    `+export function ${name}(a: string) {`,
    ...Array.from({ length: 20 }, (_, at) => `+  work(${at}, a);`),
    '+}',
    '+',
  ];
  const lines = [
    '+// Counts what is in the cart.',
    "+import { a } from './a.ts';",
    ...['first', 'second', 'third', 'fourth'].flatMap(body),
  ];

  test('is shown by its beginning and what it declares', () => {
    const text = condenseChange([hunk(1, ...lines)], true, 500);
    expect(text).toStartWith('// Counts what is in the cart.');
    for (const name of ['first', 'second', 'third', 'fourth']) expect(text).toContain(`export function ${name}(`);
    expect(text.length).toBeLessThanOrEqual(500);
  });

  test('is shown whole when it is short', () => {
    expect(condenseChange([hunk(1, '+a', '+', '+b')], true, 500)).toBe('a\n\nb');
  });

  test('that is a document is shown by its headings', () => {
    const text = Array.from({ length: 12 }, (_, at) => [
      `+## Part ${at} of it`,
      ...Array.from({ length: 9 }, () => '+Some words that go on and on.'),
    ]).flat();
    expect(condenseChange([hunk(1, ...text)], true, 700)).toContain('## Part 11 of it');
  });
});

test('a minified file is cut inside of its line', () => {
  const text = condenseChange([hunk(1, `+${'var a=1;b(c,d);'.repeat(4000)}`)], false, 600);
  expect(text.length).toBeLessThanOrEqual(600);
  expect(text.length).toBeGreaterThan(300);
});

test.each([0, 3, 6, 40, 200, 1000])('is never longer than %d characters', (maxChars) => {
  const hunks = Array.from({ length: 30 }, (_, at) =>
    hunk(at, ...context(5, 'x'), `-old${at}`, `+new${at} = ${'y'.repeat(at * 20)}`),
  );
  for (const created of [true, false])
    expect(condenseChange(hunks, created, maxChars).length).toBeLessThanOrEqual(maxChars);
});
