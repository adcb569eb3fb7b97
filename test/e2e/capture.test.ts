// Everything that a session did is in the store, once: also what failed, and what a subagent did.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { expectUndisturbed } from './hook-reports.ts';
import { readMemory } from './memory-db.ts';
import { createSandbox, type Sandbox, type SandboxRun, TEST_TIMEOUT_MS } from './sandbox.ts';
import { expectEveryToolStoredOnce } from './tool-ledger.ts';
import { bash, read } from './work-scripts.ts';

setDefaultTimeout(TEST_TIMEOUT_MS);

let sandbox: Sandbox;
let repo: string;

beforeAll(async () => {
  sandbox = await createSandbox();
  repo = sandbox.makeRepo('shop');
  const { scripts } = sandbox.mock;
  scripts.set('explore', [{ tools: [bash('echo from the subagent'), read(`${repo}/.git/HEAD`)] }, { text: REPORT }]);
  // In the background the turn may end before the agent does, and its report brings one more turn.
  scripts.set('background', [{ tools: [agent({})] }, { text: 'It works.' }, { text: 'It reported.' }]);
  scripts.set('foreground', [{ tools: [agent({ run_in_background: false })] }, { text: 'It reported.' }]);
  scripts.set('failing', [
    { tools: [bash('echo the disk is full >&2; exit 3'), read(`${repo}/no-such-file`)] },
    { tools: [bash('true')] },
    { text: 'Two of three failed.' },
  ]);
});

afterAll(() => sandbox.close());

const REPORT = 'The cache lives in cardamom.';

function agent(options: object) {
  const input = { description: 'look for the cache', prompt: '[[mock:explore]] Where is the cache?' };
  return { name: 'Agent', input: { ...input, subagent_type: 'general-purpose', ...options } };
}

/** In the background the news of a finished agent comes to UserPromptSubmit, as if a person had typed it. */
test('what a subagent in the background did and reported is captured', async () => {
  const run = await work('[[mock:background]] Have the cache found');
  expect(payloads(run, 'subagent').filter((payload) => payload.includes(REPORT))).toHaveLength(1);
  expect(payloads(run, 'prompt')).toHaveLength(1);
});

test('so is what one in the foreground did, and a failing tool with its error', async () => {
  const run = await work('[[mock:foreground]] Have the cache found', '[[mock:failing]] Try it');
  expect(payloads(run, 'subagent').filter((payload) => payload.includes(REPORT))).toHaveLength(1);
  expect(payloads(run, 'prompt')).toHaveLength(2);
  const tools = payloads(run, 'tool');
  expect(tools.filter((payload) => payload.includes('Exit code 3'))).toHaveLength(1);
  expect(tools.filter((payload) => payload.includes('File does not exist'))).toHaveLength(1);
  // This version sends nothing that we do not know.
  expect(readMemory(sandbox.dataDir, "SELECT name FROM counters WHERE name LIKE 'unknown-%'")).toEqual([]);
});

async function work(...turns: string[]): Promise<SandboxRun> {
  const run = await sandbox.run({ cwd: repo, turns });
  expectUndisturbed(run);
  await expectEveryToolStoredOnce(sandbox);
  return run;
}

function payloads({ sessionIds: [session = ''] }: SandboxRun, kind: string): string[] {
  const sql = `SELECT e.payload FROM events e JOIN sessions s ON s.id = e.session_id
    WHERE s.host_session_id = ? AND e.kind = ? ORDER BY e.seq`;
  return readMemory<{ payload: string }>(sandbox.dataDir, sql, session, kind).map((row) => row.payload);
}
