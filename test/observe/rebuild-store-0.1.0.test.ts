// A store made by 0.1.0, which kept no records, gets them from the transcripts that are still there: nothing that was gone comes with them.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { chmodSync, cpSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { GONE, SEARCHES } from '../fixtures/store-0.1.0/answers.ts';
import { createSandbox, type Sandbox } from '../support/sandbox.ts';

const FIXTURE = join(import.meta.dir, '../fixtures/store-0.1.0');
let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = createSandbox();
  const { dataDir } = sandbox.paths;
  cpSync(join(FIXTURE, 'data'), dataDir, { recursive: true });
  cpSync(join(FIXTURE, 'transcripts'), join(sandbox.home, '.claude/projects'), { recursive: true });
  chmodSync(dataDir, 0o700);
  await sandbox.startWorker();
});
afterAll(() => sandbox.dispose());

// biome-ignore lint/suspicious/noExplicitAny: an answer is looked at field by field.
const ask = async (...args: string[]): Promise<any> => JSON.parse((await sandbox.cli(...args, '--json')).stdout);
const records = () =>
  sandbox.query<{ session: string; record: string }>(
    `SELECT s.host_session_id AS session, t.record FROM turns t JOIN sessions s ON s.id = t.session_id ORDER BY t.session_id, t.prompt_number`,
  );
/** What waited at the opening may be observed at any time. */
const WAITING = 'a0000010-0000-4000-8000-000000000010';
const ofSession = (start: string) => records().find(({ session }) => session.startsWith(start))?.record ?? '';

/** The prompt of the turn that each memory of 0.1.0 was made of: the rules of today may say it in other words, under another id. */
const turnOf = new Map<string, string>();
const readTurns = () =>
  sandbox.query<{ id: number; prompt: number }>(
    `SELECT o.id, p.id AS prompt FROM observations o JOIN prompts p ON p.session_id = o.session_id AND p.prompt_number = o.prompt_number`,
  );

test('what the agent said between its tools is in the records, and is found', async () => {
  const kept = () =>
    sandbox.query(
      `SELECT * FROM observations WHERE id <= 27 AND (pinned = 1 OR kept = 1 OR edited_at IS NOT NULL OR wrong_at IS NOT NULL
         OR hidden_at IS NOT NULL OR batch_id IS NULL) ORDER BY id`,
    );
  const before = kept();
  expect(before.length).toBeGreaterThan(5);
  for (const { id, prompt } of readTurns()) turnOf.set(String(id), `P${prompt}`);
  expect(records().filter(({ session }) => session !== WAITING)).toEqual([]);
  const { status, progress } = await ask('rebuild', '--from-transcripts');
  expect(status).toBe('done');
  expect(progress.counts.records).toBeGreaterThan(2);
  expect(ofSession('a0000001')).toContain('── said\nJobs are kept in memory only, so a restart loses them.');
  expect(ofSession('a0000001')).toContain('git log --oneline -3 -- src/queue.ts');
  expect(ofSession('b0000001')).toContain('── closing');
  const { results } = await ask('search', 'written to disk before the answer is sent', '--project', 'shop');
  expect(results.length).toBeGreaterThan(0);
  expect(kept()).toEqual(before);
});

test('it answers what it answered before', async () => {
  for (const { in: project, asks, finds } of SEARCHES) {
    const { results } = await ask('search', asks, '--project', project);
    const ids = results.slice(0, 5).flatMap(({ id, sameTurn }: { id: string; sameTurn: string[] }) => [id, ...sameTurn]);
    expect([asks, ids.some((id: string) => id === finds || id === turnOf.get(finds))]).toEqual([asks, true]);
  }
});

test('nothing of what is gone is in any file, and a second time changes nothing', async () => {
  const before = records();
  expect((await ask('rebuild', '--from-transcripts')).progress.counts).toMatchObject({ records: 0, documents: 0 });
  expect(records()).toEqual(before);
  const isIn = (file: string) => GONE.filter((word) => readFileSync(file, 'latin1').toLowerCase().includes(word.toLowerCase()));
  for (const file of listFiles(sandbox.paths.dataDir)) expect([file, isIn(file)]).toEqual([file, []]);
});

function listFiles(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true }).map((name) => join(folder, String(name)));
  return entries.filter((path) => statSync(path).isFile());
}
