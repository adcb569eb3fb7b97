// Memories that lost their documents, or never had any: a reindex finds them again, in the order of time, whatever interrupts it.
import type { Database } from 'bun:sqlite';
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { hashParts } from '../../src/core/ids.ts';
import { insertObservation } from '../../src/memory/observations.ts';
import { documentMore } from '../../src/store/documents.ts';
import { MIGRATIONS } from '../../src/store/migrations/index.ts';
import { openStore } from '../../src/store/open.ts';
import { until } from '../support/until.ts';
import { createTestWorker, type TestWorker } from '../support/worker-app.ts';

const SESSIONS = 3;
const TURNS = 40;

let worker: TestWorker;
beforeEach(() => {
  worker = createTestWorker();
});
afterEach(() => worker.dispose());

/** A prompt, an observation and a summary in each turn, turns of the sessions by turns; as schema 2 stored them. */
function makeOldStore(): void {
  rmSync(worker.paths.database);
  const db = openStore(worker.paths.database, MIGRATIONS.slice(0, 2));
  db.run("INSERT INTO projects (key, name, root, created_at) VALUES ('/home/dev/shop', 'shop', '/home/dev/shop', '2026')");
  const fill = db.transaction(() => {
    for (let session = 1; session <= SESSIONS; session++) {
      db.run(
        `INSERT INTO sessions (host, host_session_id, project_id, cwd, root, started_at, started_at_epoch, updated_at, updated_at_epoch, status)
         VALUES ('claude-code', 'old-${session}', 1, '/', '/', '2026', 1, '2026', 1, 'completed')`,
      );
    }
    for (let turn = 1; turn <= TURNS; turn++) for (let session = 1; session <= SESSIONS; session++) insertTurn(db, session, turn);
  });
  fill.immediate();
  db.close(true);
}

function insertTurn(db: Database, session: number, turn: number): void {
  const at = turn * 1000 + session;
  const name = `s${session}t${turn}`;
  const [facts, files] = [turn === 2 ? 'broken [' : '[]', `["src/file${turn}.ts"]`];
  const made = hashParts(['change', `made${name}`, null, null, facts, '[]', '[]', files, null]);
  const summed = hashParts([`sum${name}`, null, null, null, null, '[]', '[]', null]);
  db.run(
    `INSERT INTO prompts (session_id, prompt_number, text, private, created_at, created_at_epoch)
     VALUES (${session}, ${turn}, 'ask${name}', 0, '2026', ${at})`,
  );
  db.run(
    `INSERT INTO observations (session_id, project_id, prompt_number, type, title, facts, files_modified, origin, trust, tokens, hash, created_at, created_at_epoch)
     VALUES (${session}, 1, ${turn}, 'change', 'made${name}', '${facts}', '${files}', 'agent', 1, 9, '${made}', '2026', ${at + 1})`,
  );
  db.run(
    `INSERT INTO summaries (session_id, project_id, prompt_number, request, hash, created_at, created_at_epoch)
     VALUES (${session}, 1, ${turn}, 'sum${name}', '${summed}', '2026', ${at + 2})`,
  );
}

/** The headlines of a session's documents, in their order. */
const headlines = (session: number) =>
  worker
    .rows<{ headline: string }>(`SELECT headline FROM documents WHERE session_id = ${session} ORDER BY id`)
    .map(({ headline }) => headline);
const inOrder = (session: number) =>
  Array.from({ length: TURNS }, (_, at) => ['ask', 'made', 'sum'].map((word) => `${word}s${session}t${at + 1}`)).flat();

test('all are found: by words, in the timeline, by file, and beside their neighbours', async () => {
  makeOldStore();
  await worker.start();
  await worker.call('POST', '/api/reindex', {});
  await until(() => headlines(SESSIONS).length === 3 * TURNS);
  for (let session = 1; session <= SESSIONS; session++) expect(headlines(session)).toEqual(inOrder(session));
  const found = await worker.call('GET', '/api/search?query=mades2t7&all=true');
  const id = found.body.results.find(({ title }: { title: string }) => title === 'mades2t7')?.id;
  expect(id).toBeDefined();
  const timeline = await worker.call('GET', `/api/timeline?anchor=${id}&depth_before=2&depth_after=2`);
  expect(timeline.body.items).toHaveLength(5);
  const history = await worker.call('GET', '/api/observations/by-file?path=src/file9.ts&project=shop');
  expect(history.body.total).toBe(SESSIONS);
  const [near] = worker.rows<{ neighbours: string }>("SELECT neighbours FROM documents WHERE headline = 'mades2t7'");
  expect(near?.neighbours.split('\n').sort()).toEqual(['asks2t7', 'asks2t8', 'sums2t6', 'sums2t7']);
  expect(worker.problems).toEqual([]);
});

test('a slice is small, and whoever is killed between two goes on', async () => {
  makeOldStore();
  const db = openStore(worker.paths.database);
  let next: number | null = documentMore(db);
  expect(headlines(1)).toEqual(inOrder(1).slice(0, 25));
  // Meanwhile the session goes on.
  const owner = { sessionId: 1, projectId: 1, promptNumber: 41, batchId: null, isProvisional: false };
  const empty = { subtitle: null, narrative: null, facts: [], concepts: [], filesRead: [], filesModified: [] };
  const draft = { ...empty, outcome: null, sources: [], origin: 'agent' as const, type: 'change' as const };
  insertObservation(db, owner, { ...draft, title: 'something new', at: 99_000 });
  expect(next).toBe(1);
  for (next = 0; next !== null; ) next = documentMore(db, next);
  expect(headlines(1)).toEqual([...inOrder(1), 'something new']);
  expect(documentMore(db)).toBeNull();
  db.close(true);
});
