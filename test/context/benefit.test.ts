// What a session found out by itself, and when a memory counts as having known it.
import { describe, expect, test } from 'bun:test';
import { type Given, measureBenefit, type PastSession, type PastTurn } from '../../src/context/benefit.ts';
import { type Step, writeRecord } from '../../src/turns/record.ts';

const ran = (command: string, isOk: boolean, output = ''): Step => ({ kind: 'ran', command, isOk, output });
const edited = (file: string, isNew = false): Step => ({ kind: 'edited', file, isNew, added: 1, removed: 0, diff: '' });
const read = (file: string): Step => ({ kind: 'read', file });
const SEARCH: Step = { kind: 'searched', query: 'retry' };

const MINUTE = 60_000;
const turn = (number: number, prompt: string, steps: Step[], startedAt = number * MINUTE): PastTurn => ({
  number,
  prompt,
  record: writeRecord({ steps, closing: 'Done.' }),
  branch: null,
  startedAt,
  endedAt: startedAt + MINUTE,
});
const session = (turns: PastTurn[], more: Partial<PastSession> = {}): PastSession => ({
  id: 's',
  projectId: 1,
  project: 'shop',
  startedAt: turns[0]?.startedAt ?? 0,
  turns,
  fixes: [],
  ...more,
});
/** Ten files that are edited more than any other. */
const COMMON = ['src/common.ts', ...Array.from({ length: 9 }, (_, n) => `src/c${n}.ts`)];
const history = session(
  [
    turn(
      1,
      'Set up',
      [...COMMON, ...COMMON, ...COMMON].map((file) => edited(file)),
    ),
  ],
  { id: 'past' },
);

async function find(steps: Step[], prompt = 'Go on with it', fixes: string[] = []): Promise<string[]> {
  const asking = session([turn(10, prompt, steps)], { id: 'asking', fixes: fixes.map((title) => ({ turn: 10, title })) });
  const { sessions } = await measure([], [history, asking]);
  return sessions[0]?.findings.map(({ kind, text }) => `${kind} ${text}`) ?? [];
}

const log: string[] = [];
function measure(given: Given[], sessions: PastSession[], other: Given[] = []) {
  log.length = 0;
  return measureBenefit({
    sessions,
    isWanted: ({ id }) => id === 'asking',
    remember: ({ id }, { number }) => log.push(`${id} ${number}`),
    give: async (_, projectId) => {
      log.push(`ask of ${projectId}`);
      return projectId === 1 ? given : other;
    },
    report: () => undefined,
  });
}

describe('a session found out by itself', () => {
  test.each<[string, Step[], string[]]>([
    [
      'with a flag',
      [ran('pnpm test', false), ran('cd api && pnpm test --filter api 2>&1 | tail -5', true)],
      ['command pnpm test --filter api'],
    ],
    ['with another program', [ran('pytest tests/', false), ran('python -m pytest tests/', true)], ['command python -m pytest']],
    ['but not after an edit', [ran('pnpm test', false), edited('src/a.ts'), ran('pnpm test --filter api', true)], []],
    ['nor another command', [ran('npm run lint', false), ran('npm test', true)], []],
    ['nor the same with another file', [ran('go test ./a', false), ran('go test ./b', true)], []],
    ['nor what only looks', [ran('grep -r retry src', false), ran('grep -r retry src lib', true)], []],
    ['nor the words of a text', [ran('git commit -m "one thing"', false), ran('git commit -m "another thing && more"', true)], []],
  ])('a command that worked after failed ones, %s', async (_, steps, expected) => {
    expect(await find(steps)).toEqual(expected);
  });

  test('no command that the prompt names', async () => {
    const steps = [ran('pnpm test', false), ran('pnpm test --filter api', true)];
    expect(await find(steps, 'Run pnpm test --filter api')).toEqual([]);
  });

  test.each<[string, Step[], string, string[]]>([
    ['opened after a search, then edited', [SEARCH, read('src/retry.ts'), edited('src/retry.ts')], 'Retry', ['file src/retry.ts']],
    [
      'searched for in the shell',
      [ran('cd x; grep -rn retry .', true), read('src/retry.ts'), edited('src/retry.ts')],
      'Retry',
      ['file src/retry.ts'],
    ],
    ['but not one that was only read', [SEARCH, read('src/retry.ts')], 'Retry', []],
    ['nor one that was open before', [read('src/retry.ts'), SEARCH, edited('src/retry.ts')], 'Retry', []],
    ['nor one that the prompt names', [SEARCH, edited('src/retry.ts')], 'Look into retry.ts', []],
    ['nor one of those that are edited most', [SEARCH, edited('src/common.ts')], 'Retry', []],
    ['nor one that it made', [SEARCH, edited('src/new.ts', true), edited('src/new.ts')], 'Retry', []],
    ['nor one outside of the project', [SEARCH, edited('/etc/hosts')], 'Retry', []],
  ])('a file: %s', async (_, steps, prompt, expected) => {
    expect(await find(steps, prompt)).toEqual(expected);
  });

  test('the cause of an error, unless the prompt says it or it says too little', async () => {
    const cause = 'The pool closes its sockets before the last query returns';
    expect(await find([], 'Fix the crash', [cause, 'Fixed it'])).toEqual([`cause ${cause}`]);
    expect(await find([], 'The pool closes its sockets before the last query returns, fix that', [cause])).toEqual([]);
  });
});

describe('the memory had the answer', () => {
  const STEPS = [ran('pnpm test', false, 'Error: no tests'), ran('pnpm test --filter api', true)];
  const past = session([turn(1, 'Set up the tests', [])], { id: 'past' });
  const asking = session([turn(10, 'Check the tests', [ran('ls', true)]), turn(11, 'Go on', STEPS)], { id: 'asking' });
  const first = async (...[given, sessions = [past, asking], other]: Partial<Parameters<typeof measure>>) =>
    (await measure(given ?? [], sessions, other)).sessions[0]?.findings[0];
  const note = (where: string, turn: number, step: number, text = 'Notes\n#3 decision Use `pnpm test --filter api` here'): Given => ({
    where,
    turn,
    step,
    text,
  });

  test('with what was given before it was found out: page, prompt, error', async () => {
    expect((await first([note('start page', 0, 0)]))?.known).toEqual({
      where: 'start page',
      line: '#3 decision Use `pnpm test --filter api` here',
    });
    expect((await first([note('prompt', 11, -1)]))?.known).not.toBeNull();
    expect((await first([note('error', 11, 0)]))?.known).not.toBeNull();
  });

  test('but not with what came later, nor with words of two memories', async () => {
    expect((await first([note('error', 11, 1), note('prompt', 12, -1)]))?.known).toBeNull();
    expect((await first([note('start page', 0, 0, '#3 pnpm test\n#4 --filter api')]))?.known).toBeNull();
  });

  test('only turns that had ended when the session started are remembered by then', async () => {
    const start = asking.startedAt;
    const beside = session([turn(1, 'Beside it', [], start - MINUTE - 1), turn(2, 'Beside it', [], start - MINUTE)], { id: 'beside' });
    const benefit = await measure([], [asking, beside, past]);
    expect(log).toEqual(['past 1', 'beside 1', 'ask of 1', 'beside 2', 'asking 10', 'asking 11']);
    expect(benefit.sessions[0]?.turnsBefore).toBe(2);
  });

  test('chance is the same session with the memory of another project; without one nobody knows', async () => {
    expect((await first([]))?.isKnownByChance).toBeNull();
    const tea = session([turn(2, 'Tea', [])], { id: 'tea', projectId: 2, project: 'tea' });
    const finding = await first([], [past, tea, asking], [note('start page', 0, 0)]);
    expect([finding?.known, finding?.isKnownByChance]).toEqual([null, true]);
    expect(log).toContain('ask of 2');
  });

  test('grep reads the turns of the project that had ended, around the rarest words of the prompt', async () => {
    const said = session([turn(1, 'How are the tests of the api checked?', [ran('pnpm test --filter api', true)])], { id: 'past' });
    expect((await first([], [said, asking]))?.isGrepped).toBe(true);
    expect((await first([], [{ ...said, projectId: 2 }, past, asking]))?.isGrepped).toBe(false);
    const later = { ...said, startedAt: 99 * MINUTE, turns: said.turns.map((one) => ({ ...one, endedAt: 99 * MINUTE })) };
    expect((await first([], [past, asking, later]))?.isGrepped).toBe(false);
  });

  test('a session without earlier work in its project is not counted', async () => {
    const benefit = await measure([], [asking, { ...past, projectId: 2 }]);
    expect(benefit).toEqual({ sessions: [], all: 1, withoutPast: 1 });
  });
});
