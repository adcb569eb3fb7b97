// The import of transcripts as a job: what it reads, and what it says at its end.

import { afterEach, beforeEach, expect, test } from 'bun:test';
import { truncateSync } from 'node:fs';
import { runTranscriptImport } from '../../src/import/from-transcripts.ts';
import { CAPTURE_ALL } from '../support/capture-settings.ts';
import { createLines } from '../support/claude-lines.ts';
import { createControl } from '../support/job-control.ts';
import { createTestStore, type TestStore } from '../support/store.ts';
import { createTranscripts, type Transcripts } from '../support/transcripts.ts';

const DAY = 86_400_000;
const NOW = Date.parse('2026-06-01T00:00:00Z');
let past: Transcripts;
let store: TestStore;

beforeEach(() => {
  past = createTranscripts();
  store = createTestStore();
});
afterEach(() => {
  store.close();
  past.dispose();
});

function writeSessions(...ages: number[]): void {
  for (const days of ages) {
    const { prompt, bash, say } = createLines({ session: `of-${days}`, from: NOW - days * DAY });
    const lines = [prompt(`Do it ${days} days ago`, `p${days}`), ...bash(`t${days}`, 'npm test', '12 pass'), say('Done.')];
    past.write(`shop/of-${days}.jsonl`, lines, NOW - days * DAY + 60_000);
  }
}

/** Larger than anything that is read at once; it takes no room on the disk. */
function writeHuge(): string {
  const path = past.write('gemini/chats/session-huge.json', []);
  truncateSync(path, 65 * 1024 * 1024);
  return path;
}

async function importAll(memoryDays = 0, control = createControl()): Promise<string[]> {
  const run = runTranscriptImport({
    db: store.db,
    database: store.db.filename,
    options: () => CAPTURE_ALL,
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
  return run({ path: past.folder }, control);
}

const sessions = () =>
  store.db
    .query<{ id: string }, []>('SELECT host_session_id AS id FROM sessions ORDER BY started_at_epoch')
    .all()
    .map(({ id }) => id);

test('transcripts that are older than memories are kept are left out, and counted', async () => {
  writeSessions(400, 100, 98, 20, 5);
  const said = await importAll(90);
  expect(sessions()).toEqual(['of-20', 'of-5']);
  expect(said).toContain('Left out: 3 sessions older than `keepDays` keeps.');
  expect((await importAll()).join('\n')).not.toContain('Left out');
  expect(sessions()).toHaveLength(5);
});

test('at its end it counts, one as one, and says when nothing is new', async () => {
  writeSessions(5);
  expect((await importAll())[0]).toMatch(/^Imported 1 session \(\d+ new events\): (\d+ observations?, )?1 summary, 1 prompt\.$/);
  expect(await importAll()).toEqual(['Read 1 session: all of it was known already, or is to be left out.']);
});

test('what could not be read is named once, is behind us all the same, and alone is a failure', async () => {
  const huge = writeHuge();
  await expect(importAll()).rejects.toThrow(`Nothing could be read.\n1 file could not be read:\n  ${huge}: `);
  writeSessions(5);
  const control = createControl();
  const said = await importAll(0, control);
  expect(said[0]).toStartWith('Imported 1 session ');
  expect(said.filter((line) => line.includes(huge))).toHaveLength(1);
  expect(control.reports.at(-1)).toMatchObject({ step: '2 of 2 sessions', counts: { unreadable: 1 } });
});
