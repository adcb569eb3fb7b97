// A large offline queue is stored beside serving: sessions start at once, and a private prompt in it still hides what follows it.
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fetchStatus } from '../../src/cli/worker-state.ts';
import { sendLine } from '../../src/client/send.ts';
import { nameSpooled } from '../../src/core/envelope.ts';
import { bash, sessionStart, userPrompt } from '../support/payloads.ts';
import { reportFault } from '../support/report-fault.ts';
import { createSandbox, type Sandbox } from '../support/sandbox.ts';
import { until } from '../support/until.ts';
import { envelopeOf } from '../support/worker-app.ts';

/** Q4 of facts/faults.md asks for 100,000; the issue for 30,000. */
const EVENTS = process.env.CLAUDE_MEM_TEST_FULL ? 100_000 : 10_000;
const SESSIONS = 50;
const MOST_RSS = 400e6;

let sandbox: Sandbox;
beforeEach(() => {
  sandbox = createSandbox();
});
afterEach(() => sandbox.dispose());

const spooled = () => readdirSync(sandbox.paths.spool).filter((name) => name.endsWith('.json')).length;

function fillQueue(cwd: string): void {
  mkdirSync(sandbox.paths.spool, { recursive: true, mode: 0o700 });
  const from = Date.now() - EVENTS;
  const keep = (at: number, event: 'new' | 'save', payload: object, more = {}) => {
    const envelope = envelopeOf(event, payload, { receivedAt: from + at, ...more });
    writeFileSync(join(sandbox.paths.spool, nameSpooled(envelope)), JSON.stringify(envelope));
  };
  for (let at = 0; at < EVENTS - 1; at++) {
    const more = { tool_use_id: `toolu_${at}`, prompt_id: `p${at % SESSIONS}` };
    keep(at, 'save', bash(`s${at % SESSIONS}`, cwd, `echo ${at}`, 'ok', more));
  }
  // The last of all: what follows it comes by the socket.
  keep(EVENTS - 1, 'new', userPrompt('s7', cwd, '', { prompt_id: 'secret' }), { private: true });
}

test(`${EVENTS} events wait: a session starts within its second, order is kept, memory stays small`, async () => {
  const cwd = sandbox.project('shop');
  fillQueue(cwd);
  const since = performance.now();
  let sessions = 0;
  let waiting = EVENTS;
  // On a busy machine one may hear nothing within its second: then the next one counts, as long as enough is waiting.
  const start = await until(async () => {
    const run = await sandbox.hook('context', sessionStart(`new-${++sessions}`, cwd));
    waiting = spooled();
    expect(waiting).toBeGreaterThan(EVENTS / 10);
    return run.ms < 1500 && run.stdout.includes('systemMessage') ? run : null;
  });
  const send = (payload: object) => sendLine(sandbox.paths.workerSocket, JSON.stringify(envelopeOf('save', payload)), 60_000);
  // Of a session that has nothing here: soon; of one that has a private prompt here: after that, and so never.
  const [live] = await Promise.all([
    send(bash('live', cwd, 'ls', 'ok', { tool_use_id: 'toolu_live' })),
    send(bash('s7', cwd, 'cat /private', 'HIDDEN-WORD', { tool_use_id: 'toolu_hidden', prompt_id: 'secret' })),
  ]);
  expect(live).toMatchObject({ kind: 'answer' });
  let rss = 0;
  await until(async () => {
    const status = await fetchStatus(sandbox.paths);
    rss = Math.max(rss, status?.rss ?? 0);
    return status?.queue.spooled === 0;
  }, 900_000);
  const ids = sandbox.query<{ id: string }>("SELECT tool_use_id AS id FROM events WHERE kind = 'tool'").map(({ id }) => id);
  const lost = EVENTS - 1 - ids.filter((id) => /^toolu_\d+$/.test(id)).length;
  reportFault({ fault: 'Q4', runs: EVENTS, lost, twice: ids.length - new Set(ids).size, since });
  console.log(`session started after ${start.ms.toFixed(0)} ms with ${waiting} waiting; at most ${(rss / 1e6).toFixed(0)} MB`);
  expect(lost).toBe(0);
  expect(ids).toContain('toolu_live');
  expect(ids).not.toContain('toolu_hidden');
  expect(rss).toBeLessThan(MOST_RSS);
}, 1_200_000);
