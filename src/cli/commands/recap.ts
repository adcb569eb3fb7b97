// `claude-mem recap`: what was done, decided and left open, for a stand-up.

import { formatDate, formatTime } from '../../core/local-time.ts';
import { plainLine } from '../../core/plain-line.ts';
import type { RecapAnswer } from '../../core/search.ts';
import { printJson, readScope, type ScopeOptions } from '../memory-options.ts';
import { openMemory } from '../open-memory.ts';
import { describeRollUp } from '../roll-up.ts';
import { findTerminal, type Terminal } from '../terminal.ts';

export type RecapOptions = ScopeOptions & { since?: string; until?: string; json?: boolean };

export async function showRecap(options: RecapOptions): Promise<void> {
  const { since, until } = options;
  const answer = await openMemory().recap({ since, until, ...readScope(options) });
  if (options.json) return printJson(answer);
  const span = `${formatDate(answer.since)} ${formatTime(answer.since)} to ${formatDate(answer.until)} ${formatTime(answer.until)}`;
  if (answer.projects.length === 0) {
    return console.log(`Nothing from ${span}. Try --since "7 days", or --all for every project.`);
  }
  const terminal = findTerminal();
  terminal.print([`From ${span}`, ...answer.projects.map((project) => describe(project, terminal))].join('\n\n'));
}

function describe(recap: RecapAnswer['projects'][number], terminal: Terminal): string {
  const sessions = `${recap.sessions} ${recap.sessions === 1 ? 'session' : 'sessions'}`;
  const head = `${terminal.paint('bold', plainLine(recap.project, 80))} (${sessions})`;
  return [head, ...describeRollUp(recap, terminal)].join('\n');
}
