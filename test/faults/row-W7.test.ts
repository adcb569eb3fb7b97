// W7: a worker that is stopped for a while (a laptop that sleeps) or told to end in the middle of its work: nothing is lost, nothing done twice.
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { bash, nextId, stop, userPrompt } from '../support/payloads.ts';
import { reportFault } from '../support/report-fault.ts';
import { createSandbox, type Sandbox } from '../support/sandbox.ts';
import { until } from '../support/until.ts';

const ASLEEP_MS = process.env.CLAUDE_MEM_TEST_FULL ? 60_000 : 1500;

let sandbox: Sandbox;
let cwd: string;
beforeEach(() => {
  sandbox = createSandbox();
  cwd = sandbox.project('shop');
});
afterEach(() => sandbox.dispose());

async function turn(session: string, prompt: string): Promise<string> {
  const id = nextId('toolu');
  const more = { prompt_id: prompt };
  await sandbox.hook('new', userPrompt(session, cwd, `Change ${prompt}`, more));
  await sandbox.hook('save', bash(session, cwd, `npm test ${prompt}`, 'ok', { ...more, tool_use_id: id }));
  await sandbox.hook('summary', stop(session, cwd, `Changed ${prompt}, because it was slow.`, more));
  return id;
}

async function check(fault: string, turns: string[], since: number): Promise<void> {
  await until(() => sandbox.query('SELECT id FROM events').length >= 3 * turns.length);
  await until(() => sandbox.query("SELECT 1 FROM events WHERE status IN ('pending','claimed')").length === 0);
  const ids = sandbox.query<{ id: string }>("SELECT tool_use_id AS id FROM events WHERE kind = 'tool'").map(({ id }) => id);
  const summaries = sandbox.query('SELECT id FROM summaries').length;
  const lost = turns.filter((id) => !ids.includes(id)).length;
  const twice = ids.length - new Set(ids).size + Math.max(0, summaries - turns.length);
  reportFault({ fault, runs: turns.length, lost, twice, since });
  expect({ lost, twice, summaries }).toEqual({ lost: 0, twice: 0, summaries: turns.length });
}

test(`stopped for ${ASLEEP_MS / 1000} s in the middle of its work`, async () => {
  const since = performance.now();
  const pid = await sandbox.startWorker();
  const turns = [await turn('s', 'a')];
  process.kill(pid, 'SIGSTOP');
  const endsAt = performance.now() + ASLEEP_MS;
  while (performance.now() < endsAt || turns.length < 3) turns.push(await turn('s', nextId('b')));
  process.kill(pid, 'SIGCONT');
  await check('W7', turns, since);
  expect(await sandbox.workerPid()).toBe(pid);
});

test('told to end right after a turn, again and again', async () => {
  const since = performance.now();
  const turns: string[] = [];
  for (let run = 0; run < 4; run++) {
    const pid = await sandbox.startWorker();
    turns.push(await turn('s', nextId('c')));
    process.kill(pid, 'SIGTERM');
    await until(async () => (await sandbox.workerPid()) !== pid);
  }
  await sandbox.startWorker();
  await check('W7', turns, since);
});
