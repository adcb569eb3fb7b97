// Corrects several memories, all or none of them, and says what was done, each in a line.
import { createMemoryApi, type MemoryApi } from '../client/memory-api.ts';
import type { CorrectionParameters } from '../core/correction.ts';
import type { Memory } from '../core/memory.ts';
import { plainLine } from '../core/plain-line.ts';
import { findPaths } from '../paths.ts';
import { printJson, readIds } from './memory-options.ts';

export type CorrectEach = {
  said: string[];
  correction: Omit<CorrectionParameters, 'by'>;
  json: boolean | undefined;
  /** What was done to one of them. */
  describe: (memory: Memory) => string;
  /** The command that takes it back, without the ids. */
  undo: string;
};

export async function correctEach({ said, correction, json, describe, undo }: CorrectEach): Promise<void> {
  const api = createMemoryApi(findPaths());
  const memories: Memory[] = [];
  const ids = readIds(said);
  if (ids.length > 1) await requireAll(api, ids);
  for (const id of ids) {
    const { memory } = await api.correct(id, { ...correction, by: 'user' });
    memories.push(memory);
    if (!json) console.log(`${describe(memory)} To undo: claude-mem ${undo} ${id}`);
  }
  if (json) printJson({ memories });
}

/** One that is not there must not leave the others half done. A single one the worker judges itself. */
async function requireAll(api: MemoryApi, ids: string[]): Promise<void> {
  const other = ids.find((id) => !/^\d+$/.test(id));
  if (other) throw new Error(`${other} is no observation, and only these can be corrected. Nothing was changed.`);
  const { missing } = await api.readMemories(ids);
  if (missing.length === 0) return;
  const some = missing.length > 1 ? 'are no memories' : 'is no memory';
  throw new Error(`There ${some} ${missing.join(', ')}: forgotten or hidden, maybe. Nothing was changed.`);
}

export const nameMemory = ({ id, title }: Memory) => `#${id} ${plainLine(title, 100)}`;
