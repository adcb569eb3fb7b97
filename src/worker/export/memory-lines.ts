// Writes the memories of sessions into an export, and at its end which of them stand in the place of others.
import type { Database } from 'bun:sqlite';
import { MEMORY_KINDS, type MemoryKind, type MemoryRef } from '../../core/memory.ts';
import { type ExportedMemory, readExportMemories } from '../../store/transfer/export-memories.ts';
import type { ExportFile } from './file.ts';

export type MemoryWriter = {
  /** A few at a time. */
  write: (memories: MemoryRef[]) => void;
  /** Both halves of a link must have been written. */
  writeLinks: () => void;
  seen: () => number;
  /** Gone meanwhile, or not what was stored. */
  damaged: () => number;
};

export function createMemoryWriter(db: Database, file: ExportFile): MemoryWriter {
  /** Only those that a link names have a number: the others would fill the memory for nothing. */
  const refs = new Map<number, number>();
  const links: [older: number, newer: number][] = [];
  let [seen, damaged] = [0, 0];

  const writeOne = (id: number, { line, supersededBy, isSuperseding }: ExportedMemory) => {
    if (line.kind !== 'observation' || (supersededBy === null && !isSuperseding)) return file.write(line);
    refs.set(id, refs.size + 1);
    if (supersededBy !== null) links.push([id, supersededBy]);
    const { kind, ...rest } = line;
    file.write({ kind, ref: refs.size, ...rest });
  };

  return {
    seen: () => seen,
    damaged: () => damaged,
    write(memories) {
      const read = new Map<MemoryKind, Map<number, ExportedMemory>>(
        MEMORY_KINDS.map((kind) => [kind, readExportMemories(db, kind, idsOf(memories, kind))]),
      );
      for (const { kind, id } of memories) {
        const memory = read.get(kind)?.get(id);
        if (memory) writeOne(id, memory);
        else damaged++;
      }
      seen += memories.length;
    },
    writeLinks() {
      for (const [older, newer] of links) {
        const [ref, by] = [refs.get(older), refs.get(newer)];
        if (ref !== undefined && by !== undefined) file.write({ kind: 'superseded', ref, by });
      }
    },
  };
}

const idsOf = (memories: MemoryRef[], kind: MemoryKind) =>
  memories.flatMap((memory) => (memory.kind === kind ? [memory.id] : []));
