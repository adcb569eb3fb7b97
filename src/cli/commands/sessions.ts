// `claude-mem sessions`, `show` and `recap`: what came of a session, all of a memory, what was done in a time.
import { parseRef } from '../../core/memory.ts';
import { plainLine } from '../../core/plain-line.ts';
import { renderMemory } from '../../core/render.ts';
import type { Memory } from '../../core/shapes/memory.ts';
import type { ListedSession } from '../../core/shapes/project.ts';
import { sayCount } from '../../core/text.ts';
import { formatMoment } from '../../core/time.ts';
import { command, type Outcome } from '../command.ts';
import { nameIds, openMemory, readCount, readIds, readScope, SCOPE } from '../options.ts';
import { type Column, clip, describeRollUp, findTerminal, listed, printOutcome, whenColumn } from '../print.ts';

export const sessionsCommand = command({
  name: 'sessions [session]',
  about: 'List the sessions of this project, or show one',
  help: 'Of one, by the beginning of its id: what was done, decided and left open.',
  options: { '--limit <count>': 'How many (20)', ...SCOPE },
  examples: ['claude-mem sessions', 'claude-mem sessions 3f2a91c0'],
  who: 'owner',
  async run(session, options): Promise<Outcome> {
    if (session !== undefined) return showSession(session);
    const limit = readCount('--limit', options.limit, 1) ?? 20;
    const answer = await openMemory().listSessions({ ...readScope(options), limit });
    const none = 'No sessions here yet. --all shows those of every project.';
    return listed(COLUMNS, answer.items, { answer, none });
  },
});

async function showSession(id: string): Promise<Outcome> {
  const { session, rollUp, turns, total } = await openMemory().readSession(id);
  const terminal = findTerminal();
  const asked = turns.flatMap(({ prompt }) => (prompt?.text ? [`  #${prompt.id} ${plainLine(prompt.text, 120)}`] : []));
  const more = total - turns.length;
  const lines = [
    terminal.paint('bold', nameOf(session)),
    `${plainLine(session.project, 80)}, ${formatMoment(session.startedAt)}, ${sayCount(session.prompts, 'prompts')}`,
    ...describeRollUp(rollUp, terminal),
    ...(asked.length > 0 ? [terminal.paint('cyan', 'Asked'), ...asked.map((line) => clip(line, terminal.width))] : []),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ];
  return { answer: { session, rollUp, turns }, memories: () => lines.join('\n') };
}

const nameOf = ({ title, firstPrompt }: ListedSession) => plainLine(title ?? firstPrompt ?? 'No title yet', 200);

const COLUMNS: Column<ListedSession>[] = [
  { heading: 'session', style: 'dim', cell: ({ session }) => session.slice(0, 8) },
  whenColumn('started', ({ startedAt }) => startedAt),
  { heading: 'project', cell: ({ project }) => project },
  { heading: 'prompts', isNumber: true, cell: ({ prompts }) => String(prompts) },
  { heading: 'title', isFlexible: true, style: 'bold', cell: nameOf },
];

const IS_SESSION = /^[\w-]{8,}$/;

export const showCommand = command({
  name: 'show <ids...>',
  about: 'Show memories, turns or a session in full',
  help: 'Of a prompt (P34) also what was said and done in its turn; of a session, by the beginning of its id, what came of it.',
  options: { '--all': 'The whole record of a turn, with output and diffs' },
  examples: ['claude-mem show 123 P34', 'claude-mem show P34 --all', 'claude-mem show 3f2a91c0'],
  who: 'anyone',
  async run(said, { all, json }): Promise<Outcome> {
    const [only = ''] = said;
    if (said.length === 1 && parseRef(only) === null && IS_SESSION.test(only)) return showSession(only);
    const answer = await openMemory().readMemories(readIds(said), { full: all });
    const { memories, missing } = answer;
    const text = () => memories.map(describe).join('\n\n');
    if (missing.length === 0) return { answer, memories: text };
    if (json || memories.length > 0) await printOutcome({ answer, memories: text }, json === true);
    throw new Error(`There is no ${nameIds(missing)}: never stored, or forgotten. \`claude-mem search\` finds what there is.`);
  },
});

function describe(memory: Memory): string {
  const [head = '', ...rest] = renderMemory(memory);
  return [findTerminal().paint('bold', head), ...rest].join('\n');
}

export const recapCommand = command({
  name: 'recap',
  about: 'Show what was done, decided and left open',
  options: {
    '--since <when>': 'A date, "3 days", monday; else the last day of work before today',
    '--until <when>': 'The end, if not now',
    ...SCOPE,
  },
  examples: ['claude-mem recap --since monday --all'],
  who: 'anyone',
  async run(options) {
    const { since, until } = options;
    const answer = await openMemory().recap({ since, until, ...readScope(options) });
    const span = `${formatMoment(answer.since)} to ${formatMoment(answer.until)}`;
    const none = `Nothing from ${span}. Try --since "7 days", or --all for every project.`;
    if (answer.projects.length === 0) return { answer, text: () => none };
    const terminal = findTerminal();
    const parts = answer.projects.map((recap) => {
      const head = `${terminal.paint('bold', plainLine(recap.project, 80))} (${sayCount(recap.sessions, 'sessions')})`;
      return [head, ...describeRollUp(recap, terminal)].join('\n');
    });
    return { answer, memories: () => [`From ${span}`, ...parts].join('\n\n') };
  },
});
