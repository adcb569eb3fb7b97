// `claude-mem import`: the past, from transcripts, an export, or another claude-mem's database. `install` offers it, too.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { askWorker } from '../../client/api.ts';
import { withQuery } from '../../client/memory-api.ts';
import { codeOf } from '../../core/passing-fault.ts';
import type { ImportAnswer } from '../../core/shapes/job.ts';
import type { Status } from '../../core/shapes/worker.ts';
import { formatSize } from '../../core/text.ts';
import { formatDate, parseWhen } from '../../core/time.ts';
import { findPaths, homeDir } from '../../paths.ts';
import { askLine, askPerson, canAsk, isYes, requirePerson } from '../ask.ts';
import { command, IMPORTS, isOwnTranscripts, misuse, oneOf } from '../command.ts';
import { findClaudeFolder } from '../install/claude-cli.ts';
import { openMemory, readCount, readPlace, spellProject } from '../options.ts';
import { runJob, watchJob } from '../watch-job.ts';

const AGENTS = ['claude-code', 'codex', 'gemini'];

export const importCommand = command({
  name: 'import [source]',
  about: 'Import transcripts, an export or another memory database',
  options: {
    '--agent <name>': oneOf('Only transcripts of this agent', AGENTS),
    '--project <name>': 'Only transcripts of this project',
    '--since <when>': 'Only sessions that went on after it: 2026-01-05, "3 weeks"',
    '--deepen <count>': 'Summarise the newest sessions with a model, within the budget',
    '--as-mine': 'An export or a database of your own: it is imported as your words; asks you',
    '--dry-run': 'Only say what would be read',
    '-y, --yes': 'Do not ask',
  },
  help:
    'Without a source it reads every transcript that Claude Code, Codex and Gemini CLI keep on this machine. What is known already is ' +
    'not stored again, so it can be repeated and interrupted at any time. No model is asked unless you say --deepen. A file may be ' +
    "what `claude-mem export` wrote, or another claude-mem's database, which is only read.",
  examples: ['claude-mem import --project shop --since "2 months"', 'claude-mem import ~/old-laptop/.claude/projects'],
  who: ({ args, options }) => (options.dryRun || isOwnTranscripts(args) ? 'anyone' : IMPORTS),
  async run(source, options) {
    const { since, asMine = false, json = false, dryRun, yes } = options;
    const deepen = readCount('--deepen', options.deepen) ?? 0;
    const from = since === undefined ? {} : { since: parseWhen(since, 'since', Date.now()) };
    if (deepen > 0) await requireModel();
    const { agent, project } = options;
    const wanted = { ...nameSource(source), ...(agent && { agent }), ...(project !== undefined && { project: spellProject(project) }) };
    const found = await lookFor({ ...wanted, ...(since && { since }) });
    const isTranscripts = found.source === 'transcripts';
    if (isTranscripts && asMine)
      throw misuse('--as-mine works with an export or a database: transcripts of this machine are yours. Leave it out.');
    if (dryRun) return { answer: found, text: () => describe(found) };
    if (!json) console.log(describe(found));
    const isEmpty = isTranscripts && Object.keys(found.sessions).length === 0;
    if (isEmpty) process.exitCode = source === undefined ? 0 : 1;
    if (isEmpty && !json) return;
    const isWanted = asMine ? isOwn() : yes || json || isAgreed(deepen);
    if (!isWanted) return 'Nothing was read.';
    return runJob('import', { ...wanted, ...from, ...(deepen > 0 && { deepen }), ...(asMine && { asMine }) }, { json });
  },
});

/** Before anything is read: who wants a model to look at it does not want it without one. */
async function requireModel(): Promise<void> {
  const { model } = await askWorker<Status>(findPaths(), '/api/status');
  if (model.provider !== null) return;
  throw new Error(
    `--deepen has a model summarise sessions, and there is none (${model.why.split(';')[0]}). Nothing was read. ` +
      'Run `claude-mem config set claudeLogin allow` to use your Claude login, or set a provider: docs/model.md.',
  );
}

/** Nothing said: where the agents keep their transcripts, Claude Code's where CLAUDE_CONFIG_DIR says. */
export function nameSource(source: string | undefined): { path?: string; claudeDir?: string } {
  const claudeDir = findClaudeFolder();
  return { ...(source !== undefined && { path: resolve(source) }), ...(claudeDir !== `${homeDir()}/.claude` && { claudeDir }) };
}

/** Thousands of files may have to be looked into. */
const LOOK_TIMEOUT_MS = 120_000;

const lookFor = (wanted: Record<string, string>) =>
  askWorker<ImportAnswer>(findPaths(), withQuery('/api/import', wanted), { timeoutMs: LOOK_TIMEOUT_MS });

/** Its lines will speak as this person: nobody but them can say so, not even by --yes. */
function isOwn(): boolean {
  requirePerson('With --as-mine the file speaks as you.');
  const what = 'Prompts, pins and rules in it are imported as your own words, and what it forgot is forgotten here.';
  return askPerson(`${what} Are these your own memories? [y/N] `);
}

/** Without a terminal nobody can be asked: whoever calls it so means it. */
function isAgreed(deepen: number): boolean {
  if (!canAsk()) return true;
  const cost = deepen > 0 ? `A model will summarise the newest ${deepen}, within the budget.` : 'No model is asked.';
  const answer = askLine(`${cost} Read it now? [Y/n] `);
  return answer === '' || isYes(answer);
}

function describe({ source, path, sessions, bytes, from, to }: ImportAnswer): string {
  const size = formatSize(bytes);
  if (source === 'export') return `${path}: an export of claude-mem (${size}).`;
  if (source === 'claude-mem.db') return `${path}: the database of another claude-mem (${size}). It is only read.`;
  if (Object.keys(sessions).length === 0) return `There are no transcripts${path ? ` in ${path}` : ' on this machine'}.`;
  const days = [...new Set([from, to].map((at) => (at === null ? '' : formatDate(at))))].join(' to ');
  return `${sayTranscripts(sessions, bytes)}, ${days}.`;
}

export function sayTranscripts(sessions: Record<string, number>, bytes: number): string {
  const counts = Object.entries(sessions).map(([name, count]) => `${count.toLocaleString('en')} of ${name}`);
  return `Found transcripts: ${counts.join(', ')} (${formatSize(bytes)})`;
}

// `claude-mem export`: everything that is remembered as lines of JSON in a file, or decisions as Markdown in a folder.

export const exportCommand = command({
  name: 'export [file]',
  about: 'Write all memories to a file (JSON Lines)',
  options: {
    '--project [name]': 'Only this project, or another one',
    '--since <when>': 'Only what came after it: 2026-01-05, "3 weeks"',
    '--force': 'Replace the file if it exists',
    '--decisions <dir>': 'The decisions of a project as Markdown instead, a file for each topic',
  },
  help:
    '`-` is the standard output; `claude-mem import` reads the file. It is as private as the memory itself, and not encrypted. ' +
    'docs/export.md describes the format.',
  examples: ['claude-mem export memories.jsonl', 'claude-mem export - --project shop --since "1 month" | gzip > shop.jsonl.gz'],
  who: ({ options }) => (options.decisions !== undefined && options.project === undefined ? 'anyone' : 'owner'),
  async run(file, { project, since, force = false, decisions, json = false }) {
    const said = { json, cancelled: CANCELLED };
    if (decisions !== undefined) {
      // Of the project we are in unless another is named. Asked first: refused where an agent may not read them.
      const place = readPlace(project ?? true);
      await openMemory().search({ ...place, query: '', type: ['decision'], limit: 1 });
      return runJob('export', { ...place, decisions: resolve(decisions) }, said);
    }
    if (file === undefined) throw misuse('Say where to: `claude-mem export memory.jsonl`, or `-` for the standard output.');
    const parameters = { ...readPlace(project), ...(since && { since }), force };
    if (file !== '-') return runJob('export', { ...parameters, path: resolve(file) }, said);
    if (json) throw misuse('`-` and --json both want the standard output. Give a file.');
    return printExport(parameters);
  },
});

/** The worker writes a file that only we can read; whatever happens, it does not stay. */
async function printExport(parameters: Record<string, unknown>): Promise<undefined> {
  const { dataDir } = findPaths();
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const folder = mkdtempSync(join(dataDir, 'export-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'memory.jsonl');
  const { status, result } = await watchJob('export', { ...parameters, path });
  if (status === 'cancelled') process.exitCode = 1;
  // Whoever reads it may have seen enough.
  else await Bun.write(Bun.stdout, Bun.file(path)).catch((error) => codeOf(error) === 'EPIPE' || Promise.reject(error));
  console.error(status === 'cancelled' ? CANCELLED : (result?.[0] ?? ''));
}

const CANCELLED = 'Cancelled. Nothing was written.';
