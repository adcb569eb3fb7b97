// The rows of the feed: its memories, with a heading before the first of each day.
import type { Memory } from '../../../../src/core/memory.ts';
import { startOfDay } from '../../format.ts';

export type Row =
  | { kind: 'day'; key: string; day: number }
  | { kind: 'memory'; key: string; day: number; memory: Memory };

/** A day is asked for only where one ends: of a hundred thousand memories that is all that takes time. */
export function toRows(items: readonly Memory[], gone: ReadonlySet<string>): Row[] {
  const rows: Row[] = [];
  let day = Number.POSITIVE_INFINITY;
  for (const memory of items) {
    if (gone.has(memory.id)) continue;
    if (memory.at < day) {
      day = startOfDay(memory.at);
      rows.push({ kind: 'day', key: `day-${day}`, day });
    }
    rows.push({ kind: 'memory', key: memory.id, day, memory });
  }
  return rows;
}

/** Near enough for what was never on the page; the real height is measured there. */
export function estimateHeight(row: Row | undefined): number {
  if (!row || row.kind === 'day') return 40;
  const { kind, narrative, facts, subtitle, filesModified, filesRead } = row.memory;
  if (kind === 'summary') return 250;
  if (kind === 'prompt') return 130;
  const text = narrative || facts.length > 0 ? 75 : 0;
  return 110 + text + (subtitle ? 25 : 0) + (filesModified.length + filesRead.length > 0 ? 22 : 0);
}
