// The job that writes an export: the memory as lines of JSON, session by session, a few milliseconds at a time.
import type { Database } from 'bun:sqlite';
import { z } from 'zod';
import { AskError } from '../../core/ask-error.ts';
import { EXPORT_VERSION } from '../../core/export.ts';
import { formatSize } from '../../core/format-size.ts';
import { sayCount } from '../../core/say-count.ts';
import { parseWhen } from '../../core/when.ts';
import type { Log } from '../../log.ts';
import type { Project } from '../../store/projects/projects.ts';
import {
  type CommitPlace,
  countExportRows,
  type ExportScope,
  type ExportSession,
  listExportCommits,
  listExportDistrusted,
  listExportForgotten,
  listExportMemories,
  listExportProjects,
  listExportSessions,
} from '../../store/transfer/export-rows.ts';
import type { CheckJob, JobControl, RunJob } from '../jobs/job.ts';
import { resolveScope } from '../projects/scope.ts';
import { exportDecisions } from './decisions.ts';
import { createExportFile, type ExportFile, type ExportTarget, refuseTarget } from './file.ts';
import { createMemoryWriter } from './memory-lines.ts';

export type ExportDeps = { db: Database; log: Log; clock: () => number };

const Parameters = z.object({
  /** Where to, as an absolute path. */
  path: z.string().min(1).optional(),
  force: z.boolean().default(false),
  /** By name or key. */
  project: z.string().min(1).optional(),
  /** The project of this folder. */
  cwd: z.string().min(1).optional(),
  since: z.string().min(1).optional(),
  /** Decisions as Markdown into this folder, instead of a file of everything. */
  decisions: z.string().min(1).optional(),
});

/** Rows read at once: some milliseconds. */
const ROWS = 40;

export function runExport(deps: ExportDeps): RunJob {
  return async (given, control) => {
    const plan = planExport(deps, given);
    if (plan.kind === 'decisions') return exportDecisions(deps.db, plan, control);
    const { target, project, since } = plan;
    const file = createExportFile(target, {
      version: EXPORT_VERSION,
      at: new Date(deps.clock()).toISOString(),
      project: project?.key ?? null,
      since: since === null ? null : new Date(since).toISOString(),
    });
    const scope = { projectId: project?.id ?? null, since: since ?? 0 };
    return writeExport(deps, { file, path: target.path, scope }, control);
  };
}

/** What is wrong with an export that is asked for. */
export function checkExport(deps: Pick<ExportDeps, 'db' | 'clock'>): CheckJob {
  return (given) => {
    const plan = planExport(deps, given);
    if (plan.kind === 'file') refuseTarget(plan.target);
  };
}

type Plan =
  | { kind: 'decisions'; folder: string; project: Project }
  | { kind: 'file'; target: ExportTarget; project: Project | null; since: number | null };

function planExport({ db, clock }: Pick<ExportDeps, 'db' | 'clock'>, given: unknown): Plan {
  const read = Parameters.safeParse(given);
  if (!read.success) throw new AskError('invalid', 'What to export cannot be understood.', z.prettifyError(read.error));
  const { path, force, project: name, cwd, since, decisions } = read.data;
  const named = name ?? cwd;
  const project =
    named === undefined ? null : resolveScope(db, { ...(name ? { project: name } : { cwd: named }) }).project;
  if (named !== undefined && !project)
    throw new AskError('unknown', `Nothing is remembered of ${named}.`, '`claude-mem projects` lists what is.');
  if (decisions !== undefined) {
    if (!project) throw new AskError('invalid', 'It is not said whose decisions.', 'Give project or cwd.');
    return { kind: 'decisions', folder: decisions, project };
  }
  if (path === undefined) throw new AskError('invalid', 'It is not said where to.', 'Give the path of a file.');
  const from = since === undefined ? null : parseWhen(since, 'since', clock());
  return { kind: 'file', target: { path, force }, project, since: from };
}

type Writing = { file: ExportFile; path: string; scope: ExportScope };

async function writeExport(
  { db, log }: ExportDeps,
  { file, path, scope }: Writing,
  control: JobControl,
): Promise<string[]> {
  try {
    for (const line of listExportProjects(db, scope)) file.write(line);
    const written = await writeSessions(db, { file, scope }, control);
    if (control.signal.aborted) return dropped(file);
    await writeRest(db, { file, scope }, control);
    if (control.signal.aborted) return dropped(file);
    const bytes = file.finish();
    log.info('exported', { ...file.counts, bytes, damaged: written.damaged });
    return [describeExport(file, written), `${path} (${formatSize(bytes)})`, ...describeDamaged(written)];
  } catch (error) {
    file.drop();
    throw error;
  }
}

function dropped(file: ExportFile): string[] {
  file.drop();
  return ['Nothing was written.'];
}

type Part = Pick<Writing, 'file' | 'scope'>;

type Written = {
  /** A log of git is kept like a session, but is none to people. */
  sessions: number;
  /** Memories that were left out because they are not what was stored. */
  damaged: number;
};

async function writeSessions(db: Database, { file, scope }: Part, control: JobControl): Promise<Written> {
  const total = countExportRows(db, scope);
  const memories = createMemoryWriter(db, file);
  let [last, sessions] = [0, 0];
  for (let some = nextSessions(db, scope, last); some.length > 0; some = nextSessions(db, scope, last)) {
    for (const { id, line } of some) {
      last = id;
      file.write(line);
      sessions += Number(line.host !== 'git');
      const refs = listExportMemories(db, scope, id);
      for (let at = 0; at < refs.length; at += ROWS) {
        memories.write(refs.slice(at, at + ROWS));
        const counts = { sessions, memories: memories.seen() };
        control.report({ step: 'writing', done: Math.min(memories.seen(), total), total, unit: 'rows', counts });
        await control.pause();
        if (control.signal.aborted) return { sessions, damaged: 0 };
      }
    }
    await control.pause();
  }
  memories.writeLinks();
  return { sessions, damaged: memories.damaged() };
}

const nextSessions = (db: Database, scope: ExportScope, after: number): ExportSession[] =>
  listExportSessions(db, scope, after, ROWS);

/** Commits without a memory; and of an export of everything, whom nobody trusts and what stays forgotten. */
async function writeRest(db: Database, { file, scope }: Part, { pause, signal }: JobControl): Promise<void> {
  let place: CommitPlace | null = { projectId: 0, hash: '', atEpoch: 0 };
  while (place && !signal.aborted) {
    const some = listExportCommits(db, scope, place, ROWS * 10);
    for (const { line } of some) file.write(line);
    place = some.at(-1)?.place ?? null;
    await pause();
  }
  // Hashes tell nothing of whose project they are.
  if (scope.projectId !== null) return;
  for (const line of listExportDistrusted(db)) file.write(line);
  let after: { what: string; hash: string } | null = { what: '', hash: '' };
  while (after && !signal.aborted) {
    const some = listExportForgotten(db, after, ROWS * 10);
    for (const line of some) file.write(line);
    after = some.at(-1) ?? null;
    await pause();
  }
}

function describeExport({ counts }: ExportFile, { sessions }: Written): string {
  const { observation, summary, prompt, turn } = counts;
  const others = `${sayCount(observation, 'observations')}, ${sayCount(summary, 'summaries')}`;
  const records = turn > 0 ? `, ${sayCount(prompt, 'prompts')} and ${sayCount(turn, 'records')}` : '';
  const memories = others + (records || ` and ${sayCount(prompt, 'prompts')}`);
  return `${memories} of ${sayCount(sessions, 'sessions')}`;
}

const describeDamaged = ({ damaged }: Written) =>
  damaged === 0 ? [] : [`${sayCount(damaged, 'memories')} left out: gone meanwhile, or not what was stored.`];
