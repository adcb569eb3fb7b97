// A worker that is killed in the middle of a rebuild: the next one goes on, and the rows are those of a rebuild that nobody disturbed.
import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { cpSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { openStore } from '../../src/store/open.ts';
import { putTurn } from '../../src/turns/turns.ts';
import { checkDocuments } from '../store/check-documents.ts';
import { openShelf } from '../support/memories.ts';
import { bash, userPrompt } from '../support/payloads.ts';
import { createSandbox, type Sandbox } from '../support/sandbox.ts';
import { until } from '../support/until.ts';

const SESSIONS = process.env.CLAUDE_MEM_TEST_FULL ? 60 : 40;
const TURNS = 8;
let disturbed: Sandbox;
let undisturbed: Sandbox;

beforeEach(() => {
  [disturbed, undisturbed] = [createSandbox(), createSandbox()];
  for (const { paths } of [disturbed, undisturbed]) mkdirSync(paths.dataDir, { mode: 0o700 });
  fill(disturbed.paths.database);
  cpSync(disturbed.paths.database, undisturbed.paths.database);
});

afterEach(async () => {
  await disturbed.dispose();
  await undisturbed.dispose();
});

/** Turns with all that is made of them, and nothing of it in the index. */
function fill(path: string): void {
  const db = openStore(path);
  for (let session = 0; session < SESSIONS; session++)
    db.transaction(() => {
      const shelf = openShelf(db, '/home/dev/shop', `session-${session}`);
      for (let turn = 1; turn <= TURNS; turn++) {
        const at = 1_790_000_000_000 + session * 1_000_000 + turn * 1000;
        const words = `number ${session} of ${turn} `;
        shelf.ask(`Ask ${words}`, at);
        shelf.observe(`Observed ${words}`, at + 1, { narrative: words.repeat(20) });
        const place = { sessionId: shelf.sessionId, promptNumber: turn, branch: null, head: null };
        // Decided again in every turn.
        const store = String.fromCharCode(97 + (session % 26), 97 + Math.floor(session / 26), 111, 110);
        const closing = `We decided to keep ${turn + 3} backups of ${store} instead of ${turn + 2}, because the disk is large.`;
        const steps = [{ kind: 'said' as const, text: `Said ${words.repeat(60)}` }];
        putTurn(db, { ...place, startedAt: at, endedAt: at + 5 }, { steps, closing });
      }
    })();
  db.run('DELETE FROM documents');
  db.close();
}

type Counts = { documents: number; turns: number };
const jobOf = async (sandbox: Sandbox): Promise<{ status: string; result: string[]; progress: { counts: Counts } }> =>
  JSON.parse((await sandbox.cli('jobs', '--json')).stdout)[0];

/** All but ids, which depend on where it was interrupted. */
const documents = ({ paths }: Sandbox) => {
  const db = new Database(paths.database, { readonly: true });
  const rows = db
    .query(
      `SELECT d.kind, CASE d.kind WHEN 'observation' THEN 0 ELSE d.ref END AS ref, d.headline, d.parts, d.names, d.whence, d.at FROM documents d ORDER BY d.kind, d.at, d.headline, ref`,
    )
    .all();
  db.close();
  return rows;
};

/** What the rules made of the records, without the ids. */
const derived = (sandbox: Sandbox) => ({
  observations: sandbox.query(
    'SELECT session_id, prompt_number, type, title, narrative, facts, outcome, created_at_epoch AS at FROM observations ORDER BY 1, 2, 4',
  ),
  summaries: sandbox.query('SELECT session_id, prompt_number, request, completed, next_steps FROM summaries ORDER BY 1, 2'),
  replacements: sandbox.query(
    `SELECT older.title AS older, newer.title AS newer, certain, why, words FROM replacements
       JOIN observations older ON older.id = older_id JOIN observations newer ON newer.id = newer_id ORDER BY 1, 2`,
  ),
  steps: sandbox.query('SELECT session_id, prompt_number, text, source, closed_how, closed_prompt_number FROM open_steps ORDER BY 1, 2, 3'),
});

test('kill -9 of the worker, and of the process that does it: it goes on, and nothing is lost or double', async () => {
  await undisturbed.startWorker();
  expect((await undisturbed.cli('rebuild')).stdout).toStartWith(`Went through ${SESSIONS * TURNS} turns: `);
  const wanted = documents(undisturbed);
  // And what the rules make of the records besides.
  expect(wanted.length).toBeGreaterThanOrEqual(SESSIONS * TURNS * 2);

  let kills = 0;
  const watching = disturbed.cli('rebuild', '--json');
  for (let least = 40; kills < 3; kills++, least += SESSIONS * 4) {
    await until(() => disturbed.query('SELECT 1 FROM documents').length > least);
    const pid = await disturbed.startWorker();
    process.kill(pid, 'SIGKILL');
    await killChildOf(await disturbed.startWorker());
  }
  await watching;
  await until(async () => (await jobOf(disturbed)).status === 'done');
  const job = await jobOf(disturbed);
  expect(job.result.at(-1)).toContain('interrupted and resumed');
  // It went on where it was: not from the beginning.
  expect(job.progress.counts.turns).toBeLessThan(SESSIONS * TURNS);
  expect(documents(disturbed)).toEqual(wanted);
  const made = derived(undisturbed);
  for (const rows of [made.observations, made.replacements]) expect(rows.length).toBeGreaterThan(SESSIONS);
  expect(derived(disturbed)).toEqual(made);
  const db = openStore(disturbed.paths.database);
  checkDocuments(db);
  db.close();
});

/** The importing process of a worker, as soon as there is one; none when all is done meanwhile. */
async function killChildOf(worker: number): Promise<void> {
  const isDone = () => disturbed.query("SELECT 1 FROM jobs WHERE kind = 'rebuild' AND status = 'done'").length > 0;
  const child = await until(() => {
    if (isDone()) return 'none';
    const children = readFileSync(`/proc/${worker}/task/${worker}/children`, 'utf8').split(' ').filter(Boolean);
    return children.find((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('importer.js'));
  });
  if (child !== 'none') process.kill(Number(child), 'SIGKILL');
}

test('hooks are taken in meanwhile, and a rebuild that is cancelled leaves what it did', async () => {
  await disturbed.startWorker();
  const watching = disturbed.cli('rebuild', '--json');
  await until(() => disturbed.query('SELECT 1 FROM documents').length > 30);
  await disturbed.hook('new', userPrompt('live', '/home/dev/shop', 'What is going on?'));
  for (let one = 0; one < 5; one++) await disturbed.hook('save', bash('live', '/home/dev/shop', `echo ${one}`, 'ok'));
  await until(() => disturbed.query("SELECT 1 FROM events WHERE kind = 'tool'").length === 5);
  await until(() => readdirSync(disturbed.paths.spool).filter((name) => name.endsWith('.json')).length === 0);
  const { id, status } = JSON.parse((await disturbed.cli('jobs', '--json')).stdout)[0];
  if (status === 'running') await disturbed.cli('jobs', 'cancel', String(id));
  const { stdout } = await watching;
  expect(['cancelled', 'done']).toContain(JSON.parse(stdout).status);
  expect(disturbed.query('SELECT 1 FROM documents').length).toBeGreaterThan(30);
  expect((await disturbed.cli('rebuild')).stdout).toContain('Went through');
  const db = openStore(disturbed.paths.database);
  checkDocuments(db);
  db.close();
});
