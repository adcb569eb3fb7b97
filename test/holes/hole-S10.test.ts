// hole-S10: with ten thousand projects and a full queue a session started four times as slowly as with ten.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from '../../src/store/open.ts';
import { sessionStart } from '../support/payloads.ts';
import { createTestWorker, type TestWorker } from '../support/worker-app.ts';

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

describe('hole-S10', () => {
  test('a session starts no more slowly with ten thousand projects than with ten', async () => {
    const workers = [await prepare(10), await prepare(10_000)];
    const times: number[][] = [[], []];
    // In turns: what else the machine does counts for both.
    for (let round = 0; round < ROUNDS; round++)
      for (const [at, worker] of workers.entries()) {
        const cwd = join(folder, `shop-${round}`);
        mkdirSync(cwd, { recursive: true });
        const began = performance.now();
        await worker.send('context', sessionStart(`start-${round}`, cwd));
        times[at]?.push(performance.now() - began);
      }
    for (const worker of workers) await worker.dispose();
    const [few = 1, many = 0] = times.map((list) => list.sort((one, other) => one - other)[ROUNDS / 2] ?? 0);
    console.log(`hole-S10: ${few.toFixed(1)} ms with 10 projects, ${many.toFixed(1)} ms with 10,000`);
    expect(many / few).toBeLessThan(1.5);
  }, 60_000);
});
