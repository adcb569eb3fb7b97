// Our own observer may run Claude Code; what happens there is not part of anybody's memory.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { expectUndisturbed, startReports } from './hook-reports.ts';
import { readMemory } from './memory-db.ts';
import { createSandbox, type Sandbox, TEST_TIMEOUT_MS } from './sandbox.ts';
import { addFeature } from './work-scripts.ts';

setDefaultTimeout(TEST_TIMEOUT_MS);

let sandbox: Sandbox;
let repo: string;

beforeAll(async () => {
  sandbox = await createSandbox();
  repo = sandbox.makeRepo('shop');
  for (const word of ['anchovy', 'bergamot', 'cardamom']) sandbox.mock.scripts.set(word, addFeature(repo, word));
});

afterAll(() => sandbox.close());

const add = (word: string, env: Record<string, string> = {}) =>
  sandbox.run({ cwd: repo, turns: [`[[mock:${word}]] Please add ${word}`], env });
const observe = (word: string) => add(word, { CLAUDE_MEM_OBSERVER: '1' });

test('a run of the observer leaves no trace and starts no worker', async () => {
  expectUndisturbed(await observe('anchovy'));
  // The sandbox's own settings.
  expect(readdirSync(sandbox.dataDir)).toEqual(['config.json']);
});

test('a run of the observer beside ordinary ones is told nothing and not captured', async () => {
  const ordinary = await add('bergamot');
  expectUndisturbed(ordinary);
  const observer = await observe('cardamom');
  expectUndisturbed(observer);
  expect(startReports(observer)[0]?.context).toBe('');
  // Stopping brings in all that was still on its way.
  await sandbox.worker.stop();
  const sql = 'SELECT host_session_id AS id FROM sessions';
  const sessions = readMemory<{ id: string }>(sandbox.dataDir, sql);
  expect(sessions.map(({ id }) => id)).toEqual(ordinary.sessionIds);
});
