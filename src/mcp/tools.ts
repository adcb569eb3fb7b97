// The tools, in the order in which they are of use: search, timeline and get_observations are three layers, cheapest first. A host waits
// for this list at every start: what they do is loaded when one is called.
import { OBSERVATION_TYPES } from '../core/observation.ts';
import { choice, choices, count, defineTool, flag, ids, needed, ROWS, type Tool, text } from './tool.ts';

const MEMORY_TYPES = [...OBSERVATION_TYPES, 'summary', 'prompt'] as const;
const ORDERS = ['relevance', 'date'] as const;
/** A whole log may be pasted: its beginning is what is searched for. */
const MAX_QUERY = 100_000;

/** What each is given. */
export const FIELDS = {
  search: {
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
  timeline: {
    anchor: text('id (123, S12, P34) or ISO time'),
    query: text('instead: around its best hit', MAX_QUERY),
    depth_before: count(0, 50, 10),
    depth_after: count(0, 50, 10),
    type: choices(MEMORY_TYPES),
    project: text(undefined, 200),
  },
  get_observations: { ids: ids(100, '123, S12, P34'), full: flag('all of a turn: output, diffs') },
  file_history: { path: needed() },
  remember: {
    text: needed(20_000),
    title: text(undefined, 300),
    type: choice(OBSERVATION_TYPES, { type: 'string', default: 'decision' }),
    global: flag('applies in every project'),
  },
  forget: { ids: ids(100) },
};

const load = () => import('./run-tools.ts');

export const search = defineTool({
  name: 'search',
  description:
    'Find memories of past sessions. If the query is not English, search a second time in English. ' +
    'Gives index rows: #id day type title (~tokens to read it); the best with the words that answer. ' +
    'P ids: a turn. Then get_observations(ids), or timeline(anchor=id) for what happened around one',
  fields: FIELDS.search,
  run: async (given, deps) => (await load()).search(given, deps),
});

const timeline = defineTool({
  name: 'timeline',
  description: 'What happened around an anchor, oldest first: observations, summaries, prompts',
  fields: FIELDS.timeline,
  run: async (given, deps) => (await load()).timeline(given, deps),
});

const getObservations = defineTool({
  name: 'get_observations',
  description: 'Read memories in full; several ids in one call. P ids give what was said and done in that turn',
  fields: FIELDS.get_observations,
  required: ['ids'],
  run: async (given, deps) => (await load()).getObservations(given, deps),
});

const fileHistory = defineTool({
  name: 'file_history',
  description: 'Memories that changed or read a file, newest first. Worth a look before changing it',
  fields: FIELDS.file_history,
  required: ['path'],
  run: async (given, deps) => (await load()).fileHistory(given, deps),
});

const remember = defineTool({
  name: 'remember',
  description: 'Keep something for later sessions, when the user asks or a decision must last',
  fields: FIELDS.remember,
  required: ['text'],
  run: async (given, deps) => (await load()).remember(given, deps),
});

const forget = defineTool({
  name: 'forget',
  description: 'Hide memories at once. Only the user can erase them: `claude-mem forget`',
  fields: FIELDS.forget,
  required: ['ids'],
  run: async (given, deps) => (await load()).forget(given, deps),
});

export const TOOLS: Tool[] = [search, timeline, getObservations, fileHistory, remember, forget];
