// What a person is told once at the start of a session: through the built hook and a real worker.
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { fail, GOOD_ANSWER, say, startFakeModel } from '../support/fake-model.ts';
import { bash, stop, userPrompt } from '../support/payloads.ts';
import { createSandbox, type Sandbox } from '../support/sandbox.ts';
import { until } from '../support/until.ts';

let sandbox: Sandbox;
beforeEach(() => {
  sandbox = createSandbox();
  mkdirSync(sandbox.paths.dataDir, { mode: 0o700 });
});
afterEach(() => sandbox.dispose());

const messageAtStart = async () => (await sandbox.hear(sandbox.project('shop'))).message;

test('the question whether the login may be used is asked once, of a person, with the commands', async () => {
  await sandbox.startWorker();
  sandbox.env.CLAUDE_CODE_ENTRYPOINT = 'sdk-cli';
  expect(await messageAtStart()).not.toContain('claudeLogin');
  sandbox.env.CLAUDE_CODE_ENTRYPOINT = 'cli';
  const asked = await messageAtStart();
  expect(asked).toContain('`claude-mem config set claudeLogin allow`');
  expect(asked).toContain('`claude-mem config set claudeLogin deny`');
  expect(asked).toContain('200,000 tokens of sonnet a day');
  expect(await messageAtStart()).not.toContain('claudeLogin');
});

test('nobody is asked who has decided', async () => {
  writeFileSync(sandbox.paths.config, JSON.stringify({ claudeLogin: 'deny' }));
  await sandbox.startWorker();
  expect(await messageAtStart()).not.toContain('claudeLogin');
});

test('a refused key is told once, also over a restart, and again after it was accepted in between', async () => {
  const model = startFakeModel(() => fail(401));
  writeFileSync(sandbox.paths.config, JSON.stringify({ provider: 'openai', model: 'm', baseUrl: model.baseUrl, quietSeconds: 0 }));
  const refused = () => sandbox.query("SELECT 1 FROM model_pauses WHERE kind = 'auth'").length === 1;
  try {
    await sandbox.startWorker();
    await work('one');
    await until(refused);
    expect(await messageAtStart()).toContain('The model refuses: ');
    expect(await messageAtStart()).not.toContain('refuses');
    await sandbox.cli('restart');
    await until(refused);
    expect(await messageAtStart()).not.toContain('refuses');
    model.reply = () => say(GOOD_ANSWER);
    await sandbox.cli('restart');
    await until(() => sandbox.query("SELECT 1 FROM batches WHERE observer = 'model'").length === 1);
    model.reply = () => fail(401);
    await work('two');
    await until(refused);
    expect(await messageAtStart()).toContain('The model refuses: ');
  } finally {
    model.close();
  }
});

async function work(session: string): Promise<void> {
  const cwd = sandbox.project('shop');
  await sandbox.hook('new', userPrompt(session, cwd, 'Add a cache'));
  await sandbox.hook('save', bash(session, cwd, 'npm test', '3 pass'));
  await sandbox.hook('summary', stop(session, cwd, 'Added the cache.'));
}
