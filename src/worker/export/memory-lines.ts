// Writes the memories of sessions into an export, and at its end which of them replace others.
import type { Database } from 'bun:sqlite';
import { formatRef, MEMORY_KINDS, type MemoryKind, type MemoryRef } from '../../core/memory.ts';
import { type ReplacementLink, readReplacementLinks } from '../../memory/replacements.ts';
import { type ExportedMemory, readExportMemories, readExportTurns } from '../../store/transfer/export-memories.ts';
import type { ExportFile } from './file.ts';

export type MemoryWriter = {
  /** A few at a time. */
  write: (memories: MemoryRef[]) => void;
  /** Both halves of a link must have been written. */
  writeLinks: () => void;
  seen: () => number;
  /** Gone meanwhile, or not what was stored; records among them. */
  damaged: () => number;
};

export function createMemoryWriter(db: Database, file: ExportFile): MemoryWriter {
  /** Only those that a link names have a number: the others would fill the memory for nothing. */
  const refs = new Map<string, number>();
  const links: ReplacementLink[] = [];
  let [seen, damaged] = [0, 0];

  const writeOne = (memory: MemoryRef, line: ExportedMemory, isLinked: boolean) => {
    if (!isLinked) return file.write(line);
    refs.set(formatRef(memory), refs.size + 1);
    file.write({ ...line, ref: refs.size });
  };

  return {
    seen: () => seen,
    damaged: () => damaged,
    write(memories) {
      const read = new Map<MemoryKind, Map<number, ExportedMemory>>(
        MEMORY_KINDS.map((kind) => [kind, readExportMemories(db, kind, idsOf(memories, kind))]),
      );
      const turns = readExportTurns(db, idsOf(memories, 'prompt'));
      const { linked, replaced } = readReplacementLinks(db, memories);
      links.push(...replaced);
      for (const { kind, id } of memories) {
        const memory = read.get(kind)?.get(id);
        if (memory) writeOne({ kind, id }, memory, linked.has(formatRef({ kind, id })));
        else damaged++;
        const turn = kind === 'prompt' && memory ? turns.get(id) : undefined;
        if (turn?.isSound) file.write(turn.line);
        else if (turn) damaged++;
      }
      seen += memories.length;
    },
    writeLinks() {
      for (const { older, newer, ...link } of links) {
        const [ref, by] = [refs.get(formatRef(older)), refs.get(formatRef(newer))];
        if (ref !== undefined && by !== undefined) file.write({ kind: 'replaced', ref, by, ...link });
      }
    },
  };
}

const idsOf = (memories: MemoryRef[], kind: MemoryKind) =>
  memories.flatMap((memory) => (memory.kind === kind ? [memory.id] : []));
