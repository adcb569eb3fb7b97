// `search`: the first layer. Index rows, cheap enough to choose by.
import { renderRanked } from '../../core/render-index.ts';
import type { SearchAnswer } from '../../core/search.ts';
import {
  type Arguments,
  MAX_QUERY,
  MEMORY_TYPES,
  readChoice,
  readChoices,
  readCount,
  readScope,
  readText,
  requireText,
} from '../arguments.ts';
import { sayMemories, sayPlainly } from '../say.ts';
import type { Tool } from '../tool.ts';

/** Rows carry the words that answer: a few are enough to choose by. */
const ROWS = 6;

const text = { type: 'string' };
const ORDERS = ['relevance', 'date'] as const;

export const search: Tool = {
  name: 'search',
  description:
    'Find memories of past sessions. Gives index rows: #id day type title (~tokens to read it); the best with the words that answer. P ids: a turn. Then get_observations(ids), or timeline(anchor=id) for what happened around one',
  inputSchema: {
    type: 'object',
    properties: {
      query: text,
      type: {
        type: 'string',
        description: `${MEMORY_TYPES.join()}: one or several`,
      },
      concept: text,
      file: text,
      since: { type: 'string', description: 'ISO date, "3 days", "yesterday"' },
      until: text,
      session: text,
      branch: text,
      project: { type: 'string', description: 'default: this one' },
      all: { type: 'boolean', description: 'every project' },
      order: { enum: ORDERS },
      limit: { type: 'integer', default: ROWS },
      offset: { type: 'integer' },
    },
  },
  async run(given, { calls, cwd }) {
    const answer = await calls.search({
      query: readQuery(given),
      ...readScope(given, cwd),
      type: readChoices(given, 'type', MEMORY_TYPES),
      concept: readText(given, 'concept'),
      file: readText(given, 'file'),
      since: readText(given, 'since'),
      until: readText(given, 'until'),
      session: readText(given, 'session'),
      branch: readText(given, 'branch'),
      order: readChoice(given, 'order', ORDERS),
      limit: readCount(given, 'limit', { least: 1, most: 100 }) ?? ROWS,
      offset: readCount(given, 'offset', { least: 0, most: 1_000_000 }),
    });
    return sayAnswer(answer);
  },
};

/** What a filter leaves can be browsed without a query, the newest first. */
const FILTERS = ['type', 'concept', 'file', 'since', 'until', 'session', 'branch'];

function readQuery(given: Arguments): string {
  const isFiltered = FILTERS.some((name) => given[name] !== undefined && given[name] !== '');
  return isFiltered ? (readText(given, 'query', MAX_QUERY) ?? '') : requireText(given, 'query', MAX_QUERY);
}

function sayAnswer({ results, total, offset, project, note }: SearchAnswer): string {
  const where = project === null ? 'every project' : sayPlainly(project);
  if (results.length === 0) {
    const advice = 'Try fewer or other words, or no filters.';
    return sayMemories(`Nothing found in ${where}.`, sayPlainly(note), advice);
  }
  const next = offset + results.length;
  return sayMemories(
    `${results.length} of ${total} in ${where}${next < total ? `, more with offset=${next}` : ''}:`,
    sayPlainly(note),
    renderRanked(results, { withProject: project === null }),
  );
}
