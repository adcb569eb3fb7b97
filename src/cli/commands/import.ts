// `claude-mem import`: the past, from transcripts, an export, or another claude-mem's database. The worker does it.
import { resolve } from 'node:path';
import { askWorker } from '../../client/api.ts';
import { withQuery } from '../../client/memory-api.ts';
import type { ImportAnswer } from '../../core/import.ts';
import { parseWhen } from '../../core/when.ts';
import { findPaths, homeDir } from '../../paths.ts';
import { askPerson } from '../ask-person.ts';
import { findClaudeFolder } from '../install/claude-folder.ts';
import { watchJob } from '../watch-job.ts';

export type ImportOptions = {
  agent?: string;
  project?: string;
  since?: string;
  deepen?: string;
  yes?: boolean;
  dryRun?: boolean;
  json?: boolean;
};

export async function importPast(source: string | undefined, options: ImportOptions): Promise<void> {
  const paths = findPaths();
  const { agent, project, since } = options;
  const path = source === undefined ? undefined : resolve(source);
  const deepen = readCount(options.deepen);
  const claudeDir = findClaudeFolder();
  const isUsual = claudeDir === `${homeDir()}/.claude`;
  const wanted = {
    ...(path && { path }),
    ...(!isUsual && { claudeDir }),
    ...(agent && { agent }),
    ...(project && { project }),
  };
  // The worker is ours: its answers keep to core/import.ts.
  const found = (await askWorker(paths, withQuery('/api/import', { ...wanted, ...(since && { since }) }), {
    timeoutMs: 60_000,
  })) as ImportAnswer;
  if (options.dryRun) return console.log(options.json ? JSON.stringify(found, null, 2) : describe(found));
  if (!options.json) console.log(describe(found));
  if (found.source === 'transcripts' && Object.keys(found.sessions).length === 0) return;
  if (!options.yes && !options.json && !(await isAgreed(deepen))) return;
  const from = since === undefined ? {} : { since: parseWhen(since, 'since', Date.now()) };
  const parameters = { ...wanted, ...from, ...(deepen > 0 && { deepen }) };
  const job = await watchJob(paths, { kind: 'import', parameters }, { quiet: options.json ?? false });
  console.log(options.json ? JSON.stringify(job, null, 2) : (job.result ?? []).join('\n'));
  if (job.status === 'cancelled') process.exitCode = 1;
}

function readCount(text: string | undefined): number {
  if (text === undefined) return 0;
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new Error(`--deepen takes a number of sessions, not "${text}".`);
}

/** Without a terminal nobody can be asked: whoever calls it so means it. */
async function isAgreed(deepen: number): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return true;
  const cost = deepen > 0 ? `A model will look at the newest ${deepen}, within the budget.` : 'No model is asked.';
  return askPerson(`${cost} Read it now? [y/N] `);
}

function describe({ source, path, sessions, bytes, from, to }: ImportAnswer): string {
  const size = bytes >= 1e9 ? `${(bytes / 1e9).toFixed(1)} GB` : `${(bytes / 1e6).toFixed(1)} MB`;
  if (source === 'export') return `${path}: an export of claude-mem (${size}).`;
  if (source === 'claude-mem.db') return `${path}: the database of another claude-mem (${size}). It is only read.`;
  const counts = Object.entries(sessions).map(([name, count]) => `${count.toLocaleString('en')} of ${name}`);
  if (counts.length === 0) return `There are no transcripts${path ? ` in ${path}` : ' on this machine'}.`;
  const day = (at: number | null) => (at === null ? '' : new Date(at).toISOString().slice(0, 10));
  return `Found transcripts: ${counts.join(', ')} (${size}), ${day(from)} to ${day(to)}.`;
}
