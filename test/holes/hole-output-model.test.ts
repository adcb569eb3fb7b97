// A model that answered with a summary alone, or with none, erased what the rules had made of the turn.
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { type FakeModel, say, startFakeModel } from '../support/fake-model.ts';
import { bash, stop, userPrompt } from '../support/payloads.ts';
import { createSandbox, type Sandbox } from '../support/sandbox.ts';
import { until } from '../support/until.ts';

let sandbox: Sandbox;
let model: FakeModel;
let answer: string;
beforeEach(() => {
  sandbox = createSandbox();
  model = startFakeModel(() => say(answer));
  mkdirSync(sandbox.paths.dataDir, { recursive: true, mode: 0o700 });
  const config = { provider: 'openai', model: 'fake', baseUrl: model.baseUrl, quietSeconds: 0, retrySeconds: 0.05 };
  writeFileSync(sandbox.paths.config, JSON.stringify(config), { mode: 0o600 });
});
afterEach(async () => {
  await sandbox.dispose();
  model.close();
});

test.each([
  '<summary><request>Choose a database</request><completed>Chose one.</completed></summary>',
  '<skip_summary/>',
  '<skip_summary reason="routine"/>',
  '<no_observations reason="routine"/>',
])(
  'what the user decided stays when a model answers %s',
  async (said) => {
    answer = said;
    const cwd = sandbox.project('shop');
    await sandbox.startWorker();
    await sandbox.hook('new', userPrompt('s', cwd, 'Use Postgres, not MySQL, for the orders table.', { prompt_id: 'p' }));
    await sandbox.hook('save', bash('s', cwd, 'npm test', '3 pass', { prompt_id: 'p' }));
    await sandbox.hook('summary', stop('s', cwd, 'The orders table uses Postgres now. All tests pass.', { prompt_id: 'p' }));
    await until(() => sandbox.query("SELECT 1 FROM model_calls WHERE status = 'answered'").length > 0);
    await until(() => sandbox.query("SELECT 1 FROM events WHERE status IN ('pending','claimed')").length === 0);
    expect((await sandbox.cli('search', 'Postgres', '--project', 'shop', '--type', 'decision')).stdout).toContain('Postgres');
  },
  240_000,
);
