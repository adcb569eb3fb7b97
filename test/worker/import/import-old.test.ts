// Transcripts that are older than memories are kept: read, they would only be let go again.
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { runTranscriptImport } from '../../../src/worker/import/from-transcripts.ts';
import { createLines } from '../../support/claude-lines.ts';
import { createControl } from '../../support/job-control.ts';
import { createTestStore, type TestStore } from '../../support/store.ts';
import { createTranscripts, type Transcripts } from '../../support/transcripts.ts';

const DAY = 86_400_000;
const NOW = Date.parse('2026-06-01T00:00:00Z');
let past: Transcripts;
let store: TestStore;

beforeEach(() => {
  past = createTranscripts();
  store = createTestStore();
  for (const days of [400, 100, 98, 20, 5]) {
    const { prompt, bash, say } = createLines({ session: `of-${days}`, from: NOW - days * DAY });
    const lines = [
      prompt(`Do it ${days} days ago`, `p${days}`),
      ...bash(`t${days}`, 'npm test', '12 pass'),
      say('Done.'),
    ];
    past.write(`shop/of-${days}.jsonl`, lines, NOW - days * DAY + 60_000);
  }
});
afterEach(() => {
  store.close();
  past.dispose();
});

async function importAll(memoryDays: number): Promise<string[]> {
  const run = runTranscriptImport({
    db: store.db,
    database: store.db.filename,
    options: () => ({ skipTools: [] }),
    // Set wrong, as clocks are: what is old is told by the latest sign of life.
    clock: () => NOW + 5000 * DAY,
    home: past.folder,
    keepDays: () => 3,
    memoryDays: () => memoryDays,
    hasModel: () => false,
    hold: () => () => undefined,
    onStored: () => undefined,
    onProject: () => undefined,
  });
  return (await run({ path: past.folder }, createControl())) ?? [];
}

const sessions = () =>
  store.db
    .query<{ id: string }, []>('SELECT host_session_id AS id FROM sessions ORDER BY started_at_epoch')
    .all()
    .map(({ id }) => id);

test('are left out, and counted', async () => {
  const said = await importAll(90);
  expect(sessions()).toEqual(['of-20', 'of-5']);
  expect(said).toContain('Left out: 3 sessions older than `keepDays` keeps.');
});

test('are read where memories are kept for ever', async () => {
  const said = await importAll(0);
  expect(sessions()).toHaveLength(5);
  expect(said.join('\n')).not.toContain('Left out');
});
