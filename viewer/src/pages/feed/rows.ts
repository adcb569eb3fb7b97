// The rows of the feed: its memories, with a heading before the first of each day.
import type { Memory } from '../../../../src/core/shapes/memory.ts';
import { startOfDay } from '../../format.ts';

export type Row = { kind: 'day'; key: string; day: number } | { kind: 'memory'; key: string; day: number; memory: Memory };

/** The rows with what they were made of. */
export type Made = { items: readonly Memory[]; gone: ReadonlySet<string>; rows: readonly Row[] };

export const NO_ROWS: Made = { items: [], gone: new Set(), rows: [] };

/** A page that comes after what is there already costs no more than itself, however long the list is. */
export function makeRows(before: Made, items: readonly Memory[], gone: ReadonlySet<string>): Made {
  const count = before.items.length;
  const isLonger = gone === before.gone && count > 0 && items[0] === before.items[0] && items[count - 1] === before.items.at(-1);
  if (!isLonger) return { items, gone, rows: toRows(items, gone) };
  const added = toRows(items.slice(count), gone, before.rows.at(-1)?.day);
  return { items, gone, rows: before.rows.concat(added) };
}

/** A day is asked for only where one ends: that is what takes time. */
function toRows(items: readonly Memory[], gone: ReadonlySet<string>, lastDay = Number.POSITIVE_INFINITY): Row[] {
  const rows: Row[] = [];
  let day = lastDay;
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
