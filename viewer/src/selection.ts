// The memories that are selected, to do the same to all of them: by `x`, a click on the box, and with Shift up to another one.
import { signal } from '@preact/signals';
import type { MemoryRow } from '../../src/core/shapes/memory.ts';

export const selected = signal<ReadonlyMap<string, MemoryRow>>(new Map());

let last: string | null = null;

/** `others`: the rows that are on the page, in their order; with `isRange` all from the last one to this. */
export function toggleSelected(row: MemoryRow, { isRange = false, others = [] as readonly MemoryRow[] } = {}): void {
  const next = new Map(selected.peek());
  const [from, to] = [others.findIndex(({ id }) => id === last), others.findIndex(({ id }) => id === row.id)];
  if (isRange && from !== -1 && to !== -1) {
    for (const one of others.slice(Math.min(from, to), Math.max(from, to) + 1)) next.set(one.id, one);
  } else if (!next.delete(row.id)) next.set(row.id, row);
  last = row.id;
  selected.value = next;
}

export function clearSelected(): void {
  if (selected.peek().size > 0) selected.value = new Map();
}
