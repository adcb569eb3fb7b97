// `get_observations`: the third layer. Chosen memories in full, many at once.
import { renderMemory } from '../../core/render-memory.ts';
import type { BatchAnswer } from '../../core/search.ts';
import { estimateTokens } from '../../core/tokens.ts';
import { readFlag, requireIds } from '../arguments.ts';
import { sayMemories } from '../say.ts';
import type { Tool } from '../tool.ts';

/** Claude Code refuses a result over 25,000 tokens; a reader rarely wants half of that at once. */
const MAX_TOKENS = 12_000;

export const getObservations: Tool = {
  name: 'get_observations',
  description: 'Read memories in full; several ids in one call. P ids give what was said and done in that turn',
  inputSchema: {
    type: 'object',
    properties: {
      ids: { type: 'array', items: { type: 'string' }, description: '123, S12, P34' },
      full: { type: 'boolean', description: 'all of a turn: output, diffs' },
    },
    required: ['ids'],
  },
  async run(given, { calls }) {
    const { memories, missing } = await calls.readMemories(requireIds(given, 100), { full: readFlag(given, 'full') });
    const { shown, left } = fill(memories);
    return sayMemories(
      shown,
      left.length > 0 ? `Left out for want of room; ask again for: ${left.join(', ')}` : null,
      missing.length > 0 ? `Not there (never, or forgotten): ${missing.join(', ')}` : null,
    );
  },
};

/** How the rest of a record is read. */
export const restOf = (id: string) => `get_observations(ids=["${id}"], full=true)`;

/** As many as there is room for, and always the first. */
function fill(memories: BatchAnswer['memories']): { shown: string[]; left: string[] } {
  const shown: string[] = [];
  const left: string[] = [];
  let tokens = 0;
  for (const memory of memories) {
    const lines = renderMemory(memory, { rest: restOf });
    tokens += estimateTokens(lines.join('\n'));
    if (shown.length > 0 && tokens > MAX_TOKENS) left.push(memory.id);
    else shown.push(...lines);
  }
  return { shown, left };
}
