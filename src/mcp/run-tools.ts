// What the tools do, once one is called: ask the memory, and say what it answers. Its own bundle, loaded then.
import { plainLine, sayMemories, sayPlainly } from '../core/plain-line.ts';
import { renderInOrder, renderMemory, renderRanked, renderRecord } from '../core/render.ts';
import type { BatchAnswer } from '../core/shapes/memory.ts';
import type { SearchAnswer } from '../core/shapes/search.ts';
import { estimateTokens } from '../core/text.ts';
import { type Given, ROWS, type ToolDeps } from './tool.ts';
import type { FIELDS } from './tools.ts';

export { plainLine };

type Asked<Name extends keyof typeof FIELDS> = Given<(typeof FIELDS)[Name]>;

const MOST_OF_A_FILE = 60;
/** Claude Code refuses a result over 25,000 tokens; a reader rarely wants half of that at once. */
const MAX_TOKENS = 12_000;

export async function search({ query, project, all, ...asked }: Asked<'search'>, { calls, scope }: ToolDeps): Promise<string> {
  const { type, concept, file, since, until, session, branch } = asked;
  // What a filter leaves can be browsed without a query, the newest first.
  if (query === undefined && ![type, concept, file, since, until, session, branch].some(Boolean))
    throw new Error('`query` is missing. Give it as a text.');
  return sayFound(await calls.search({ query: query ?? '', ...asked, ...(all ? { all } : project ? { project } : scope) }));
}

function sayFound({ results: all, total, offset, limit, project, note }: SearchAnswer): string {
  const results = limit > ROWS ? all : upToLastWords(all);
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

/** Whoever was given some of them gets what else there is to say: titles alone, behind the last words, come with the next page. */
function upToLastWords(rows: SearchAnswer['results']): SearchAnswer['results'] {
  const last = rows.findLastIndex(({ snippet }) => snippet);
  return last >= 0 && rows.some(({ isGiven }) => isGiven) ? rows.slice(0, last + 1) : rows;
}

export async function timeline({ anchor, query, project, ...asked }: Asked<'timeline'>, { calls, scope }: ToolDeps): Promise<string> {
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
}

/** How the rest of a record is read. */
const restOf = (id: string) => `get_observations(ids=["${id}"], full=true)`;

export async function getObservations({ ids: wanted, full }: Asked<'get_observations'>, { calls }: ToolDeps): Promise<string> {
  const { memories, missing } = await calls.readMemories(wanted, { full });
  const { shown, left } = fill(memories);
  return sayMemories(
    shown,
    left.length > 0 ? `Left out for want of room; ask again for: ${left.join(', ')}` : null,
    missing.length > 0 ? `Not there (never, or forgotten): ${missing.join(', ')}` : null,
  );
}

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

export async function fileHistory({ path: asked }: Asked<'file_history'>, { calls, scope }: ToolDeps): Promise<string> {
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
}

const UNKNOWN_PROJECT =
  'It is not known which project this is about. Give `global` if it applies in every project, or the ' +
  'user adds ?cwd=/path/of/the/project to the address of this server.';

export async function remember(said: Asked<'remember'>, { calls, scope }: ToolDeps): Promise<string> {
  if ('all' in scope && !said.global) throw new Error(UNKNOWN_PROJECT);
  const place = 'all' in scope ? {} : scope;
  const { id, title, project, isNew } = await calls.remember({ ...said, ...place, by: 'agent' });
  const done = isNew ? 'Remembered' : 'This was known already';
  const where = `${done} as #${id} in ${plainLine(project, 80)}: ${plainLine(title, 160)}`;
  if (!said.global) return where;
  return `${where}\nSearches find it everywhere. To add it to every session, the user runs: claude-mem remember --global "…"`;
}

/** Their bytes go when a person says so: what a model was talked into can be undone. */
export async function forget({ ids: wanted }: Asked<'forget'>, { calls }: ToolDeps): Promise<string> {
  await calls.hide(wanted);
  const said = wanted.map((id) => `#${id}`).join(', ');
  return `Hidden: ${said}. Still on disk until the user runs \`claude-mem forget ${wanted.join(' ')}\` in a terminal.`;
}
