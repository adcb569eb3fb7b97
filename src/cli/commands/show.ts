// `claude-mem show`: all of a memory.

import type { Memory } from '../../core/memory.ts';
import { renderMemory } from '../../core/render-memory.ts';
import { printJson, readIds } from '../memory-options.ts';
import { openMemory } from '../open-memory.ts';
import { findTerminal } from '../terminal.ts';

export async function showMemories(said: string[], options: { all?: boolean; json?: boolean }): Promise<void> {
  const answer = await openMemory().readMemories(readIds(said), { full: options.all });
  const { memories, missing } = answer;
  if (options.json) printJson(answer);
  else printAll(memories);
  if (missing.length === 0) return;
  const named = missing.map((id) => `#${id}`).join(', ');
  throw new Error(`There is no ${named}: never stored, or forgotten. \`claude-mem search\` finds what there is.`);
}

function printAll(memories: Memory[]): void {
  const { paint, print } = findTerminal();
  const texts = memories.map((memory) => {
    const [head = '', ...rest] = renderMemory(memory);
    return [paint('bold', head), ...rest].join('\n');
  });
  if (texts.length > 0) print(texts.join('\n\n'));
}
