// `claude-mem sessions`: the sessions of a project, and what came of one.
import { formatDate, formatTime } from '../../core/local-time.ts';
import { plainLine } from '../../core/plain-line.ts';
import type { ListedSession } from '../../core/session.ts';
import { printJson, readCount, readScope, type ScopeOptions } from '../memory-options.ts';
import { openMemory } from '../open-memory.ts';
import { type CellOf, printTable } from '../print-table.ts';
import { describeRollUp } from '../roll-up.ts';
import { findTerminal } from '../terminal.ts';

export type SessionsOptions = ScopeOptions & { limit?: string; json?: boolean };

export async function showSessions(session: string | undefined, options: SessionsOptions): Promise<void> {
  if (session !== undefined) return showOne(session, options);
  const limit = readCount('--limit', options.limit, 1) ?? 20;
  const answer = await openMemory().listSessions({ ...readScope(options), limit });
  if (options.json) return printJson(answer);
  if (answer.items.length === 0) return console.log('No sessions here yet. --all shows those of every project.');
  printTable(COLUMNS, answer.items);
}

async function showOne(session: string, { json }: SessionsOptions): Promise<void> {
  const { session: whole, rollUp } = await openMemory().readSession(session);
  if (json) return printJson({ session: whole, rollUp });
  const terminal = findTerminal();
  const head = [
    terminal.paint('bold', nameOf(whole)),
    `${plainLine(whole.project, 80)}, ${momentOf(whole)}, ${whole.prompts} ${whole.prompts === 1 ? 'prompt' : 'prompts'}`,
  ];
  terminal.print([...head, ...describeRollUp(rollUp, terminal)].join('\n'));
}

const nameOf = ({ title, firstPrompt }: ListedSession) => plainLine(title ?? firstPrompt ?? 'No title yet', 200);
const momentOf = ({ startedAt }: ListedSession) => `${formatDate(startedAt)} ${formatTime(startedAt)}`;

const COLUMNS: CellOf<ListedSession>[] = [
  { heading: 'session', style: 'dim', cell: ({ session }) => session.slice(0, 8) },
  { heading: 'started', cell: momentOf },
  { heading: 'project', cell: ({ project }) => project },
  { heading: 'prompts', isNumber: true, cell: ({ prompts }) => String(prompts) },
  { heading: 'title', isFlexible: true, style: 'bold', cell: nameOf },
];
