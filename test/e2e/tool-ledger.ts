// The promise of capture: every tool that ran is in the store, exactly once.
import { expect } from 'bun:test';
import { until } from '../support/until.ts';
import { readMemory } from './memory-db.ts';
import type { Sandbox } from './sandbox.ts';

/** Nobody helps here: the hooks of the runs themselves must have started the worker that brings in what was left behind. */
export async function expectEveryToolStoredOnce({ dataDir, executedTools }: Sandbox): Promise<void> {
  const executed = executedTools();
  const arrived = () => storedTools(dataDir).length >= executed.length;
  // In vain or not, the comparison below says what is missing.
  await until(arrived).catch(() => null);
  expect(storedTools(dataDir)).toEqual(executed);
}

/** Sorted; an id that is stored twice is there twice. */
function storedTools(dataDir: string): string[] {
  const sql = 'SELECT tool_use_id AS id FROM events WHERE tool_use_id IS NOT NULL ORDER BY id';
  return readMemory<{ id: string }>(dataDir, sql).map((row) => row.id);
}
