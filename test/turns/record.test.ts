// A record is plain text, and comes back from it as it was.
import { describe, expect, test } from 'bun:test';
import { readRecord, type Step, searchable, type TurnRecord, writeRecord } from '../../src/turns/record.ts';
import { type SeededRandom, seededRandom } from '../core/seeded-random.ts';

/** Words of ours among those of people: a text that looks like a record must not be read as one. */
const LINES = [
  '── said',
  '── closing',
  ' ── ran ok',
  '══ details',
  '══ details of the plan',
  '→ yes',
  ' → no',
  '- an option',
  '[x] done',
  '@@ 3',
  '',
  'Die Ursache war der Zeitstempel.',
  '時刻が原因でした。',
  'const a = 1; // ── b',
  '```ts',
];
const KINDS: Step['kind'][] = [
  ...(['said', 'ran', 'edited', 'read', 'searched', 'asked', 'planned', 'refused', 'interrupted'] as const),
  ...(['todo', 'committed', 'web', 'mcp', 'agent'] as const),
];

const textOf = (random: SeededRandom) => Array.from({ length: random.below(6) }, () => random.of(LINES)).join('\n');
/** What stands in the line of a mark. */
const lineOf = (random: SeededRandom) => random.of(['', 'new a b.ts', 'src/a.ts', '── said', '+1 -2 x', 'ok', '→ x']);
const isTrue = (random: SeededRandom) => random.below(2) === 0;

const foreign = (random: SeededRandom): { isForeign?: true } => (isTrue(random) ? { isForeign: true } : {});
const unshown = (random: SeededRandom): Pick<TurnRecord, 'unshown'> =>
  random.of([{}, { unshown: [] }, { unshown: ['zephyr', '══', 'gap_2'] }]);

function stepOf(random: SeededRandom): Step {
  const [text, line] = [() => textOf(random), () => lineOf(random)];
  const kind = random.of(KINDS);
  switch (kind) {
    case 'said':
      return { kind, text: text() };
    case 'ran':
      return { kind, command: text(), isOk: random.of([true, false, null]), output: text(), ...foreign(random) };
    case 'edited':
      return { kind, file: line(), isNew: isTrue(random), added: random.below(9), removed: 2, diff: text() };
    case 'read':
      return { kind, file: line(), ...foreign(random) };
    case 'searched':
      return { kind, query: line(), ...foreign(random) };
    case 'asked':
      return { kind, question: line(), options: [line(), line()], answer: text() };
    case 'planned':
      return { kind, text: text(), isApproved: isTrue(random), feedback: text() };
    case 'refused':
      return { kind, tool: 'Bash', what: text(), feedback: text() };
    case 'interrupted':
      return { kind };
    case 'todo':
      return { kind, items: [{ status: random.of(['pending', 'in_progress', 'completed', 'deleted']), text: line() }] };
    case 'committed':
      return { kind, hash: '4f1c2d9', message: text() };
    case 'web':
    case 'mcp':
      return { kind, source: line() };
    case 'agent':
      return { kind, task: line(), report: text() };
  }
}

test('whatever was said and done comes back as it was', () => {
  for (let seed = 1; seed <= 3000; seed++) {
    const random = seededRandom(seed);
    const told = { steps: Array.from({ length: random.below(7) }, () => stepOf(random)), closing: textOf(random) };
    // What says nothing at all is not stored, nor judged.
    const record: TurnRecord = told.steps.length > 0 || told.closing !== '' ? { ...told, ...unshown(random) } : told;
    expect({ seed, ...readRecord(writeRecord(record)) }).toEqual({ seed, ...record });
  }
});

describe('the text', () => {
  const record: TurnRecord = {
    steps: [
      { kind: 'said', text: 'I look at the clock first.' },
      { kind: 'ran', command: 'bun test', isOk: false, output: 'expected 3, received 4' },
      { kind: 'edited', file: 'src/clock.ts', isNew: false, added: 1, removed: 1, diff: '@@ 3\n-a\n+b' },
    ],
    closing: 'The clock was off by one.\n══ details\nthat is no mark',
  };
  const text = writeRecord(record);

  test('can be read by people, word for word', () => {
    expect(text.split('\n')).toEqual([
      '── said',
      'I look at the clock first.',
      '── ran failed',
      'bun test',
      '── edited +1 -1 src/clock.ts',
      '── closing',
      'The clock was off by one.',
      ' ══ details',
      'that is no mark',
      '══ details',
      '── 1',
      'expected 3, received 4',
      '── 2',
      '@@ 3',
      '-a',
      '+b',
    ]);
  });

  test('is searched down to its details', () => {
    expect(searchable(text)).toEndWith('that is no mark');
    expect(searchable(text)).toContain('src/clock.ts');
    expect(searchable(text)).not.toContain('received 4');
  });
});

test.each([
  ['', ''],
  ['just words', 'just words'],
  ['── ', ''],
  ['── unknown x\ny', ''],
  ['── unknown x\n── closing\ny', 'y'],
])('%j is no record, and no error', (text, closing) => {
  expect(readRecord(text)).toEqual({ steps: [], closing });
});
