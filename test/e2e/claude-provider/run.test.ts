// One process for each question: told about, and gone in the end whatever it does.
import { afterEach, expect, test } from 'bun:test';
import { join } from 'node:path';
import { z } from 'zod';
import type { Question } from '../../../src/model/providers/contract.ts';
import { isAlive } from '../processes.ts';
import { type FakeClaude, makeFakeClaude, print, printAnswer, READY, RESULT } from './fake-claude.ts';

let fakes: FakeClaude[] = [];
afterEach(() => {
  for (const fake of fakes) fake.close();
  fakes = [];
});

const fakeClaude = (...script: string[]) => {
  const fake = makeFakeClaude(script.join('\n'));
  fakes.push(fake);
  return fake;
};

const question = (rest: Partial<Question> = {}): Question => ({
  instructions: 'Observe.',
  prompt: 'What?',
  maxOutputTokens: 100,
  deadlineMs: 30_000,
  ...rest,
});

type Run = Parameters<NonNullable<Question['onRun']>>[0];
const IGNORE_SIGNALS = "trap '' TERM INT HUP";
const FOR_EVER = 'while :; do sleep 1; done';

test('tells of the process and of the session, each once, before the answer', async () => {
  const init = print({ type: 'system', subtype: 'init', session_id: 'session-1' });
  const { ask } = fakeClaude('read -r line', READY, 'read -r line', init, init, printAnswer('ok'), RESULT, 'cat');
  const runs: Run[] = [];
  const { text, usage } = await ask(question({ onRun: (run) => runs.push(run) }));
  expect([text, usage]).toEqual(['ok', { inputTokens: 10, cachedTokens: 0, outputTokens: 5 }]);
  expect(runs).toEqual([{ pid: expect.any(Number), mark: expect.any(String) }, { hostSessionId: 'session-1' }]);
});

test('marks the process, bounds it, and gives it nothing else of ours', async () => {
  const { ask, folder } = fakeClaude('env > env.txt', 'read -r line', READY, printAnswer('ok'), RESULT);
  const runs: Run[] = [];
  await ask(question({ onRun: (run) => runs.push(run) }));
  const { mark } = z.object({ mark: z.string() }).parse(runs[0]);
  const environment = await Bun.file(join(folder, 'env.txt')).text();
  expect(environment).toContain(`CLAUDE_MEM_OBSERVER=${mark}\n`);
  expect(environment).toContain('API_TIMEOUT_MS=30000\n');
  expect(environment).toContain('CLAUDE_CODE_MAX_OUTPUT_TOKENS=100\n');
  const own = /^(HOME|PATH|PWD|OLDPWD|SHLVL|_|CLAUDE_MEM_OBSERVER|API_TIMEOUT_MS|CLAUDE_CODE_\w+|DISABLE_\w+)=/;
  expect(environment.split('\n').filter((line) => line !== '' && !own.test(line))).toEqual([]);
});

test('reads past lines it does not know', async () => {
  const noise = [print('warning: not JSON'), print('[1]'), print('null'), print({ type: 'news' }), print({ type: 'result' })];
  const { ask } = fakeClaude(...noise, 'read -r line', READY, ...noise, printAnswer('ok'), ...noise, RESULT);
  expect((await ask(question())).text).toBe('ok');
});

test('counts only the first answer when claude goes on by itself', async () => {
  const more = print({ type: 'assistant', message: { id: 'msg_2', content: [{ type: 'text', text: ' and more' }] } });
  const { ask } = fakeClaude('read -r line', READY, printAnswer('one'), printAnswer(' two'), more, RESULT);
  expect((await ask(question())).text).toBe('one two');
});

test.each([
  ['stays after its answer', ['read -r line', READY, printAnswer('ok'), RESULT, IGNORE_SIGNALS, FOR_EVER], 'ok', 20_000],
  ['never says a word', [IGNORE_SIGNALS, FOR_EVER], 'transient', 500],
  ['reads nothing and floods', [IGNORE_SIGNALS, `while :; do ${print('x'.repeat(4000))}; done`], 'bad-answer', 20_000],
])('ends a process that %s, with everything it started', async (_, script, expected, deadlineMs) => {
  const { ask } = fakeClaude(...script);
  const startedAt = performance.now();
  const runs: Run[] = [];
  const outcome = await ask(question({ deadlineMs, onRun: (run) => runs.push(run) })).catch((error) => error);
  const { pid } = z.object({ pid: z.number() }).parse(runs[0]);
  expect(outcome.kind ?? outcome.text).toBe(expected);
  expect(performance.now() - startedAt).toBeLessThan(deadlineMs + 10_000);
  expect(isAlive(pid)).toBe(false);
  expect(livingInGroup(pid)).toEqual([]);
});

test.each([
  ['an option it does not know', 'echo "error: unknown option \'--max-budget-usd\'" >&2; exit 1', 'auth', 'too old'],
  ['instructions it does not take', `read -r line\n${notReady()}\n${FOR_EVER}`, 'auth', 'unknown subtype'],
  ['a crash', 'echo "out of memory" >&2; exit 134', 'transient', 'out of memory'],
  ['silence', 'exit 0', 'transient', 'it said nothing'],
])('tells why there is no answer: %s', async (_, script, kind, words) => {
  const error = await fakeClaude(script)
    .ask(question())
    .catch((error) => error);
  expect(error).toMatchObject({ kind, message: expect.stringContaining(words) });
});

test.each([
  ['is missing', (fake: FakeClaude) => fake.close()],
  ['must not be run', (fake: FakeClaude) => Bun.spawnSync(['chmod', '644', fake.path])],
])('says what to do when the program %s', async (_, spoil) => {
  const fake = fakeClaude('true');
  spoil(fake);
  const error = await fake.ask(question()).catch((error) => error);
  expect(error).toMatchObject({ kind: 'auth', message: expect.stringContaining('claude-mem config set claudePath') });
});

function notReady(): string {
  const response = { subtype: 'error', request_id: 'initialize', error: 'unknown subtype' };
  return print({ type: 'control_response', response });
}

/** Killed ones that nobody has buried yet do not count. */
function livingInGroup(group: number): string[] {
  const { stdout } = Bun.spawnSync(['ps', '-o', 'stat=,args=', '-g', String(group)]);
  return stdout
    .toString()
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('Z'));
}
