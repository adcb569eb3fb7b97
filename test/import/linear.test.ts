// What an import costs: a memory of thousands, all of one session and moment, no more than one of a few hundred.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runExportImport } from '../../src/import/from-export.ts';
import { countObservations } from '../../src/memory/observations.ts';
import { openStore } from '../../src/store/open.ts';
import { CAPTURE_ALL } from '../support/capture-settings.ts';
import { startClock } from '../support/cpu-time.ts';
import { EXPORTED_AT, writeExport } from '../support/export-file.ts';
import { createControl } from '../support/job-control.ts';

const quiet = () => undefined;
const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };
const clock = () => Date.parse(EXPORTED_AT) + 86_400_000;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'cmem-linear-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

async function importMs(memories: number, isEdited: boolean): Promise<number> {
  const name = `${memories}-${isEdited}`;
  const db = openStore(join(folder, `${name}.db`));
  const run = runExportImport({ db, settings: () => CAPTURE_ALL, log, clock, onStored: quiet });
  const path = writeExport(join(folder, `${name}.jsonl`), memories, { isEdited });
  const passed = startClock();
  await run({ path, asMine: false }, createControl());
  const ms = passed();
  expect(countObservations(db)).toBe(memories);
  // Once more: each is its own twin.
  await run({ path, asMine: false }, createControl());
  expect(countObservations(db)).toBe(memories);
  db.close(true);
  return ms / memories;
}

const [FEW, MANY] = process.env.CLAUDE_MEM_TEST_FULL ? [500, 10_000] : [250, 2000];

for (const isEdited of [false, true])
  test(`thousands of memories of one session and moment cost no more each${isEdited ? ', also edited ones' : ''}`, async () => {
    await importMs(isEdited ? 99 : 100, isEdited);
    const few = await importMs(FEW, isEdited);
    const many = await importMs(MANY, isEdited);
    console.log(`an import: ${few.toFixed(2)} ms each of ${FEW}, ${many.toFixed(2)} ms each of ${MANY}`);
    expect(many / few).toBeLessThan(2);
  }, 300_000);
