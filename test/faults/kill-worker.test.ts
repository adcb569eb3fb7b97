// Worker killed with -9 again and again while clients deliver: nothing accepted is lost, nothing is there twice.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { runChild } from '../../src/backup/copies.ts';
import { readDamage } from '../../src/backup/damage.ts';
import { sendLine } from '../../src/client/send.ts';
import type { HookCommand } from '../../src/core/envelope.ts';
import { hashParts } from '../../src/core/ids.ts';
import { deliver } from '../../src/hook/deliver.ts';
import * as fallback from '../../src/hook/spool.ts';
import { bash, sessionEnd, stop, userPrompt } from '../support/payloads.ts';
import { reportFault } from '../support/report-fault.ts';
import { createSandbox, type Sandbox } from '../support/sandbox.ts';
import { until } from '../support/until.ts';

const IS_FULL = Boolean(process.env.CLAUDE_MEM_TEST_FULL);
const CYCLES = IS_FULL ? 1000 : 24;
const CLIENTS = 4;
const WORKER = join(import.meta.dir, '../../dist/worker.js');

let sandbox: Sandbox;
beforeAll(() => {
  sandbox = createSandbox();
});
afterAll(() => sandbox.dispose());

const startWorker = () => Bun.spawn([process.execPath, WORKER], { env: sandbox.env, stdio: ['ignore', 'ignore', 'ignore'] });
const isUp = async (withinMs = 200) => (await sendLine(sandbox.paths.workerSocket, '{"type":"ping","id":"t"}', withinMs)).kind === 'answer';
/** However busy the machine is. */
const untilUp = () => until(() => isUp(5000), 120_000);

const spooled = () => readdirSync(sandbox.paths.spool).filter((name) => name.endsWith('.json'));
const aside = () => {
  const folder = `${sandbox.paths.spool}/bad`;
  return existsSync(folder) ? readdirSync(folder) : [];
};

const loadFallback = async () => fallback;
/** The test starts it itself. */
const loadStarter = async () => ({ startWorker: () => undefined, isStarting: () => false });

async function deliverEnd(client: number): Promise<void> {
  const payload = sessionEnd(`client-${client}`, '/home/dev/shop');
  const id = hashParts(['end', String(client)]);
  const envelope = { id, v: 1, host: 'claude-code', event: 'cleanup', receivedAt: Date.now(), payload } as const;
  // On a busy machine it may go the way of all that nobody answers in time.
  await deliver(envelope, { dataDir: sandbox.paths.dataDir, timeoutMs: 300, waitForStart: false, isKept: true, loadStarter, loadFallback });
}

/** Shut: the clients hold back, so that the worker comes to distil and is killed at that. */
type Gate = { isShut: boolean; isOver: boolean };

/** A client's life: turns of one prompt, some tools and a stop, each delivered until it is accepted somewhere. */
async function deliverTurns(client: number, gate: Gate) {
  const accepted: { id: string; kind: string }[] = [];
  const paths = sandbox.paths;
  const give = async (event: HookCommand, kind: string, payload: unknown) => {
    const id = hashParts([event, JSON.stringify(payload)]);
    const envelope = { id, v: 1, host: 'claude-code', event, receivedAt: Date.now(), payload };
    await deliver(envelope, { dataDir: paths.dataDir, timeoutMs: 300, waitForStart: false, isKept: true, loadStarter, loadFallback });
    accepted.push({ id, kind });
  };
  for (let turn = 0; !gate.isOver; turn++) {
    await until(() => !gate.isShut || gate.isOver, 180_000);
    const session = `client-${client}`;
    const more = { prompt_id: `prompt-${client}-${turn}` };
    await give('new', 'prompt', userPrompt(session, '/home/dev/shop', `Change the colour to ${turn}`, more));
    for (let tool = 0; tool < 3; tool++) {
      await give('save', 'tool', bash(session, '/home/dev/shop', `echo ${turn} ${tool}`, 'ok', more));
    }
    await give('summary', 'stop', stop(session, '/home/dev/shop', `Turn ${turn}: changed the colour.`, more));
    await Bun.sleep(200);
  }
  return accepted;
}

test(`${CYCLES} times killed, every accepted event is in the store exactly once`, async () => {
  const since = performance.now();
  const gate: Gate = { isShut: false, isOver: false };
  const clients = Array.from({ length: CLIENTS }, (_, client) => deliverTurns(client, gate));
  let killedUnready = 0;
  for (let cycle = 0; cycle < CYCLES; cycle++) {
    const worker = startWorker();
    // From "not even started" to "in the middle of distilling": every moment has its turn.
    gate.isShut = cycle % 8 === 0;
    // Distilling begins when the worker has been up and undisturbed for one or two tenths of a second.
    if (gate.isShut) await untilUp();
    await Bun.sleep(gate.isShut ? 205 + ((cycle * 53) % 100) : 15 + ((cycle * 37) % 110));
    if (!gate.isShut && !(await isUp())) killedUnready++;
    worker.kill('SIGKILL');
    await worker.exited;
  }
  gate.isOver = true;
  const accepted = (await Promise.all(clients)).flat();
  const distilledBefore = sandbox.query('SELECT id FROM summaries').length;

  const last = startWorker();
  try {
    await untilUp();
    await until(() => spooled().length === 0, 300_000);
    // What two of them were killed at by chance is tried once more by one that lives for a minute, or when somebody asks.
    if (!IS_FULL && aside().length > 0) await sandbox.cli('doctor', '--fix');
    await until(() => aside().length === 0, 120_000);
    // Before thousands of turns are processed, which takes longer than all the kills.
    const stored = sandbox.query<{ id: string }>("SELECT id FROM events WHERE kind <> 'end'");
    const ids = new Set(stored.map(({ id }) => id));
    const lost = accepted.filter(({ id }) => !ids.has(id)).length;
    reportFault({ fault: 'kill -9', runs: CYCLES, lost, twice: stored.length - ids.size, since });
    expect(stored.length).toBe(accepted.length);
    expect(new Set(stored.map(({ id }) => id))).toEqual(new Set(accepted.map(({ id }) => id)));
    // A tool event that came after the stop of its turn waits for the next one; the end of its session is that.
    for (let client = 0; client < CLIENTS; client++) await deliverEnd(client);
    // One row is enough: to read thousands again and again would take the worker its processor.
    const isDone = (...states: string[]) =>
      sandbox.query(`SELECT 1 FROM events WHERE status IN ('${states.join("','")}') LIMIT 1`).length === 0;
    const limit = IS_FULL ? 1_200_000 : 300_000;
    await until(() => isDone('pending', 'claimed'), limit);
    // A turn that workers were killed at by chance waits likewise for one that lives for a minute, or for somebody who asks.
    if (!IS_FULL && !isDone('quarantined')) await sandbox.cli('doctor', '--fix');
    await until(() => isDone('pending', 'claimed', 'quarantined'), limit);
    const stops = accepted.filter(({ kind }) => kind === 'stop').length;
    expect(sandbox.query<{ n: number }>('SELECT count(*) AS n FROM summaries')).toEqual([{ n: stops }]);
    expect(sandbox.query('PRAGMA quick_check')).toEqual([{ quick_check: 'ok' }]);
    expect(spooled()).toEqual([]);
    // Whatever a worker was killed at, its sums and its mark never take it for damage.
    expect(await runChild({ kind: 'check', paths: sandbox.paths, isDeep: true })).toMatchObject({ damage: [] });
    expect(readDamage(sandbox.paths)).toBeNull();
    // The kills really fell on both sides of the door's opening, or the test shows nothing.
    expect(killedUnready).toBeGreaterThan(CYCLES / 100);
    expect(killedUnready).toBeLessThan(CYCLES * 0.99);
    expect(distilledBefore).toBeGreaterThan(CYCLES / 100);
    console.log(
      `${accepted.length} events in ${CYCLES} cycles, ${killedUnready} killed before they answered, ${distilledBefore} turns observed in between`,
    );
  } finally {
    last.kill('SIGTERM');
    await last.exited;
  }
}, 3_000_000);
