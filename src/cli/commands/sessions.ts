// `claude-mem sessions`, `show` and `recap`: what came of a session, all of a memory, what was done in a time.

import { parseRef } from '../../core/memory.ts';
import { plainLine } from '../../core/plain-line.ts';
import { renderMemory } from '../../core/render.ts';
import type { Memory, RecapAnswer } from '../../core/shapes/memory.ts';
import type { ListedSession } from '../../core/shapes/project.ts';
import { sayCount } from '../../core/text.ts';
import { formatMoment } from '../../core/time.ts';
import { command } from '../command.ts';
import { openMemory } from '../open-memory.ts';
import { readCount, readIds, readScope } from '../options.ts';
import { type CellOf, clip, describeRollUp, findTerminal, printJson, printTable, type Terminal } from '../print.ts';

export const sessionsCommand = command({
  name: 'sessions [session]',
  about: 'the sessions of this project; of one, by its id, what was done, decided and left open',
  options: {
    '--limit <count>': 'how many (20)',
    '--project <name>': 'another project',
    '--all': 'every project',
    '--json': 'as JSON',
  },
  examples: ['claude-mem sessions', 'claude-mem sessions 3f2a91c0'],
  who: 'owner',
  async run(session, options) {
    if (session !== undefined) return showSession(session, options);
    const limit = readCount('--limit', options.limit, 1) ?? 20;
    const answer = await openMemory().listSessions({ ...readScope(options), limit });
    if (options.json) return printJson(answer);
    if (answer.items.length === 0) return console.log('No sessions here yet. --all shows those of every project.');
    printTable(COLUMNS, answer.items);
  },
});

/** What came of it, and what was asked, turn by turn. */
async function showSession(session: string, { json }: { json?: boolean }): Promise<void> {
  const { session: whole, rollUp, turns, total } = await openMemory().readSession(session);
  if (json) return printJson({ session: whole, rollUp, turns });
  const terminal = findTerminal();
  const asked = turns.flatMap(({ prompt }) => (prompt?.text ? [`  #${prompt.id} ${plainLine(prompt.text, 120)}`] : []));
  const more = total - turns.length;
  terminal.print(
    [
      terminal.paint('bold', nameOf(whole)),
      `${plainLine(whole.project, 80)}, ${momentOf(whole)}, ${sayCount(whole.prompts, 'prompts')}`,
      ...describeRollUp(rollUp, terminal),
      ...(asked.length > 0 ? [terminal.paint('cyan', 'Asked'), ...asked.map((line) => clip(line, terminal.width))] : []),
      ...(more > 0 ? [`  and ${more} more`] : []),
    ].join('\n'),
  );
}

const nameOf = ({ title, firstPrompt }: ListedSession) => plainLine(title ?? firstPrompt ?? 'No title yet', 200);
const momentOf = ({ startedAt }: ListedSession) => formatMoment(startedAt);

const COLUMNS: CellOf<ListedSession>[] = [
  { heading: 'session', style: 'dim', cell: ({ session }) => session.slice(0, 8) },
  { heading: 'started', cell: momentOf },
  { heading: 'project', cell: ({ project }) => project },
  { heading: 'prompts', isNumber: true, cell: ({ prompts }) => String(prompts) },
  { heading: 'title', isFlexible: true, style: 'bold', cell: nameOf },
];

export const showCommand = command({
  name: 'show <ids...>',
  about: 'all of one memory, or of several; of a prompt (P34) also what was said and done in its turn; of a session what came of it',
  options: { '--all': 'the record of a turn whole, with output and diffs', '--json': 'as JSON' },
  examples: ['claude-mem show 123 P34', 'claude-mem show P34 --all', 'claude-mem show 3f2a91c0'],
  who: 'anyone',
  async run(said, options) {
    const [only = ''] = said;
    if (said.length === 1 && parseRef(only) === null && IS_SESSION.test(only)) return showSession(only, options);
    const answer = await openMemory().readMemories(readIds(said), { full: options.all });
    const { memories, missing } = answer;
    if (options.json) printJson(answer);
    else printAll(memories);
    if (missing.length === 0) return;
    const named = missing.map((id) => `#${id}`).join(', ');
    throw new Error(`There is no ${named}: never stored, or forgotten. \`claude-mem search\` finds what there is.`);
  },
});

/** As `claude-mem sessions` prints it: the beginning of the host's own id. */
const IS_SESSION = /^[\w-]{8,}$/;

function printAll(memories: Memory[]): void {
  const { paint, print } = findTerminal();
  const texts = memories.map((memory) => {
    const [head = '', ...rest] = renderMemory(memory);
    return [paint('bold', head), ...rest].join('\n');
  });
  if (texts.length > 0) print(texts.join('\n\n'));
}

export const recapCommand = command({
  name: 'recap',
  about: 'what was done, decided and left open, for a stand-up',
  options: {
    '--since <when>': 'a date, "3 days", monday; else the last day of work before today',
    '--until <when>': 'the end, if not now',
    '--project <name>': 'another project',
    '--all': 'every project',
    '--json': 'as JSON',
  },
  examples: ['claude-mem recap --since monday --all'],
  who: 'anyone',
  async run(options) {
    const { since, until } = options;
    const answer = await openMemory().recap({ since, until, ...readScope(options) });
    if (options.json) return printJson(answer);
    const span = `${formatMoment(answer.since)} to ${formatMoment(answer.until)}`;
    if (answer.projects.length === 0) {
      return console.log(`Nothing from ${span}. Try --since "7 days", or --all for every project.`);
    }
    const terminal = findTerminal();
    terminal.print([`From ${span}`, ...answer.projects.map((project) => describe(project, terminal))].join('\n\n'));
  },
});

function describe(recap: RecapAnswer['projects'][number], terminal: Terminal): string {
  const head = `${terminal.paint('bold', plainLine(recap.project, 80))} (${sayCount(recap.sessions, 'sessions')})`;
  return [head, ...describeRollUp(recap, terminal)].join('\n');
}
