// Real sessions of other people, imported and rebuilt: what was known when a turn was observed is known when it is made again.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openStore } from '../../src/store/open.ts';
import { createTranscripts, importAll, runJob, type Transcripts } from '../support/transcripts.ts';
import { createTestWorker, type TestWorker } from '../support/worker-app.ts';

setDefaultTimeout(300_000);

const SAMPLES = join(import.meta.dir, '../../../shared/samples/sessions');
/** With pages, tickets, subagents, turns that went on behind their end, and times that were made up. */
const FOLDERS = ['cipher-box', 'context-evaluator', 'emailbuddy', 'entire-cli'];

/** Every row of every table that is derived from records. The id of a replacement is told nowhere. */
function dump(worker: TestWorker): Record<string, unknown[]> {
  const rows = (table: string, columns = '*') => worker.rows(`SELECT ${columns} FROM ${table} ORDER BY 1, 2`);
  const tables = ['observations', 'summaries', 'open_steps', 'documents', 'citations', 'error_marks', 'sessions', 'turns', 'prompts'];
  return {
    ...Object.fromEntries(tables.map((table) => [table, rows(table)])),
    replacements: rows('replacements', 'older_id, newer_id, older_kind, newer_kind, certain, why, words, both_hold, created_at_epoch'),
  };
}

/** What an observation says, and how far it is believed. */
const said = (worker: TestWorker) =>
  worker
    .rows<{ facts: string }>(
      `SELECT session_id, prompt_number, type, title, facts, outcome, origin, trust, quarantined, is_rule, files_modified
       FROM observations ORDER BY session_id, prompt_number, title, facts`,
    )
    .map((row) => ({ ...row, facts: (JSON.parse(row.facts) as { text: string }[]).map(({ text }) => text) }));

let worker: TestWorker;
let past: Transcripts;

beforeAll(async () => {
  [worker, past] = [createTestWorker(), createTranscripts()];
  await worker.start();
  const folders = existsSync(SAMPLES) ? FOLDERS : [];
  for (const folder of folders)
    for (const file of readdirSync(join(SAMPLES, folder)).filter((name) => name.endsWith('.jsonl')))
      past.write(`projects/${folder}/${file}`, readFileSync(join(SAMPLES, folder, file), 'utf8'));
  if (folders.length > 0) await importAll(worker, { path: past.folder });
  await worker.settle();
});

afterAll(async () => {
  await worker.dispose();
  past.dispose();
});

describe.skipIf(!existsSync(SAMPLES))('a rebuild right after an import', () => {
  test('changes no row, however often', async () => {
    const before = dump(worker);
    expect(before.turns?.length).toBeGreaterThan(100);
    for (let again = 0; again < (process.env.CLAUDE_MEM_TEST_FULL ? 2 : 1); again++) {
      const { result } = await runJob(worker, 'rebuild', {});
      expect(result).toEqual([expect.stringMatching(/^Went through \d+ turns: 0 documents/)]);
      const after = dump(worker);
      for (const [table, rows] of Object.entries(before)) expect([table, after[table]]).toEqual([table, rows]);
    }
  });

  test('makes memories that are lost as they were, and believes no more', async () => {
    const before = said(worker);
    const db = openStore(worker.paths.database);
    // What went on behind its end was observed in parts, and its record tells it as one.
    db.run(`DELETE FROM observations WHERE (session_id, prompt_number) IN
      (SELECT session_id, prompt_number FROM batches GROUP BY 1, 2 HAVING count(*) = 1)`);
    db.close();
    expect(said(worker).length).toBeLessThan(before.length / 10);
    await runJob(worker, 'rebuild', {});
    expect(said(worker)).toEqual(before);
  });
});
