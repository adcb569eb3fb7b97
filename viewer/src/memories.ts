// What has become of memories since they were asked for: every card and line shows the latest that is known.
import { signal } from '@preact/signals';
import type { Memory, MemoryRow } from '../../src/core/memory.ts';
import { listen } from './stream.ts';

/** By id; null for one that is not to be shown any more. */
const news = signal<ReadonlyMap<string, Memory | null>>(new Map());

/** Null when it was forgotten, hidden or replaced. */
export function latest(memory: Memory): Memory | null {
  const known = news.value.get(memory.id);
  return known === undefined ? memory : known;
}

export function latestRow<Row extends MemoryRow>(row: Row): Row | null {
  const known = news.value.get(row.id);
  if (known === null) return null;
  return known ? { ...row, ...pickMarks(known) } : row;
}

/** What a correction can change of a line; a mark that was taken off is not there. */
function pickMarks({ title, type, supersededBy, isPinned, isWrong, tokens }: Memory): Partial<MemoryRow> {
  return { title, type, supersededBy, tokens, ...{ isPinned, isWrong } } as Partial<MemoryRow>;
}

export const isGone = (id: string) => news.value.get(id) === null;

export function noteChanged(memory: Memory): void {
  note([[memory.id, memory]]);
}

export function noteRemoved(ids: readonly string[]): void {
  note(ids.map((id) => [id, null]));
}

/** What was said before does not hold any more: as they were asked for is right again. */
export function noteShown(ids: readonly string[]): void {
  const all = new Map(news.peek());
  for (const id of ids) all.delete(id);
  news.value = all;
}

function note(entries: [string, Memory | null][]): void {
  news.value = new Map([...news.peek(), ...entries]);
}

/** Once, by the shell. */
export function followMemories(): () => void {
  const stops = [
    listen('changed', noteChanged),
    listen('removed', ({ ids }) => noteRemoved(ids)),
    listen('reset', () => {
      news.value = new Map();
    }),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}
