// `claude-mem search`: what the memory knows about something. `timeline`: what happened around a memory, a moment or the best hit.
import { formatRef, MEMORY_KINDS, parseRef } from '../../core/memory.ts';
import { OBSERVATION_TYPES } from '../../core/observation.ts';
import { plainLine } from '../../core/plain-line.ts';
import { renderInOrder, renderMemory, renderRanked, renderRecord } from '../../core/render.ts';
import type { SearchParameters } from '../../core/shapes/asked.ts';
import type { TimelineAnswer } from '../../core/shapes/memory.ts';
import type { SearchAnswer, SearchHit, SessionHit } from '../../core/shapes/search.ts';
import { formatMoment } from '../../core/time.ts';
import { canMove } from '../../environment.ts';
import { canAsk } from '../ask.ts';
import { command, misuse, type Outcome, oneOf, someOf } from '../command.ts';
import { findInteractively } from '../finder.ts';
import { openMemory, readCount, readList, readScope, SCOPE } from '../options.ts';
import { type Column, findTerminal, isForProgram, renderMemories, renderTable, whenColumn } from '../print.ts';
import { INTERRUPTED } from '../watch-job.ts';

const MEMORY_TYPES = [...OBSERVATION_TYPES, ...MEMORY_KINDS];

export const searchCommand = command({
  name: 'search [query...]',
  about: 'Find memories by words, meaning, time or file',
  options: {
    ...SCOPE,
    '--type <types>': someOf('Only these types', MEMORY_TYPES),
    '--concept <word>': 'Only with this concept',
    '--file <path>': 'Only about this file, or the end of its path',
    '--since <when>': 'A date, "3 days", 2h, yesterday, monday',
    '--until <when>': 'The same for the end',
    '--session <id>': 'Only of this session',
    '--branch <name>': 'Only of this branch',
    '--order <order>': oneOf('What comes first', ['relevance', 'date']),
    '--limit <count>': 'How many (10)',
    '--offset <count>': 'Skip the first ones',
    '--why': 'How each score was computed',
    '--sessions': 'Sessions instead of memories',
    '-i, --interactive': 'Find as you type, with a preview; Enter prints the memory, Ctrl-Y copies it',
  },
  help: 'With a filter and no query: the newest.',
  examples: ['claude-mem search retry limit --type decision,bugfix --since "2 weeks"', 'claude-mem search -i'],
  // An agent asks for its own project; the worker sees to it.
  who: 'anyone',
  async run(words, options): Promise<Outcome> {
    const { concept, file, since, until, session, branch, order, why, sessions, type, limit, offset } = options;
    const query = words.join(' ').trim();
    const filters = { concept, file, since, until, session, branch, type: readList(type) };
    if (sessions && (why || order)) throw misuse('--why and --order are about memories: leave out --sessions.');
    if (options.interactive) return chooseMemory(query, { ...readScope(options), ...filters, order });
    if (query === '' && Object.values(filters).every((filter) => filter === undefined))
      throw misuse('Say what to search for, or give a filter: claude-mem search retry limit --since "2 weeks"');
    const page = { limit: readCount('--limit', limit, 1), offset: readCount('--offset', offset) };
    const parameters = { query, ...readScope(options), ...filters, order, ...page, why } as const;
    if (sessions) {
      const answer = await openMemory().searchSessions(parameters);
      if (answer.results.length === 0) return { answer, memories: () => '', notes: [`No session found. ${adviseOn(query)}`] };
      return { answer, memories: () => describeSessions(answer.results) };
    }
    const answer = await openMemory().search(parameters);
    return { answer, ...describe(answer, query) };
  },
});

/** Above this nobody scrolls. */
const MOST_SHOWN = 40;

async function chooseMemory(query: string, asked: Omit<SearchParameters, 'query'>): Promise<Outcome> {
  if (!canAsk() || !canMove(process.stderr))
    throw new Error('--interactive needs a terminal that can move its cursor, and a person at it.');
  const api = openMemory();
  const read = async (id: string) => (await api.readMemories([id])).memories[0];
  const chosen = await findInteractively({
    query,
    find: (words) => api.search({ ...asked, query: words, limit: MOST_SHOWN, order: words.trim() === '' ? 'date' : asked.order }),
    preview: async (id) => {
      const memory = await read(id);
      return memory ? renderMemory(memory).join('\n') : '';
    },
  });
  const memory = chosen && (await read(chosen.hit.id));
  if (!memory) {
    process.exitCode = INTERRUPTED;
    return undefined;
  }
  const text = renderMemory(memory).join('\n');
  if (!chosen.copied) return { answer: memory, memories: () => text };
  // Understood by the terminal, also over ssh: OSC 52.
  process.stderr.write(`\x1b]52;c;${Buffer.from(text).toString('base64')}\x07`);
  return { answer: memory, memories: () => '', notes: [`Copied #${memory.id}, if your terminal lets programs copy.`] };
}

function describe(answer: SearchAnswer, query: string): { memories: () => string; notes: string[] } {
  const { results, total, offset, project } = answer;
  const note = answer.note ? [plainLine(answer.note, 400)] : [];
  if (results.length === 0) {
    const wanted = query === '' ? '' : ` for "${plainLine(query, 80)}"`;
    const where = project === null ? 'any project' : plainLine(project, 80);
    return { memories: () => '', notes: [`Nothing found${wanted} in ${where}.`, ...note, adviseOn(query)] };
  }
  const next = offset + results.length;
  return {
    memories: () => renderMemories(results, { withProject: project === null, query }, renderRanked),
    notes: [...note, ...results.flatMap(describeWhy), ...(next < total ? [`${results.length} of ${total}. More: --offset ${next}`] : [])],
  };
}

/** Whoever gave no words cannot give fewer. */
const adviseOn = (query: string) =>
  `${query === '' ? 'Leave' : 'Try fewer or other words, leave'} out filters, or add --all for every project.`;

function describeWhy({ why, id, score, alike }: SearchHit): string[] {
  if (!why) return [];
  const { words, ...parts } = why;
  const sum = Object.entries(parts).map(([name, value]) => `${name} ${value.toFixed(3)}`);
  const said = words.length > 0 ? `, words: ${words.map((word) => plainLine(word, 40)).join(' ')}` : '';
  const folded = alike.length > 0 ? `, alike: ${alike.map((one) => `#${one}`).join(' ')}` : '';
  return [`#${id} scores ${score.toFixed(3)} = ${sum.join(' + ')}${said}${folded}`];
}

function describeSessions(sessions: SessionHit[]): string {
  const { paint } = findTerminal();
  if (isForProgram()) return renderTable(SESSION_COLUMNS, sessions);
  return sessions
    .map(({ session, title, project, at, best }) => {
      const name = `${plainLine(title ?? 'untitled', 160)} (${plainLine(project, 80)}, session ${plainLine(session, 80)})`;
      return [paint('bold', `${formatMoment(at)} ${name}`), ...renderRanked(best).map((line) => `  ${line}`)].join('\n');
    })
    .join('\n\n');
}

const SESSION_COLUMNS: Column<SessionHit>[] = [
  { heading: 'session', cell: ({ session }) => session },
  whenColumn('when', ({ at }) => at),
  { heading: 'project', cell: ({ project }) => project },
  { heading: 'title', cell: ({ title }) => title ?? '' },
  { heading: 'best', cell: ({ best }) => best.map(({ id }) => id).join(' ') },
];

export const timelineCommand = command({
  name: 'timeline [anchor-or-query...]',
  about: 'Show what happened around a memory, a time or the best hit',
  help: 'Around an id (123, S12, P34), an ISO time, or the best hit of a query. Without any: now.',
  options: {
    '--before <count>': 'How many before it',
    '--after <count>': 'How many after it',
    '--type <types>': someOf('Only these types', MEMORY_TYPES),
    ...SCOPE,
  },
  examples: ['claude-mem timeline 123 --before 5 --after 5', 'claude-mem timeline retry limit'],
  who: 'anyone',
  async run(words, options) {
    const answer = await openMemory().readTimeline({
      ...readAround(words.join(' ').trim()),
      ...readScope(options),
      depth_before: readCount('--before', options.before),
      depth_after: readCount('--after', options.after),
      type: readList(options.type),
    });
    return { answer, ...describeTimeline(answer, options.all === true) };
  },
});

function readAround(said: string): { anchor: string } | { query: string } {
  if (said === '') return { anchor: new Date().toISOString() };
  const ref = parseRef(said);
  if (ref) return { anchor: formatRef(ref) };
  const isTime = /^\d{4}-\d{2}-\d{2}([T ][\d:.]+(Z|[+-]\d{2}:?\d{2})?)?$/.test(said) && !Number.isNaN(Date.parse(said));
  return isTime ? { anchor: said } : { query: said };
}

function describeTimeline(
  { items, anchor, record, note }: TimelineAnswer,
  withProject: boolean,
): { memories: () => string; notes: string[] } {
  const head = note ? [plainLine(note, 400)] : [];
  const advice = 'Find an id with `claude-mem search`, or add --all for every project.';
  if (items.length === 0) return { memories: () => '', notes: [...(note ? head : ['Nothing happened there.']), advice] };
  const turn = record && !isForProgram() ? [`#${record.id}`, ...renderRecord(record)] : [];
  const around = anchor === null || findTerminal().isTerminal ? [] : [`Around #${anchor}.`];
  const memories = () => [renderMemories(items, { withProject, anchor }, renderInOrder), ...turn].join('\n');
  return { memories, notes: [...head, ...around] };
}
