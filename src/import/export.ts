// The job that writes an export: the memory as lines of JSON, session by session, a few milliseconds at a time; its
// file is beside its place until it is whole.
import type { Database } from 'bun:sqlite';
import { appendFileSync, closeSync, fsyncSync, openSync, renameSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { z } from 'zod';
import { AskError } from '../core/ask-error.ts';
import type { CheckJob, JobControl, RunJob } from '../core/job.ts';
import { EXPORT_VERSION, type ExportLine, noLines } from '../core/shapes/export.ts';
import { formatSize, sayCount } from '../core/text.ts';
import { parseWhen } from '../core/time.ts';
import type { Log } from '../log.ts';
import { resolveScope } from '../projects/place.ts';
import type { Project } from '../projects/projects.ts';
import { scrubValue } from '../secrets/scrub.ts';
import { exportDecisions } from './decisions.ts';
import { countExportRows, type ExportScope, readExport } from './export-rows.ts';
import { sayMemories } from './from-lines.ts';

type ExportDeps = { db: Database; log: Log; clock: () => number };

const Parameters = z.object({
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

export function runExport(deps: ExportDeps): RunJob {
  return async (given, control) => {
    const plan = planExport(deps, given);
    if (plan.kind === 'decisions') return exportDecisions(deps.db, plan, control);
    const { target, project, since } = plan;
    const file = createExportFile(target, {
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
  const project = named === undefined ? null : resolveScope(db, { ...(name ? { project: name } : { cwd: named }) }).project;
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

/** Hooks wait no longer than that. */
const SLICE_MS = 8;

type Writing = { file: ExportFile; path: string; scope: ExportScope };

async function writeExport({ db, log }: ExportDeps, { file, path, scope }: Writing, control: JobControl): Promise<string[]> {
  const { counts } = file;
  const total = countExportRows(db, scope);
  let damaged = 0;
  let end = performance.now() + SLICE_MS;
  try {
    for (const line of readExport(db, scope)) {
      if (line) file.write(line);
      else damaged++;
      if (performance.now() < end) continue;
      const memories = counts.observation + counts.summary + counts.prompt;
      control.report({
        step: 'writing',
        done: Math.min(memories, total),
        total,
        unit: 'rows',
        counts: { sessions: counts.session, memories },
      });
      await control.pause();
      if (control.signal.aborted) break;
      end = performance.now() + SLICE_MS;
    }
    await control.pause();
    if (control.signal.aborted) {
      file.drop();
      return ['Nothing was written.'];
    }
    const bytes = file.finish();
    log.info('exported', { ...counts, bytes, damaged });
    const left = damaged === 0 ? [] : [`${sayCount(damaged, 'memories')} left out: gone meanwhile, or not what was stored.`];
    return [`${sayMemories(counts)} of ${sayCount(counts.session, 'sessions')}`, `${path} (${formatSize(bytes)})`, ...left];
  } catch (error) {
    file.drop();
    throw error;
  }
}

/** The same lines, for whoever takes them away: made as fast as they are read. */
export function streamExport({ db, clock }: Pick<ExportDeps, 'db' | 'clock'>, project: Project | null): ReadableStream<Uint8Array> {
  const lines = readExport(db, { projectId: project?.id ?? null, since: 0 });
  const header = { 'claude-mem': 'export', version: EXPORT_VERSION, at: new Date(clock()).toISOString(), project: project?.key ?? null };
  const encoder = new TextEncoder();
  let text = `${JSON.stringify(header)}\n`;
  return new ReadableStream({
    async pull(controller) {
      // Whoever waits comes first.
      await Bun.sleep(0);
      for (let next = lines.next(); !next.done; next = lines.next()) {
        if (next.value) text += `${JSON.stringify(scrubValue(next.value).value)}\n`;
        if (text.length < FLUSH_LENGTH) continue;
        controller.enqueue(encoder.encode(text));
        text = '';
        return;
      }
      if (text !== '') controller.enqueue(encoder.encode(text));
      controller.close();
    },
  });
}

type ExportFile = ReturnType<typeof createExportFile>;

/** Room for the counts, which are known only at the end: spaces before a newline are still JSON. */
const HEADER_LENGTH = 640;
const FLUSH_LENGTH = 64 * 1024;

type ExportTarget = { path: string; force: boolean };

function createExportFile(target: ExportTarget, header: { at: string; project: string | null; since: string | null }) {
  refuseTarget(target);
  const { path } = target;
  const part = join(dirname(path), `.${basename(path)}.claude-mem-part`);
  // One that a killed worker left.
  rmSync(part, { force: true });
  const counts = noLines();
  let waiting = '';
  const headerLength = HEADER_LENGTH + Buffer.byteLength(header.project ?? '') * 2;
  const headerLine = () => {
    const line = JSON.stringify({ 'claude-mem': 'export', version: EXPORT_VERSION, ...header, counts });
    return `${line}${' '.repeat(Math.max(0, headerLength - Buffer.byteLength(line)))}\n`;
  };
  const flush = () => {
    appendFileSync(part, waiting);
    waiting = '';
  };

  writeFileSync(part, headerLine(), { flag: 'wx', mode: 0o600 });
  return {
    /** The lines so far. */
    counts,
    write(line: ExportLine) {
      // What a newer rule finds must not leave either.
      waiting += `${JSON.stringify(scrubValue(line).value)}\n`;
      counts[line.kind]++;
      if (waiting.length >= FLUSH_LENGTH) flush();
    },
    /** Puts it in its place, whole and on disk. Returns its size. */
    finish(): number {
      flush();
      sync(part, 'r+', (file) => writeSync(file, headerLine(), 0));
      // Somebody else may have made one meanwhile.
      refuseTarget(target);
      renameSync(part, path);
      // So that the name, too, survives a power cut.
      sync(dirname(path), 'r', () => undefined);
      return statSync(path).size;
    },
    /** Nothing is left of it. */
    drop: () => rmSync(part, { force: true }),
  };
}

function refuseTarget({ path, force }: ExportTarget): void {
  if (!isAbsolute(path)) throw new AskError('invalid', `${path} is not an absolute path.`, 'Give the whole path.');
  const there = statSync(path, { throwIfNoEntry: false });
  if (there?.isDirectory()) throw new AskError('conflict', `${path} is a folder.`, 'Name a file in it.');
  if (there && !force) throw new AskError('conflict', `${path} is there already.`, 'Take another name, or --force to replace it.');
  if (statSync(dirname(path), { throwIfNoEntry: false })?.isDirectory()) return;
  throw new AskError('invalid', `There is no folder ${dirname(path)}.`, 'Make it first, or take another one.');
}

function sync(path: string, flags: string, work: (file: number) => unknown): void {
  const file = openSync(path, flags);
  try {
    work(file);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
