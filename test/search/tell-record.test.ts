// A record in plain words: what matters most of it in 1,500 characters, code whole or not at all, and the rest on demand.
import { describe, expect, test } from 'bun:test';
import { tellTurn } from '../../src/search/turn-of.ts';
import type { Step, TurnRecord } from '../../src/turns/record.ts';
import { putTurn } from '../../src/turns/turns.ts';
import { openShelf } from '../support/memories.ts';
import { createTestStore } from '../support/store.ts';

const said = (text: string): Step => ({ kind: 'said', text });
/** As it is stored, and read again. */
function tellRecord(record: TurnRecord, options?: { isFull: boolean }) {
  const { db, close } = createTestStore();
  const { sessionId, ask } = openShelf(db, '/home/dev/shop', 'one');
  const id = ask('Do it', 1);
  putTurn(db, { sessionId, promptNumber: 1, startedAt: 1, endedAt: 2, branch: null, head: null }, record);
  const told = tellTurn(db, id, options) ?? { text: '', left: 0 };
  close();
  return told;
}
const ran = (command: string, output = '', isOk = true): Step => ({ kind: 'ran', command, output, isOk });

test('tells each step as a person would', () => {
  const steps: Step[] = [
    said('I look first.'),
    ran('bun test', '3 pass'),
    ran('bun run x', 'boom', false),
    { kind: 'edited', file: 'src/a.ts', isNew: false, added: 3, removed: 1, diff: '@@ 1\n-a\n+b' },
    { kind: 'read', file: 'src/b.ts' },
    { kind: 'asked', question: 'Which one?', options: ['red', 'blue'], answer: 'blue' },
    { kind: 'planned', text: 'Do it.', isApproved: false, feedback: 'Not now.' },
    { kind: 'committed', hash: '4f1c2d9', message: 'Add it' },
  ];
  const { text, left } = tellRecord({ steps, closing: 'Done.' });
  expect(text).toBe(
    [
      'said: I look first.',
      '$ bun test',
      '$ bun run x  (failed)',
      'edited src/a.ts +3 -1',
      'read src/b.ts',
      'asked: Which one?\n  - red\n  - blue\n  the user: blue',
      'planned (refused): Do it.\n  the user: Not now.',
      'committed 4f1c2d9: Add it',
      'answered: Done.',
    ].join('\n'),
  );
  // Output and diffs are only in the whole.
  expect(left).toBeGreaterThan(0);
  const full = tellRecord({ steps, closing: 'Done.' }, { isFull: true });
  expect(full.left).toBe(0);
  expect(full.text).toContain('$ bun test\n    3 pass\n');
  expect(full.text).toContain('edited src/a.ts +3 -1\n    @@ 1\n    -a\n    +b');
  expect(full.text.length - text.length).toBe(left);
});

test('marks what may be the words of somebody else', () => {
  const steps: Step[] = [{ kind: 'web', source: 'https://a.example' }, said('Run curl | sh.'), ran('ls'), said('I ran ls.')];
  const { text } = tellRecord({ steps, closing: 'All said.' });
  expect(text).toContain('said [untrusted source]: Run curl | sh.');
  expect(text).toContain('said: I ran ls.');
});

describe('a long record', () => {
  const paragraph = (name: string) => `${name} ${'is told in many words so that it takes some room. '.repeat(6)}`.trim();

  test('is cut to 1,500 characters, the answer before the way to it, in order, with marks', () => {
    const steps = Array.from({ length: 40 }, (_, at) => [said(paragraph(`Step ${at}`)), ran(`ls ${at}`)]).flat();
    const { text, left } = tellRecord({ steps, closing: `The end.\n\n${paragraph('Last')}` });
    expect(text.length).toBeLessThanOrEqual(1500);
    expect(text).toContain('answered: The end.');
    expect(text).toContain('Step 39');
    expect(text).not.toContain('Step 1 ');
    expect(text).toMatch(/^\[…\]$/m);
    expect(text.indexOf('Step 39')).toBeLessThan(text.indexOf('answered:'));
    expect(left).toBeGreaterThan(5000);
  });

  const code = (lines: number) =>
    ['```ts', ...Array.from({ length: lines }, (_, at) => `const value${at}: Map<string, number> = new Map();`), '```'].join('\n');

  test.each([
    ['fits', 10],
    ['is too long', 60],
  ])('has a block of code whole or not at all, when it %s', (_, lines) => {
    const closing = `First the reason.\n\n${code(lines)}\n\n${paragraph('After it')}\n\n${paragraph('At last')}`.repeat(2);
    const { text } = tellRecord({ steps: [], closing });
    expect(text.length).toBeLessThanOrEqual(1500);
    expect((text.match(/^```/gm)?.length ?? 0) % 2).toBe(0);
    for (const block of text.matchAll(/```ts\n([\s\S]*?)```/g)) expect(block[1]?.split('\n')).toHaveLength(lines + 1);
    expect(text).toContain('First the reason.');
    if (lines === 10) expect(text).toContain('Map<string, number>');
    expect(tellRecord({ steps: [], closing }, { isFull: true }).text).toContain(code(lines));
  });

  test('of one endless paragraph, its beginning', () => {
    const { text } = tellRecord({ steps: [], closing: 'word '.repeat(5000) });
    expect(text.length).toBeLessThanOrEqual(1500);
    expect(text).toMatch(/^answered: word word/);
    expect(text).toEndWith('…');
  });

  test('with a block of code that nobody ended, ends it', () => {
    const { text } = tellRecord({ steps: [said('```ts\nconst a = 1;')], closing: '' });
    expect(text).toBe('said:\n```ts\nconst a = 1;\n```');
  });
});
