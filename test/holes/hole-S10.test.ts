// hole-S10: with ten thousand projects and a full queue a session started four times as slowly as with ten.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from '../../src/store/open.ts';
import { bash, sessionStart, stop } from '../support/payloads.ts';
import { createSandbox, type Sandbox } from '../support/sandbox.ts';
import { createTestWorker, envelopeOf, type TestWorker } from '../support/worker-app.ts';

const EVENTS = 20_000;
const ROUNDS = 30;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'cmem-many-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** As many events wait, of open turns, in as many sessions as there are projects. */
function fill(worker: TestWorker, projects: number): void {
  const db = openStore(worker.paths.database);
  const [now, iso] = [Date.now(), new Date().toISOString()];
  const addProject = db.query('INSERT INTO projects (key, name, root, remote, created_at) VALUES (?, ?, ?, ?, ?)');
  const addSession = db.query(
    `INSERT INTO sessions (host, host_session_id, project_id, cwd, root, status, started_at, started_at_epoch, updated_at, updated_at_epoch)
     VALUES ('claude-code', ?1, ?2, ?3, ?3, 'active', ?4, ?5, ?4, ?5)`,
  );
  const addEvent = db.query(
    `INSERT INTO events (id, session_id, prompt_number, kind, payload, size, status, provenance, created_at, created_at_epoch)
     VALUES (?, ?, 1, 'tool', ?, 1, 'pending', 'hook:save', ?, ?)`,
  );
  const payload = JSON.stringify({ text: 'x'.repeat(1500) });
  db.transaction(() => {
    for (let at = 1; at <= projects; at++) {
      addProject.run(`forge.test/team/p${at}`, `p${at}`, `/work/p${at}`, `forge.test/team/p${at}`, iso);
      addSession.run(`s${at}`, at, `/work/p${at}`, iso, now);
    }
    for (let at = 0; at < EVENTS; at++) addEvent.run(`e${at}`, (at % projects) + 1, payload, iso, now);
  }).immediate();
  db.close();
}

async function prepare(projects: number): Promise<TestWorker> {
  const worker = createTestWorker();
  fill(worker, projects);
  await worker.start();
  return worker;
}

/** Lines to the worker's socket, as hooks send them, until each is answered. */
async function feed({ paths }: Sandbox, envelopes: object[]): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const socket = connect(paths.workerSocket).on('error', reject);
    let answers = 0;
    socket.on('data', (bytes) => {
      answers += bytes.toString('latin1').split('\n').length - 1;
      if (answers === envelopes.length) socket.end(resolve);
    });
    socket.write(envelopes.map((envelope) => `${JSON.stringify(envelope)}\n`).join(''));
  });
}

const MOST_ROUNDS = 60;
const TURNS = 1500;
const SESSIONS = 50;

/** Turns that have ended, more than can be observed while this test looks. */
async function fillQueue(sandbox: Sandbox): Promise<void> {
  const turns = Array.from({ length: TURNS }, (_, at) => {
    const [session, cwd] = [`busy-${at % SESSIONS}`, join(folder, `busy-${at % SESSIONS}`)];
    return [
      envelopeOf('save', { ...bash(session, cwd, `make ${at}`, 'ok '.repeat(200)), tool_use_id: `toolu_${at}` }),
      envelopeOf('summary', { ...stop(session, cwd, `Decided: lane ${at}, the other drops packets.`), prompt_id: `p${at}` }),
    ];
  });
  for (let at = 0; at < TURNS; at += 100) await feed(sandbox, turns.slice(at, at + 100).flat());
}

/** Of the quickest: what else the machine does just then counts for neither. */
const quick = (list: number[]) => list.toSorted((one, other) => one - other)[Math.floor(list.length / 8)] ?? 0;

describe('hole-S10', () => {
  test('a session starts no more slowly while a full queue is observed', async () => {
    const sandboxes = [createSandbox(), createSandbox()] as const;
    for (const sandbox of sandboxes) await sandbox.startWorker();
    await fillQueue(sandboxes[1]);
    const times: [number[], number[]] = [[], []];
    const [idle, busy] = [() => quick(times[0]), () => quick(times[1])];
    // A queue that holds sessions up holds up each of them; of those that it does not, enough are quick sooner or later.
    for (let round = 0; round < 12 || (round < MOST_ROUNDS && busy() >= 1.5 * idle()); round++)
      for (const at of [0, 1] as const) {
        const cwd = sandboxes[at].project('shop');
        times[at].push((await sandboxes[at].hook('context', sessionStart(`start-${round}`, cwd))).ms);
      }
    const [{ n: waiting = 0 } = {}] = sandboxes[1].query<{ n: number }>(
      "SELECT count(*) AS n FROM events WHERE status = 'pending' AND kind = 'stop'",
    );
    for (const sandbox of sandboxes) await sandbox.dispose();
    console.log(`hole-S10: ${idle().toFixed(0)} ms, ${busy().toFixed(0)} ms while ${waiting} turns wait (${times[0].length} rounds)`);
    expect(waiting).toBeGreaterThan(0);
    expect(busy() / idle()).toBeLessThan(1.5);
  });

  test('a session starts no more slowly with ten thousand projects than with ten', async () => {
    const workers = [await prepare(10), await prepare(10_000)];
    const times: [number[], number[]] = [[], []];
    const [few, many] = [() => quick(times[0]), () => quick(times[1])];
    // In turns: what else the machine does counts for both. What every start has to pay is paid by the quickest, too.
    for (let round = 0; round < ROUNDS || (round < 4 * ROUNDS && many() >= 1.5 * few()); round++)
      for (const [at, worker] of workers.entries()) {
        const cwd = join(folder, `shop-${round}`);
        mkdirSync(cwd, { recursive: true });
        const began = performance.now();
        await worker.send('context', sessionStart(`start-${round}`, cwd));
        times[at]?.push(performance.now() - began);
      }
    for (const worker of workers) await worker.dispose();
    console.log(`hole-S10: ${few().toFixed(1)} ms with 10 projects, ${many().toFixed(1)} ms with 10,000 (${times[0].length} rounds)`);
    expect(many() / few()).toBeLessThan(1.5);
  });
});
