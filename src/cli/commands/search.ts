// `claude-mem search`: what the memory knows about something. `timeline`: what happened around a memory, a moment or the best hit.
import { formatRef, parseRef } from '../../core/memory.ts';
import { plainLine } from '../../core/plain-line.ts';
import { renderInOrder, renderRanked, renderRecord } from '../../core/render.ts';
import type { TimelineAnswer } from '../../core/shapes/memory.ts';
import type { SearchAnswer, SearchHit, SessionHit } from '../../core/shapes/search.ts';
import { formatMoment } from '../../core/time.ts';
import { command, type Outcome } from '../command.ts';
import { openMemory, readCount, readList, readScope, SCOPE } from '../options.ts';
import { findTerminal, renderMemories } from '../print.ts';

export const searchCommand = command({
  name: 'search [query...]',
  about: 'Find memories by words, meaning, time and files; with a filter and no query, the newest',
  options: {
    ...SCOPE,
    '--type <types>': 'decision, bugfix, feature, refactor, discovery, change, summary, prompt; separated by commas',
    '--concept <word>': 'Only with this concept',
    '--file <path>': 'Only about this file, or the end of its path',
    '--since <when>': 'A date, "3 days", 2h, yesterday, monday',
    '--until <when>': 'The same for the end',
    '--session <id>': 'Only of this session',
    '--branch <name>': 'Only of this branch',
    '--order <order>': 'relevance or date',
    '--limit <count>': 'How many (10)',
    '--offset <count>': 'Skip the first ones',
    '--why': 'How each score was computed',
    '--sessions': 'Sessions instead of memories',
  },
  examples: ['claude-mem search retry limit --type decision,bugfix --since "2 weeks"'],
  // An agent asks for its own project; the worker sees to it.
  who: 'anyone',
  async run(words, options): Promise<Outcome> {
    const { concept, file, since, until, session, branch, order, why, sessions, type, limit, offset } = options;
    const query = words.join(' ').trim();
    const filters = { concept, file, since, until, session, branch, type: readList(type) };
    if (sessions && (why || order)) throw new Error('--why and --order are about memories: leave out --sessions.');
    if (order !== undefined && order !== 'relevance' && order !== 'date')
      throw new Error(`--order takes relevance or date, not "${order.slice(0, 60)}".`);
    if (query === '' && Object.values(filters).every((filter) => filter === undefined))
      throw new Error('Say what to search for, or give a filter: claude-mem search retry limit --since "2 weeks"');
    const page = { limit: readCount('--limit', limit, 1), offset: readCount('--offset', offset) };
    const parameters = { query, ...readScope(options), ...filters, order, ...page, why } as const;
    if (sessions) {
      const answer = await openMemory().searchSessions(parameters);
      return { answer, memories: () => describeSessions(answer.results, query) };
    }
    const answer = await openMemory().search(parameters);
    return { answer, memories: () => describe(answer, query) };
  },
});

function describe(answer: SearchAnswer, query: string): string {
  const { results, total, offset, project } = answer;
  const note = answer.note && plainLine(answer.note, 400);
  if (results.length === 0) {
    const wanted = query === '' ? '' : ` for "${plainLine(query, 80)}"`;
    const where = project === null ? 'any project' : plainLine(project, 80);
    return [`Nothing found${wanted} in ${where}.`, ...(note ? [note] : []), adviseOn(query)].join('\n');
  }
  const next = offset + results.length;
  return [
    ...(note ? [note] : []),
    renderMemories(results, { withProject: project === null }, renderRanked),
    ...results.flatMap(describeWhy),
    ...(next < total ? [`${results.length} of ${total}. More: --offset ${next}`] : []),
  ].join('\n');
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

function describeSessions(sessions: SessionHit[], query: string): string {
  if (sessions.length === 0) return `No session found. ${adviseOn(query)}`;
  return sessions
    .map(({ session, title, project, at, best }) => {
      const name = `${plainLine(title ?? 'untitled', 160)} (${plainLine(project, 80)}, session ${plainLine(session, 80)})`;
      return [findTerminal().paint('bold', `${formatMoment(at)} ${name}`), ...renderRanked(best).map((line) => `  ${line}`)].join('\n');
    })
    .join('\n\n');
}

export const timelineCommand = command({
  name: 'timeline [anchor-or-query...]',
  about: 'Show what happened around an id (123, S12, P34), a time, or the best hit of a query',
  options: {
    '--before <count>': 'How many before it',
    '--after <count>': 'How many after it',
    '--type <types>': 'Only these types, separated by commas',
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
    return { answer, memories: () => describeTimeline(answer, options.all === true) };
  },
});

/** An id, a time, else a query; nothing said is now. */
function readAround(said: string): { anchor: string } | { query: string } {
  if (said === '') return { anchor: new Date().toISOString() };
  const ref = parseRef(said);
  if (ref) return { anchor: formatRef(ref) };
  const isTime = /^\d{4}-\d{2}-\d{2}([T ][\d:.]+(Z|[+-]\d{2}:?\d{2})?)?$/.test(said) && !Number.isNaN(Date.parse(said));
  return isTime ? { anchor: said } : { query: said };
}

function describeTimeline({ items, anchor, record, note }: TimelineAnswer, withProject: boolean): string {
  const head = note ? [plainLine(note, 400)] : [];
  const none = 'Nothing happened there. Find an id with `claude-mem search`, or add --all for every project.';
  if (items.length === 0) return [...head, none].join('\n');
  const around = anchor === null || findTerminal().isTerminal ? [] : [`Around #${anchor}:`];
  const turn = record ? [`#${record.id}`, ...renderRecord(record)] : [];
  return [...head, ...around, renderMemories(items, { withProject, anchor }, renderInOrder), ...turn].join('\n');
}
