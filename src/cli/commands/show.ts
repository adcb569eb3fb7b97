// `claude-mem show`: all of a memory.
import { createMemoryApi } from '../../client/memory-api.ts';
import { renderMemory } from '../../core/render-memory.ts';
import { findPaths } from '../../paths.ts';
import { printJson, readIds } from '../memory-options.ts';
import { findTerminal } from '../terminal.ts';

export async function showMemories(said: string[], options: { json?: boolean }): Promise<void> {
  const answer = await createMemoryApi(findPaths()).readMemories(readIds(said));
  if (options.json) return printJson(answer);
  const { memories, missing } = answer;
  const { paint, print } = findTerminal();
  const texts = memories.map((memory) => {
    const [head = '', ...rest] = renderMemory(memory);
    return [paint('bold', head), ...rest].join('\n');
  });
  if (texts.length > 0) print(texts.join('\n\n'));
  if (missing.length === 0) return;
  const named = missing.map((id) => `#${id}`).join(', ');
  throw new Error(`There is no ${named}: never stored, or forgotten. \`claude-mem search\` finds what there is.`);
}
