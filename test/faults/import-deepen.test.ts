// A model is asked about the past only by whoever says so: then about the newest sessions, also those that were read before.
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLines } from '../support/claude-lines.ts';
import { type FakeModel, GOOD_ANSWER, say, startFakeModel } from '../support/fake-model.ts';
import { createSandbox, type Sandbox } from '../support/sandbox.ts';
import { createTranscripts, type Transcripts } from '../support/transcripts.ts';
import { until } from '../support/until.ts';

let sandbox: Sandbox;
let model: FakeModel;
let past: Transcripts;

beforeEach(() => {
  model = startFakeModel(() => say(GOOD_ANSWER));
  sandbox = createSandbox();
  past = createTranscripts();
  mkdirSync(sandbox.paths.dataDir, { mode: 0o700, recursive: true });
  const settings = { provider: 'openai', model: 'fake', baseUrl: model.baseUrl };
  writeFileSync(sandbox.paths.config, JSON.stringify(settings));
  for (let number = 0; number < 6; number++) {
    const from = Date.parse('2026-03-02T09:00:00Z') + number * 3_600_000;
    const { prompt, bash, say: close } = createLines({ session: `s${number}`, from });
    const lines = [prompt(`Add the cache ${number}`, `p${number}`), ...bash(`t${number}`, 'npm test', '12 pass')];
    past.write(join('shop', `s${number}.jsonl`), [...lines, close(`Added the cache ${number}.`)], from);
  }
});

afterEach(async () => {
  model.close();
  await sandbox.dispose();
  past.dispose();
});

const counts = () =>
  sandbox.query<{ session: string; observer: string }>(
    `SELECT s.host_session_id AS session, b.observer FROM batches b JOIN sessions s ON s.id = b.session_id
     WHERE b.status = 'done' ORDER BY session`,
  );
const byModel = () => counts().flatMap(({ session, observer }) => (observer === 'model' ? session : []));

test('first for nothing, then deepened', async () => {
  await sandbox.person('import', past.folder, '--json');
  expect(counts()).toHaveLength(6);
  expect(byModel()).toEqual([]);
  await sandbox.person('import', past.folder, '--json');
  expect(model.prompts).toEqual([]);

  await sandbox.person('import', past.folder, '--deepen', '2', '--json');
  await until(() => byModel().length === 2);
  expect(byModel()).toEqual(['s4', 's5']);
  expect(model.prompts).toHaveLength(2);
  expect(sandbox.query('SELECT id FROM prompts')).toHaveLength(6);
  expect(sandbox.query("SELECT id FROM events WHERE kind = 'tool'")).toHaveLength(6);

  // What a model has seen is not paid for twice.
  await sandbox.person('import', past.folder, '--deepen', '3', '--json');
  await until(() => byModel().length === 3);
  expect(byModel()).toEqual(['s3', 's4', 's5']);
  expect(model.prompts).toHaveLength(3);
});

test('an import that is cancelled or killed in the middle leaves nothing that a model is asked about', async () => {
  for (let number = 0; number < 200; number++) {
    const { prompt, bash, say: close } = createLines({ session: `many-${number}`, from: Date.now() - 7_200_000 });
    const lines = [prompt(`Do ${number}`, `m${number}`), ...bash(`many${number}`, 'npm test', '12 pass')];
    past.write(join('many', `many-${number}.jsonl`), [...lines, close(`Did ${number}.`)], Date.now() - 7_200_000);
  }
  await sandbox.startWorker();
  const child = sandbox.person('import', past.folder, '--json');
  await until(() => sandbox.query('SELECT 1 FROM sessions').length > 5);
  await sandbox.cli('jobs', 'cancel', '1');
  await child;
  const waiting = () => sandbox.query("SELECT 1 FROM events WHERE status IN ('pending','claimed')").length;
  await until(() => waiting() === 0);
  expect(model.prompts).toEqual([]);
  expect(sandbox.query("SELECT 1 FROM batches WHERE observer = 'model' OR status = 'waiting'")).toEqual([]);
});
