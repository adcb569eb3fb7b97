// The budget holds over restarts and kills, whatever a call turns out to cost.
import { expect, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { GOOD_ANSWER, say, startFakeModel } from '../support/fake-model.ts';
import { bash, stop, userPrompt } from '../support/payloads.ts';
import { createSandbox, type Sandbox } from '../support/sandbox.ts';
import { until } from '../support/until.ts';

const TURNS = process.env.CLAUDE_MEM_TEST_FULL ? 48 : 12;
const KILLED_AFTER = 4;

const work = async (sandbox: Sandbox, session: string) => {
  const cwd = sandbox.project('shop');
  await sandbox.hook('new', userPrompt(session, cwd, 'Add a cache with a time to live'));
  await sandbox.hook('save', bash(session, cwd, 'npm test', '12 pass'));
  await sandbox.hook('summary', stop(session, cwd, 'Added the cache.'));
};

const isDone = (sandbox: Sandbox, turns: number) => sandbox.query("SELECT 1 FROM batches WHERE status = 'done'").length === turns;

test('answers that never arrive are counted as if they had', async () => {
  const model = startFakeModel(() => new Promise(() => undefined));
  const sandbox = createSandbox();
  mkdirSync(sandbox.paths.dataDir, { mode: 0o700 });
  const limits = { 'budget.dailyTokens': 30_000, quietSeconds: 0, retrySeconds: 0.01, answerSeconds: 0.3 };
  writeFileSync(sandbox.paths.config, JSON.stringify({ provider: 'openai', model: 'fake', baseUrl: model.baseUrl, ...limits }));
  try {
    await sandbox.startWorker();
    for (let turn = 1; turn <= 8; turn++) await work(sandbox, `s${turn}`);
    await until(() => isDone(sandbox, 8));
    // Each may have been worked on to its last token: 4,096 of them.
    expect(model.prompts.length * 4096).toBeLessThanOrEqual(30_000);
    expect(model.prompts.length).toBeGreaterThan(2);
  } finally {
    model.close();
    await sandbox.dispose();
  }
});

test.each([
  ['cheap calls', { 'budget.dailyTokens': 30_000 }, { input: 4000, output: 1000 }],
  ['a price explosion', { 'budget.dailyTokens': 60_000 }, { input: 45_000, output: 4000 }],
  ['a limit of calls', { 'budget.dailyCalls': 5 }, { input: 10, output: 10 }],
])('the budget of a day is never passed by more than one call: %s', async (_, limits, tokens) => {
  const model = startFakeModel(() => say(GOOD_ANSWER, tokens));
  const sandbox = createSandbox();
  mkdirSync(sandbox.paths.dataDir, { mode: 0o700 });
  const settings = { provider: 'openai', model: 'fake', baseUrl: model.baseUrl, quietSeconds: 0, retrySeconds: 0.05, ...limits };
  writeFileSync(sandbox.paths.config, JSON.stringify(settings));
  try {
    await sandbox.startWorker();
    for (let turn = 1; turn <= TURNS; turn++) {
      await work(sandbox, `s${turn}`);
      if (turn % KILLED_AFTER === 0) {
        const pid = await sandbox.workerPid();
        if (pid !== null) process.kill(pid, 'SIGKILL');
        await sandbox.startWorker();
      }
    }
    await until(() => isDone(sandbox, TURNS));
    const perCall = tokens.input + tokens.output;
    if ('budget.dailyTokens' in limits) expect(model.billed()).toBeLessThanOrEqual((limits['budget.dailyTokens'] ?? 0) + perCall);
    else expect(model.prompts.length).toBeLessThanOrEqual(5);
    expect(model.prompts.length).toBeGreaterThan(0);
    expect(sandbox.query("SELECT 1 FROM events WHERE status <> 'done'")).toEqual([]);
    const { stdout } = await sandbox.cli('status');
    expect(stdout).toMatch(/budget\tthe budget of .* a day/);
    const spent = (await sandbox.cli('stats')).stdout;
    for (const of of ['day', 'project', 'session']) expect(spent).toMatch(new RegExp(`^${of} \\S+\\t\\d+ calls, \\d+ input`, 'm'));
    // A call that a kill cut off counts with what it may have cost, also when it never reached the model.
    const counted = Number(/^project shop\t(\d+) calls, /m.exec(spent)?.[1]);
    expect(counted).toBeGreaterThanOrEqual(model.prompts.length);
    expect(counted).toBeLessThanOrEqual(model.prompts.length + TURNS / KILLED_AFTER);
    // Said once to the person, not to every session.
    const said = [];
    for (let at = 0; at < 2; at++) said.push((await sandbox.hear(sandbox.project('shop'))).message);
    expect(said.map((text) => text.includes('The model was not asked: '))).toEqual([true, false]);
  } finally {
    model.close();
    await sandbox.dispose();
  }
});
