// What a memory says: each of its texts as it is stored.
import type { Database } from 'bun:sqlite';
import { formatRef, type Memory, type MemoryRef } from '../../core/memory.ts';
import { readMemories } from './memories.ts';

export type MemoryTexts = { ref: MemoryRef; session: string; title: string | null; texts: string[] };

/** Hidden ones, too. What is gone is left out. */
export function readTexts(db: Database, refs: MemoryRef[]): MemoryTexts[] {
  const memories = readMemories(db, refs, { withHidden: true });
  return refs.flatMap((ref) => {
    const memory = memories.get(formatRef(ref));
    // The title of a summary or a prompt is made of its other texts.
    const title = ref.kind === 'observation' ? (memory?.title ?? null) : null;
    return memory ? [{ ref, session: memory.session, title, texts: listTexts(memory) }] : [];
  });
}

/** Without the title. */
function listTexts({ subtitle, narrative, facts, summary, text }: Memory): string[] {
  return [narrative, subtitle, ...facts, ...Object.values(summary ?? {}), text].filter((one) => one !== null);
}
