// What has become of memories since they were asked for: every card and line shows the latest that is known.
import { signal } from '@preact/signals';
import type { Memory, MemoryRow } from '../../src/core/shapes/memory.ts';
import { listen } from './stream.ts';

const changed = signal<ReadonlyMap<string, Memory>>(new Map());
const rows = signal<ReadonlyMap<string, Partial<MemoryRow>>>(new Map());

/** What a person did and the stream may not know yet: holds over whatever is heard meanwhile. */
const wished = signal<readonly { id: string; fields: Partial<Memory> }[]>([]);

/** Ids of those that are not to be shown any more: forgotten, hidden, replaced. */
export const gone = signal<ReadonlySet<string>>(new Set());

/** Null when it is gone. */
export function latest(memory: Memory): Memory | null {
  if (gone.value.has(memory.id)) return null;
  return withWishes({ ...(changed.value.get(memory.id) ?? memory), ...rows.value.get(memory.id) });
}

function withWishes<Row extends MemoryRow>(memory: Row): Row {
  const wishes = wished.value.filter(({ id }) => id === memory.id).map(({ fields }) => fields);
  return wishes.length === 0 ? memory : Object.assign({}, memory, ...wishes);
}

export function latestRow(row: MemoryRow): MemoryRow | null {
  if (gone.value.has(row.id)) return null;
  const known = changed.value.get(row.id);
  return withWishes({ ...row, ...(known ? marksOf(known) : {}), ...rows.value.get(row.id) });
}

/** What a correction can change of a line; a mark that was taken off is not there. */
function marksOf({ title, type, replacedBy, tokens, isPinned, isWrong }: MemoryRow): Partial<MemoryRow> {
  return { title, type, replacedBy, tokens, isPinned, isWrong };
}

export function noteChanged(memory: Memory): void {
  changed.value = new Map(changed.peek()).set(memory.id, memory);
  if (rows.peek().has(memory.id)) rows.value = new Map([...rows.peek()].filter(([id]) => id !== memory.id));
  if (gone.peek().has(memory.id)) noteShown([memory.id]);
}

/** What an answer says of a row: its marks, until more is heard. */
export function noteRow(row: MemoryRow): void {
  const marks = marksOf(row);
  rows.value = new Map(rows.peek()).set(row.id, marks);
}

/** Returns how to end it, once what is heard can be believed again. */
export function wish(id: string, fields: Partial<Memory>): () => void {
  const one = { id, fields };
  wished.value = [...wished.peek(), one];
  return () => {
    wished.value = wished.peek().filter((other) => other !== one);
  };
}

export function noteRemoved(ids: readonly string[]): void {
  gone.value = new Set([...gone.peek(), ...ids]);
}

export function noteShown(ids: readonly string[]): void {
  if (!ids.some((id) => gone.peek().has(id))) return;
  gone.value = new Set([...gone.peek()].filter((id) => !ids.includes(id)));
}

/** Once, by the shell. After a reset whoever asks anew gets them as they are; what is gone is not shown meanwhile. */
export function followMemories(): () => void {
  const stops = [
    listen('changed', noteChanged),
    listen('removed', ({ ids }) => noteRemoved(ids)),
    listen('reset', () => {
      changed.value = new Map();
      rows.value = new Map();
    }),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}
