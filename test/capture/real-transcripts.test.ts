// Whole sessions, one of our own and real people's where they are at hand: every prompt and every tool use once, and nothing set aside.

import { afterEach, beforeEach, expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { claudeCode } from '../../src/agents/claude-code/agent.ts';
import { takeSession } from '../../src/capture/take-session.ts';
import { findSession } from '../../src/capture/transcript-files.ts';
import { observeBatch } from '../../src/observe/observe.ts';
import { processTurn } from '../../src/observe/process-turn.ts';
import { CAPTURE_ALL } from '../support/capture-settings.ts';
import { ordinarySession, SESSION } from '../support/claude-lines.ts';
import { byRules, createTestStore, type TestStore } from '../support/store.ts';
import { createTranscripts } from '../support/transcripts.ts';

const SAMPLES = ['real-transcripts', 'claude-code'].map((name) => join(import.meta.dir, '../../../shared/samples', name));
const FILES = SAMPLES.filter((folder) => existsSync(folder)).flatMap((folder) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl') && !/^(?:sdk|stream)-/.test(name))
    .map((name) => join(folder, name)),
);

let store: TestStore;
beforeEach(() => {
  store = createTestStore();
});
afterEach(() => store.close());

for (const path of FILES) test(path.split('/').at(-1) ?? path, () => expectWhole(path));
test('an ordinary session of our own', async () => {
  const past = createTranscripts();
  try {
    await expectWhole(past.write(`shop/${SESSION}.jsonl`, ordinarySession()));
  } finally {
    past.dispose();
  }
});

async function expectWhole(path: string): Promise<void> {
  const found = await findSession(claudeCode, path);
  if (!found) throw new Error(`no transcript: ${path}`);
  const deps = { db: store.db, options: () => CAPTURE_ALL, clock: Date.now, pause: () => Promise.resolve() };
  for (let again = 0; again < 2; again++) await takeSession(found, deps, { isOver: true, isEnd: true });
  const list = <Row>(sql: string) => store.db.query<Row, []>(sql).all();
  const stored = list<{ id: string }>("SELECT tool_use_id AS id FROM events WHERE kind = 'tool' ORDER BY id");
  expect(stored.map(({ id }) => id)).toEqual(calledIn(found.files.map((file) => file.path)));
  const prompts = list<{ text: string; n: number }>('SELECT text, count(*) AS n FROM prompts GROUP BY prompt_id, text');
  expect(prompts.length).toBeGreaterThan(0);
  for (const { text, n } of prompts) {
    expect(n).toBe(1);
    expect(text).not.toMatch(/<(?:system-reminder|command-name|local-command|ide_opened_file|task-notification)/);
  }
  for (const { id } of list<{ id: number }>('SELECT id FROM sessions'))
    while (processTurn(store.db, id, byRules(observeBatch)).kind === 'observed');
  expect(list("SELECT 1 FROM events WHERE status IN ('pending','claimed','quarantined')")).toEqual([]);
  expect(list('SELECT 1 FROM summaries').length).toBeGreaterThan(0);
}

/** Every tool that was called, once, sorted. */
function calledIn(paths: string[]): string[] {
  const ids = paths.flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(/"type":\s*"tool_use",\s*"id":\s*"([^"]+)"/g)].map(([, id = '']) => id),
  );
  return [...new Set(ids)].sort();
}
