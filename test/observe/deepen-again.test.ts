// What was read for nothing may be deepened later, unless a person has said something of it: then it stays, and is counted.

import { afterEach, beforeEach, expect, test } from 'bun:test';
import { runTranscriptImport } from '../../src/import/from-transcripts.ts';
import { readCounters } from '../../src/store/counters.ts';
import { CAPTURE_ALL } from '../support/capture-settings.ts';
import { createLines } from '../support/claude-lines.ts';
import { createControl } from '../support/job-control.ts';
import { createTestStore, type TestStore } from '../support/store.ts';
import { createTranscripts, type Transcripts } from '../support/transcripts.ts';

let past: Transcripts;
let store: TestStore;

beforeEach(() => {
  past = createTranscripts();
  store = createTestStore();
  for (const name of ['one', 'two', 'three']) {
    const { prompt, bash, say } = createLines({ session: name });
    past.write(`shop/${name}.jsonl`, [
      prompt(`Always use the vault of ${name} for the keys.`, `p-${name}`),
      ...bash(`t-${name}`, `git commit -m "Use the vault of ${name}"`, `[main abc1234] Use the vault of ${name}`),
      say(`We decided to use the vault of ${name} instead of env files because it is audited.`),
    ]);
  }
});
afterEach(() => {
  store.close();
  past.dispose();
});

async function importAll(deepen: number): Promise<string> {
  const nothing = () => undefined;
  const run = runTranscriptImport({
    ...{ db: store.db, database: store.db.filename, home: past.folder },
    ...{ options: () => CAPTURE_ALL, clock: Date.now, keepDays: () => 3, hasModel: () => true },
    ...{ hold: () => nothing, onStored: nothing, onProject: nothing },
  });
  return ((await run({ path: past.folder, deepen }, createControl())) ?? []).join('\n');
}

const waiting = () =>
  store.db
    .query<{ id: string }, []>(
      `SELECT DISTINCT host_session_id AS id FROM sessions s JOIN batches b ON b.session_id = s.id
       WHERE b.status = 'waiting' ORDER BY 1`,
    )
    .all()
    .map(({ id }) => id);

test('more are asked for than there are, and one is pinned', async () => {
  await importAll(0);
  expect(waiting()).toEqual([]);
  const two = "session_id = (SELECT id FROM sessions WHERE host_session_id = 'two')";
  store.db.run(`UPDATE observations SET pinned = 1 WHERE id = (SELECT min(id) FROM observations WHERE ${two})`);
  const rows = () => store.db.query(`SELECT * FROM observations WHERE ${two}`).all();
  const before = rows();
  const said = await importAll(10);
  expect(said).toContain('A model looks at the newest 2 now');
  expect(said).toContain('Not summarised with a model: 1 session ');
  expect(waiting()).toEqual(['one', 'three']);
  expect(rows()).toEqual(before);
  expect(readCounters(store.db)['not-deepened']).toBe(1);
  expect(store.db.query('SELECT 1 FROM prompts').all()).toHaveLength(3);
});
