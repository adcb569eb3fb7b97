// `timeline`: the second layer. What happened before and after a memory, a moment, or the best hit of a query.
import { renderInOrder } from '../../core/render-index.ts';
import { renderRecord } from '../../core/render-memory.ts';
import { MAX_QUERY, MEMORY_TYPES, readChoices, readCount, readScope, readText } from '../arguments.ts';
import { sayMemories, sayPlainly } from '../say.ts';
import type { Tool } from '../tool.ts';
import { restOf } from './get-observations.ts';

const DEPTH = { least: 0, most: 50 };

export const timeline: Tool = {
  name: 'timeline',
  description: 'What happened around an anchor, oldest first: observations, summaries, prompts',
  inputSchema: {
    type: 'object',
    properties: {
      anchor: { type: 'string', description: 'id (123, S12, P34) or ISO time' },
      query: { type: 'string', description: 'instead: around its best hit' },
      depth_before: { type: 'integer', default: 10 },
      depth_after: { type: 'integer', default: 10 },
      type: { type: 'string' },
      project: { type: 'string' },
    },
  },
  async run(given, { calls, cwd }) {
    const [anchor, query] = [readText(given, 'anchor'), readText(given, 'query', MAX_QUERY)];
    if (!anchor && !query) throw new Error('Give an `anchor` (an id or an ISO time) or a `query`.');
    const { items, note, record, ...answer } = await calls.readTimeline({
      ...readScope(given, cwd),
      ...(anchor ? { anchor } : { query }),
      depth_before: readCount(given, 'depth_before', DEPTH) ?? 10,
      depth_after: readCount(given, 'depth_after', DEPTH) ?? 10,
      type: readChoices(given, 'type', MEMORY_TYPES),
    });
    if (items.length === 0) {
      return sayMemories('Nothing there.', sayPlainly(note), 'Find an id with search and use it as anchor.');
    }
    const around = answer.anchor === null ? null : `Around ${sayPlainly(answer.anchor)}:`;
    return sayMemories(
      around,
      sayPlainly(note),
      renderInOrder(items),
      record ? [`#${record.id}`, ...renderRecord(record, { rest: restOf })] : null,
      'Read in full: get_observations(ids).',
    );
  },
};
