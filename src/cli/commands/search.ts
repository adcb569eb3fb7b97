// `claude-mem search`: what the memory knows about something.

import { formatDate, formatTime } from '../../core/local-time.ts';
import { plainLine } from '../../core/plain-line.ts';
import { renderRanked } from '../../core/render-index.ts';
import type { ScoreParts, SearchAnswer, SearchHit, SearchParameters, SessionHit } from '../../core/search.ts';
import { printJson, readCount, readList, readScope, type ScopeOptions } from '../memory-options.ts';
import { renderMemoryTable } from '../memory-table.ts';
import { openMemory } from '../open-memory.ts';
import { findTerminal, type Terminal } from '../terminal.ts';

export type SearchOptions = ScopeOptions & {
  type?: string;
  concept?: string;
  file?: string;
  since?: string;
  until?: string;
  session?: string;
  branch?: string;
  order?: string;
  limit?: string;
  offset?: string;
  why?: boolean;
  sessions?: boolean;
  json?: boolean;
};

export async function search(words: string[], options: SearchOptions): Promise<void> {
  const api = openMemory();
  const parameters = readParameters(words, options);
  const terminal = findTerminal();
  if (options.sessions) {
    const answer = await api.searchSessions(parameters);
    return options.json
      ? printJson(answer)
      : terminal.print(describeSessions(answer.results, terminal, parameters.query));
  }
  const answer = await api.search(parameters);
  if (options.json) return printJson(answer);
  terminal.print(describe(answer, terminal, parameters.query));
}

/** What each leaves can be looked through without a query. */
const FILTERS = ['type', 'concept', 'file', 'since', 'until', 'session', 'branch'] as const;

function readParameters(words: string[], options: SearchOptions): SearchParameters {
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
  const rows = terminal.isTerminal
    ? renderMemoryTable(results, terminal, options)
    : renderRanked(results, options).join('\n');
  const next = offset + results.length;
  const more = next < total ? `${results.length} of ${total}. More: --offset ${next}` : null;
  return join([
    note,
    rows,
    ...results.map(({ id, score, why, alike }) => describeWhy(why, { id, score, alike })),
    more,
  ]);
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
      const head = `${formatDate(at)} ${formatTime(at)} ${plainLine(title ?? 'untitled', 160)} (${plainLine(project, 80)}, session ${plainLine(session, 80)})`;
      return [paint('bold', head), ...renderRanked(best).map((line) => `  ${line}`)].join('\n');
    })
    .join('\n\n');
}

const join = (parts: (string | null)[]) => parts.filter(Boolean).join('\n');
