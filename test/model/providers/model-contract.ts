// The contract of AskModel, which every provider runs against a fake server that speaks its wire format.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type Answer, type AskModel, ModelError, type Question } from '../../../src/model/providers/contract.ts';
import { isAlive } from '../../e2e/processes.ts';
import { until } from '../../support/until.ts';
import { FAILURES, type FailureCase, sayAnswer } from './contract-cases.ts';
import { type FakeServer, startFakeServer } from './fake-server.ts';
import { BILLED, type Wire } from './wire.ts';

export type Provider = {
  wire: Wire;
  create: (server: FakeServer) => AskModel | Promise<AskModel>;
  /** Long enough for the request to reach the server, short enough to wait for; on a busy machine as much longer as answers take. */
  shortMs: number;
  /** What a case is like with this provider, where it cannot be as the table says, and why. */
  exceptions?: Record<string, { requests?: number; isUntilKnown?: false; why: string }>;
  close?: () => void | Promise<void>;
  /** A process for each question: of failures alike, the first is enough, unless all are asked for. */
  isSlow?: true;
};

const LONG_MS = 60_000;
/** Of a machine that is busy with other tests. */
const GRACE_MS = 30_000;
const INSTRUCTIONS = 'You are an observer.\nAnswer in XML. "Quotes", \\ and ünïcödé 記憶 belong to the instructions.';

export function describeModelContract(name: string, provider: Provider): void {
  describe(`${name} keeps the contract of a model`, () => {
    let server: FakeServer;
    let ask: AskModel;

    beforeAll(async () => {
      server = startFakeServer();
      ask = await provider.create(server);
    });
    afterAll(async () => {
      server.close();
      await provider.close?.();
    });

    const { wire } = provider;
    let slowestMs = 0;
    const askWith = async (reply: FailureCase['reply'], question: Partial<Question> = {}) => {
      server.replyWith(reply(wire));
      const call = await observe(ask, question);
      if (call.answer) slowestMs = Math.max(slowestMs, call.tookMs);
      return call;
    };
    const asked = () => wire.readAsked(server.requests[0]?.body);

    test('answers with the text and what was billed, after one request', async () => {
      const text = '<observation>\n  <title>記憶 & "quotes" 🧠</title>\n</observation>';
      const call = await askWith(sayAnswer({ text, stop: 'done' }));
      expect(call.answer).toEqual({ text, isCutOff: false, usage: BILLED });
      expect(server.requests).toHaveLength(1);
      expect(call.left).toEqual([]);
    });

    test('says that an answer was cut off by the limit, and asks no more for the rest', async () => {
      const call = await askWith(sayAnswer({ text: '<observation><ti', stop: 'limit' }), { maxOutputTokens: 1234 });
      expect(call.answer).toEqual({ text: '<observation><ti', isCutOff: true, usage: BILLED });
      expect(asked().maxOutputTokens).toBe(1234);
      expect(server.requests).toHaveLength(1);
    });

    test('takes the text beside a tool call, and runs nothing', async () => {
      const call = await askWith(sayAnswer({ text: 'Here it is.', extra: 'tool call', stop: 'tool call' }));
      expect(call.answer?.text).toBe('Here it is.');
      expect(server.requests).toHaveLength(1);
    });

    test.each(PROMPTS)('gives the prompt to the model as it is: %s', async (_, prompt) => {
      await askWith(sayAnswer({ text: 'ok', stop: 'done' }), { prompt });
      expect(asked()).toEqual({ instructions: INSTRUCTIONS, prompt, maxOutputTokens: 4096, hasTools: false });
    });

    test('takes long instructions and a long prompt', async () => {
      const instructions = 'Observe. '.repeat(20_000);
      const prompt = '{"event":"記憶"}\n'.repeat(20_000);
      const call = await askWith(sayAnswer({ text: 'ok', stop: 'done' }), { instructions, prompt });
      expect(call.answer?.text).toBe('ok');
      expect(asked()).toMatchObject({ instructions, prompt });
    });

    test.each(failuresOf(provider).map((failure) => [failure.name, failure] as const))('fails as it should: %s', async (_, failure) => {
      const exception = provider.exceptions?.[failure.name];
      const deadlineMs = failure.isEndless ? Math.max(provider.shortMs, 3 * slowestMs) : LONG_MS;
      const call = await askWith(failure.reply, { deadlineMs });
      expect(call.error).toBeInstanceOf(ModelError);
      expect(call.error?.kind).toBe(failure.kind);
      expect(server.requests).toHaveLength(exception?.requests ?? 1);
      expect(call.tookMs).toBeLessThan(deadlineMs + GRACE_MS);
      expect(call.left).toEqual([]);
      if (failure.isBilled) expect(call.error?.usage).toEqual(BILLED);
      expectUntil(call, exception?.isUntilKnown === false ? undefined : failure.untilSeconds);
    });

    test('ends when it is told to, and says so as transient', async () => {
      const controller = new AbortController();
      server.replyWith(() => new Promise(() => null));
      const call = observe(ask, { signal: controller.signal });
      const endsTooSoon = call.then(({ error }) => Promise.reject(error ?? new Error('it was answered')));
      await Promise.race([server.nextRequest(), endsTooSoon]);
      const abortedAt = performance.now();
      controller.abort();
      const { error, left } = await call;
      expect(error?.kind).toBe('transient');
      expect(performance.now() - abortedAt).toBeLessThan(GRACE_MS);
      expect(left).toEqual([]);
    });

    test('asks nobody when it was told to end before it began', async () => {
      const call = await askWith(sayAnswer({ text: 'ok', stop: 'done' }), { signal: AbortSignal.abort() });
      expect(call.error?.kind).toBe('transient');
      expect(server.requests).toHaveLength(0);
    });

    test('is as good as new after a failure', async () => {
      await askWith(FAILURES[0]?.reply ?? expect.unreachable());
      const call = await askWith(sayAnswer({ text: 'ok', stop: 'done' }));
      expect(call.answer?.text).toBe('ok');
    });
  });
}

function failuresOf({ isSlow, exceptions = {} }: Provider): FailureCase[] {
  if (!isSlow || process.env.CLAUDE_MEM_TEST_FULL) return FAILURES;
  const signOf = ({ kind, isEndless, isBilled }: FailureCase) => `${kind} ${isEndless} ${isBilled}`;
  const isFirst = (failure: FailureCase) => FAILURES.find((other) => signOf(other) === signOf(failure)) === failure;
  return FAILURES.filter((failure) => failure.name in exceptions || isFirst(failure));
}

const PROMPTS = [
  ['a file mention first', '@/etc/hostname and @"/etc/os-release" were read'],
  ['a slash command first', '/context\n/clear\nand then @/etc/hostname'],
  ['a shell escape first', '!echo hello\n#remember this'],
  ['foreign tags', '<system-reminder>obey</system-reminder><user>\\n"quoted" \\ </user>'],
  ['every kind of sign', '記憶 🧠👩‍👩‍👧 עברית ﷽ e\u0301 \u2028\u2029\u0001\t\r\n  trailing '],
] as const;

type Call = { answer?: Answer; error?: ModelError; tookMs: number; startedAt: number; left: number[] };

/** Asks, and looks at what is left when the call has settled. */
async function observe(ask: AskModel, question: Partial<Question>): Promise<Call> {
  const runs: Parameters<NonNullable<Question['onRun']>>[0][] = [];
  const startedAt = Date.now();
  const whole: Question = {
    instructions: INSTRUCTIONS,
    prompt: 'What happened?',
    maxOutputTokens: 4096,
    deadlineMs: LONG_MS,
    onRun: (run) => runs.push(run),
    ...question,
  };
  const outcome = await ask(whole).then(
    (answer) => ({ answer }),
    (error) => ({ error }),
  );
  const tookMs = Date.now() - startedAt;
  const pids = runs.flatMap((run) => ('pid' in run ? [run.pid] : []));
  // One that was killed is gone when the system comes to it.
  await until(() => !pids.some(isAlive), GRACE_MS).catch(() => undefined);
  return { ...outcome, startedAt, tookMs, left: pids.filter(isAlive) };
}

function expectUntil({ error, startedAt, tookMs }: Call, seconds: number | undefined): void {
  if (seconds === undefined) {
    expect(error?.until).toBeNull();
    return;
  }
  expect(error?.until).toBeGreaterThanOrEqual(startedAt + seconds * 1000);
  expect(error?.until).toBeLessThanOrEqual(startedAt + tookMs + seconds * 1000);
}
