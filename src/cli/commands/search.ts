// `claude-mem search`: what the memory knows about something.

import { plainLine } from '../../core/plain-line.ts';
import { renderRanked } from '../../core/render.ts';
import type { SearchParameters } from '../../core/search.ts';
import type { ScoreParts, SearchAnswer, SearchHit, SessionHit } from '../../core/shapes/search.ts';
import { formatMoment } from '../../core/time.ts';
import { command, type OptionsOf } from '../command.ts';
import { openMemory } from '../open-memory.ts';
import { readCount, readList, readScope } from '../options.ts';
import { findTerminal, printJson, renderMemoryTable, type Terminal } from '../print.ts';

const OPTIONS = {
  '--all': 'every project, not only the one you are in',
  '--project <name>': 'another project',
  '--type <types>': 'decision, bugfix, feature, refactor, discovery, change, summary, prompt; separated by commas',
  '--concept <word>': 'only with this concept',
  '--file <path>': 'only about this file, or the end of its path',
  '--since <when>': 'a date, "3 days", 2h, yesterday, monday',
  '--until <when>': 'the same for the end',
  '--session <id>': 'only of this session',
  '--branch <name>': 'only of this branch',
  '--order <order>': 'relevance or date',
  '--limit <count>': 'how many (10)',
  '--offset <count>': 'leave out the first ones',
  '--why': 'how each score came about',
  '--sessions': 'sessions instead of memories',
  '--json': 'as JSON',
};

export const searchCommand = command({
  name: 'search [query...]',
  about: 'find memories: by words, meaning, time and files; with a filter and no query, the newest',
  options: OPTIONS,
  examples: ['claude-mem search retry limit --type decision,bugfix --since "2 weeks"'],
  // An agent asks for its own project; the worker sees to it.
  who: 'anyone',
  async run(words, options) {
    const api = openMemory();
    const parameters = readParameters(words, options);
    const terminal = findTerminal();
    if (options.sessions) {
      const answer = await api.searchSessions(parameters);
      return options.json ? printJson(answer) : terminal.print(describeSessions(answer.results, terminal, parameters.query));
    }
    const answer = await api.search(parameters);
    if (options.json) return printJson(answer);
    terminal.print(describe(answer, terminal, parameters.query));
  },
});

/** What each leaves can be looked through without a query. */
const FILTERS = ['type', 'concept', 'file', 'since', 'until', 'session', 'branch'] as const;

function readParameters(words: string[], options: OptionsOf<typeof OPTIONS>): SearchParameters {
  const { order, why, sessions } = options;
  if (sessions && (why || order)) throw new Error('--why and --order are about memories: leave out --sessions.');
  if (order !== undefined && order !== 'relevance' && order !== 'date') {
    throw new Error(`--order takes relevance or date, not "${order.slice(0, 60)}".`);
  }
  const query = words.join(' ').trim();
  if (query === '' && !FILTERS.some((name) => options[name] !== undefined)) {
    throw new Error('Say what to search for, or give a filter: claude-mem search retry limit --since "2 weeks"');
  }
  return {
    query,
    ...readScope(options),
    type: readList(options.type),
    concept: options.concept,
    file: options.file,
    since: options.since,
    until: options.until,
    session: options.session,
    branch: options.branch,
    order,
    limit: readCount('--limit', options.limit, 1),
    offset: readCount('--offset', options.offset),
    why,
  };
}

function describe(answer: SearchAnswer, terminal: Terminal, query: string): string {
  const { results, total, offset, project } = answer;
  const note = answer.note && plainLine(answer.note, 400);
  const where = project === null ? 'any project' : plainLine(project, 80);
  if (results.length === 0) {
    const wanted = query === '' ? '' : ` for "${plainLine(query, 80)}"`;
    return join([`Nothing found${wanted} in ${where}.`, note, adviseOn(query)]);
  }
  const options = { withProject: project === null };
  const rows = terminal.isTerminal ? renderMemoryTable(results, terminal, options) : renderRanked(results, options).join('\n');
  const next = offset + results.length;
  const more = next < total ? `${results.length} of ${total}. More: --offset ${next}` : null;
  return join([note, rows, ...results.map(({ id, score, why, alike }) => describeWhy(why, { id, score, alike })), more]);
}

/** Whoever gave no words cannot give fewer. */
const adviseOn = (query: string) =>
  `${query === '' ? 'Leave' : 'Try fewer or other words, leave'} out filters, or add --all for every project.`;

type Scored = Pick<SearchHit, 'id' | 'score' | 'alike'>;

function describeWhy(why: ScoreParts | undefined, { id, score, alike }: Scored): string | null {
  if (!why) return null;
  const { words, ...parts } = why;
  const sum = Object.entries(parts).map(([name, value]) => `${name} ${value.toFixed(3)}`);
  const said = words.length > 0 ? `, words: ${words.map((word) => plainLine(word, 40)).join(' ')}` : '';
  const folded = alike.length > 0 ? `, alike: ${alike.map((one) => `#${one}`).join(' ')}` : '';
  return `#${id} scores ${score.toFixed(3)} = ${sum.join(' + ')}${said}${folded}`;
}

function describeSessions(sessions: SessionHit[], { paint }: Terminal, query: string): string {
  if (sessions.length === 0) return `No session found. ${adviseOn(query)}`;
  return sessions
    .map(({ session, title, project, at, best }) => {
      const head =
        `${formatMoment(at)} ${plainLine(title ?? 'untitled', 160)} (${plainLine(project, 80)}, session ` + `${plainLine(session, 80)})`;
      return [paint('bold', head), ...renderRanked(best).map((line) => `  ${line}`)].join('\n');
    })
    .join('\n\n');
}

const join = (parts: (string | null)[]) => parts.filter(Boolean).join('\n');
