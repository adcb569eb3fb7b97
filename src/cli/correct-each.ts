// Corrects one memory after the other and says what was done, each in a line.
import { createMemoryApi } from '../client/memory-api.ts';
import type { CorrectionParameters } from '../core/correction.ts';
import type { Memory } from '../core/memory.ts';
import { readableLine } from '../core/plain-line.ts';
import { findPaths } from '../paths.ts';
import { printJson, readIds } from './memory-options.ts';
import { requirePerson } from './only-person.ts';

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
  requirePerson();
  const api = createMemoryApi(findPaths());
  const memories: Memory[] = [];
  for (const id of readIds(said)) {
    const { memory } = await api.correct(id, { ...correction, by: 'user' });
    memories.push(memory);
    if (!json) console.log(`${describe(memory)} To undo: claude-mem ${undo} ${id}`);
  }
  if (json) printJson({ memories });
}

export const nameMemory = ({ id, title }: Memory) => `#${id} ${readableLine(title, 100)}`;
