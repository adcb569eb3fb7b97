// The tools, in the order in which they are of use: search, timeline and get_observations are three layers, cheapest first.
import { OBSERVATION_TYPES } from '../core/observation.ts';
import { plainLine } from '../core/plain-line.ts';
import { renderInOrder, renderMemory, renderRanked, renderRecord } from '../core/render.ts';
import type { BatchAnswer } from '../core/shapes/memory.ts';
import type { SearchAnswer } from '../core/shapes/search.ts';
import { estimateTokens } from '../core/text.ts';
import { sayMemories, sayPlainly } from './say.ts';
import { choice, choices, count, defineTool, flag, ids, needed, type Tool, text } from './tool.ts';

const MEMORY_TYPES = [...OBSERVATION_TYPES, 'summary', 'prompt'] as const;
const ORDERS = ['relevance', 'date'] as const;
/** A whole log may be pasted: its beginning is what is searched for. */
const MAX_QUERY = 100_000;
/** Rows carry the words that answer: a few are enough to choose by. */
const ROWS = 6;
const MOST_OF_A_FILE = 60;
/** Claude Code refuses a result over 25,000 tokens; a reader rarely wants half of that at once. */
const MAX_TOKENS = 12_000;

export const search = defineTool({
  name: 'search',
  description:
    'Find memories of past sessions. If the query is not English, search a second time in English. ' +
    'Gives index rows: #id day type title (~tokens to read it); the best with the words that answer. ' +
    'P ids: a turn. Then get_observations(ids), or timeline(anchor=id) for what happened around one',
  fields: {
    query: text(undefined, MAX_QUERY),
    type: choices(MEMORY_TYPES, `${MEMORY_TYPES.join()}: one or several`),
    concept: text(),
    file: text(),
    since: text('ISO date, "3 days", "yesterday"'),
    until: text(),
    session: text(),
    branch: text(),
    project: text('default: this one', 200),
    all: flag('every project'),
    order: choice(ORDERS, { enum: ORDERS }),
    limit: count(1, 100, ROWS),
    offset: count(0, 1_000_000),
  },
  async run({ query, project, all, ...asked }, { calls, scope }) {
    const { type, concept, file, since, until, session, branch } = asked;
    // What a filter leaves can be browsed without a query, the newest first.
    if (query === undefined && ![type, concept, file, since, until, session, branch].some(Boolean))
      throw new Error('`query` is missing. Give it as a text.');
    return sayFound(await calls.search({ query: query ?? '', ...asked, ...(all ? { all } : project ? { project } : scope) }));
  },
});

function sayFound({ results, total, offset, project, note }: SearchAnswer): string {
  if (results.length === 0) {
    const where = project === null ? 'every project' : sayPlainly(project);
    return sayMemories(`Nothing found in ${where}.`, sayPlainly(note), 'Try fewer or other words, or no filters.');
  }
  const next = offset + results.length;
  return sayMemories(
    `${results.length} of ${total}${project === null ? ' in every project' : ''}${next < total ? `, more with offset=${next}` : ''}:`,
    sayPlainly(note),
    renderRanked(results, { withProject: project === null }),
  );
}

const timeline = defineTool({
  name: 'timeline',
  description: 'What happened around an anchor, oldest first: observations, summaries, prompts',
  fields: {
    anchor: text('id (123, S12, P34) or ISO time'),
    query: text('instead: around its best hit', MAX_QUERY),
    depth_before: count(0, 50, 10),
    depth_after: count(0, 50, 10),
    type: choices(MEMORY_TYPES),
    project: text(undefined, 200),
  },
  async run({ anchor, query, project, ...asked }, { calls, scope }) {
    if (!anchor && !query) throw new Error('Give an `anchor` (an id or an ISO time) or a `query`.');
    const where = project ? { project } : scope;
    const { items, note, record, ...answer } = await calls.readTimeline({ ...where, ...asked, ...(anchor ? { anchor } : { query }) });
    if (items.length === 0) return sayMemories('Nothing there.', sayPlainly(note), 'Find an id with search and use it as anchor.');
    return sayMemories(
      answer.anchor === null ? null : `Around ${sayPlainly(answer.anchor)}:`,
      sayPlainly(note),
      renderInOrder(items),
      record ? [`#${record.id}`, ...renderRecord(record, { rest: restOf })] : null,
      'Read in full: get_observations(ids).',
    );
  },
});

/** How the rest of a record is read. */
const restOf = (id: string) => `get_observations(ids=["${id}"], full=true)`;

const getObservations = defineTool({
  name: 'get_observations',
  description: 'Read memories in full; several ids in one call. P ids give what was said and done in that turn',
  fields: { ids: ids(100, '123, S12, P34'), full: flag('all of a turn: output, diffs') },
  required: ['ids'],
  async run({ ids: wanted, full }, { calls }) {
    const { memories, missing } = await calls.readMemories(wanted, { full });
    const { shown, left } = fill(memories);
    return sayMemories(
      shown,
      left.length > 0 ? `Left out for want of room; ask again for: ${left.join(', ')}` : null,
      missing.length > 0 ? `Not there (never, or forgotten): ${missing.join(', ')}` : null,
    );
  },
});

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

const fileHistory = defineTool({
  name: 'file_history',
  description: 'Memories that changed or read a file, newest first. Worth a look before changing it',
  fields: { path: needed() },
  required: ['path'],
  async run({ path: asked }, { calls, scope }) {
    const { path, earlierNames, results, total } = await calls.readFileHistory({ path: asked, ...scope });
    const name = plainLine(path, 300);
    if (results.length === 0) return sayMemories(`No memory of ${name}.`);
    const shown = results.slice(0, MOST_OF_A_FILE);
    const list = (heading: string, did: 'changed' | 'read') => {
      // Without their file: it is the one that was asked about.
      const rows = renderInOrder(shown.filter((row) => row.did === did).map((row) => ({ ...row, file: null })));
      return rows.length === 0 ? [] : [heading, ...rows];
    };
    return sayMemories(
      `${name}: ${shown.length} of ${total}`,
      earlierNames.length > 0 ? `Earlier names: ${plainLine(earlierNames.join(', '), 400)}` : null,
      list('Changed it:', 'changed'),
      list('Read it:', 'read'),
    );
  },
});

const UNKNOWN_PROJECT =
  'It is not known which project this is about. Give `global` if it applies in every project, or the ' +
  'user adds ?cwd=/path/of/the/project to the address of this server.';

const remember = defineTool({
  name: 'remember',
  description: 'Keep something for later sessions, when the user asks or a decision must last',
  fields: {
    text: needed(20_000),
    title: text(undefined, 300),
    type: choice(OBSERVATION_TYPES, { type: 'string', default: 'decision' }),
    global: flag('applies in every project'),
  },
  required: ['text'],
  async run(said, { calls, scope }) {
    if ('all' in scope && !said.global) throw new Error(UNKNOWN_PROJECT);
    const place = 'all' in scope ? {} : scope;
    const { id, title, project, isNew } = await calls.remember({ ...said, ...place, by: 'agent' });
    const done = isNew ? 'Remembered' : 'This was known already';
    const where = `${done} as #${id} in ${plainLine(project, 80)}: ${plainLine(title, 160)}`;
    if (!said.global) return where;
    return `${where}\nSearches find it everywhere. To add it to every session, the user runs: claude-mem remember --global "…"`;
  },
});

/** Their bytes go when a person says so: what a model was talked into can be undone. */
const forget = defineTool({
  name: 'forget',
  description: 'Hide memories at once. Only the user can erase them: `claude-mem forget`',
  fields: { ids: ids(100) },
  required: ['ids'],
  async run({ ids: wanted }, { calls }) {
    await calls.hide(wanted);
    const said = wanted.map((id) => `#${id}`).join(', ');
    return `Hidden: ${said}. Still on disk until the user runs \`claude-mem forget ${wanted.join(' ')}\` in a terminal.`;
  },
});

export const TOOLS: Tool[] = [search, timeline, getObservations, fileHistory, remember, forget];
