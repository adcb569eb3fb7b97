// The job that writes an export: the memory as lines of JSON, session by session, a few milliseconds at a time; its
// file is beside its place until it is whole.
import type { Database } from 'bun:sqlite';
import { closeSync, fstatSync, fsyncSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { z } from 'zod';
import { AskError } from '../core/ask-error.ts';
import type { CheckJob, JobControl, RunJob } from '../core/job.ts';
import { formatRef, MEMORY_KINDS, type MemoryKind, type MemoryRef } from '../core/memory.ts';
import { EXPORT_VERSION, type ExportCounts, type ExportLine, noLines } from '../core/shapes/export.ts';
import { formatSize, sayCount } from '../core/text.ts';
import { parseWhen } from '../core/time.ts';
import type { Log } from '../log.ts';
import { type ReplacementLink, readReplacementLinks } from '../memory/replacements.ts';
import { resolveScope } from '../projects/place.ts';
import type { Project } from '../projects/projects.ts';
import { scrubValue } from '../secrets/scrub.ts';
import { exportDecisions } from './decisions.ts';
import {
  type CommitPlace,
  countExportRows,
  type ExportScope,
  listExportCommits,
  listExportDistrusted,
  listExportForgotten,
  listExportMemories,
  listExportProjects,
  listExportSessions,
  readExportMemories,
  readExportTurns,
} from './export-rows.ts';
import { sayMemories } from './from-lines.ts';

type ExportDeps = { db: Database; log: Log; clock: () => number };

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

type Writing = { file: ExportFile; path: string; scope: ExportScope };

async function writeExport({ db, log }: ExportDeps, { file, path, scope }: Writing, control: JobControl): Promise<string[]> {
  try {
    const tally: Tally = { sessions: 0, seen: 0, damaged: 0 };
    const put = (line: Parameters<ExportFile['write']>[0] | null) => (line ? file.write(line) : void tally.damaged++);
    listExportProjects(db, scope).forEach(put);
    await writeSessions(db, { file, scope, tally }, control);
    await writeRest(db, { file, scope }, control);
    if (control.signal.aborted) {
      file.drop();
      return ['Nothing was written.'];
    }
    const bytes = file.finish();
    log.info('exported', { ...file.counts, bytes, damaged: tally.damaged });
    return [describeExport(file, tally), `${path} (${formatSize(bytes)})`, ...describeDamaged(tally)];
  } catch (error) {
    file.drop();
    throw error;
  }
}

type Tally = {
  /** A log of git is kept like a session, but is none to people. */
  sessions: number;
  /** Memories so far. */
  seen: number;
  /** Left out because it is gone meanwhile, or is not what was stored. */
  damaged: number;
};

type Part = Pick<Writing, 'file' | 'scope'>;

async function writeSessions(db: Database, { file, scope, tally }: Part & { tally: Tally }, control: JobControl) {
  const total = countExportRows(db, scope);
  const links = createLinks(db, file);
  let last = 0;
  for (;;) {
    const some = listExportSessions(db, scope, last, ROWS);
    for (const { id, line } of some) {
      last = id;
      if (line) file.write(line);
      else tally.damaged++;
      tally.sessions += Number(line !== null && line.host !== 'git');
      const refs = line ? listExportMemories(db, scope, id) : [];
      for (let at = 0; at < refs.length; at += ROWS) {
        writeMemories(db, refs.slice(at, at + ROWS), { file, links, tally });
        const counts = { sessions: tally.sessions, memories: tally.seen };
        control.report({ step: 'writing', done: Math.min(tally.seen, total), total, unit: 'rows', counts });
        await control.pause();
        if (control.signal.aborted) return;
      }
    }
    if (some.length === 0) return links.write();
    await control.pause();
  }
}

/** A few at a time. */
function writeMemories(db: Database, refs: MemoryRef[], { file, links, tally }: { file: ExportFile; links: Links; tally: Tally }): void {
  const read = new Map(MEMORY_KINDS.map((kind) => [kind, readExportMemories(db, kind, idsOf(refs, kind))]));
  const turns = readExportTurns(db, idsOf(refs, 'prompt'));
  const number = links.note(refs);
  for (const ref of refs) {
    const line = read.get(ref.kind)?.get(ref.id);
    if (line) file.write({ ...line, ...number(ref) });
    else tally.damaged++;
    const turn = line?.kind === 'prompt' ? turns.get(ref.id) : undefined;
    if (turn) file.write(turn);
    else if (turn === null) tally.damaged++;
  }
  tally.seen += refs.length;
}

const idsOf = (refs: MemoryRef[], kind: MemoryKind) => refs.flatMap((ref) => (ref.kind === kind ? [ref.id] : []));

type Links = ReturnType<typeof createLinks>;

/** Which memories replace others. Only those that a link names have a number: the others would fill the memory for nothing. */
function createLinks(db: Database, file: ExportFile) {
  const numbers = new Map<string, number>();
  const links: ReplacementLink[] = [];
  return {
    /** Says the number of each that has one: to be asked when it is written. */
    note(refs: MemoryRef[]) {
      const { linked, replaced } = readReplacementLinks(db, refs);
      links.push(...replaced);
      return (ref: MemoryRef) => {
        if (!linked.has(formatRef(ref))) return {};
        numbers.set(formatRef(ref), numbers.size + 1);
        return { ref: numbers.size };
      };
    },
    /** At the end: both halves of a link must have been written. */
    write() {
      for (const { older, newer, ...link } of links) {
        const [ref, by] = [numbers.get(formatRef(older)), numbers.get(formatRef(newer))];
        if (ref !== undefined && by !== undefined) file.write({ kind: 'replaced', ref, by, ...link });
      }
    },
  };
}

/** Commits without a memory; and of an export of everything, whom nobody trusts and what stays forgotten. */
async function writeRest(db: Database, { file, scope }: Part, { pause, signal }: JobControl): Promise<void> {
  let place: CommitPlace | null = { projectId: 0, hash: '' };
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

function describeExport({ counts }: ExportFile, { sessions }: Tally): string {
  return `${sayMemories(counts)} of ${sayCount(sessions, 'sessions')}`;
}

const describeDamaged = ({ damaged }: Tally) =>
  damaged === 0 ? [] : [`${sayCount(damaged, 'memories')} left out: gone meanwhile, or not what was stored.`];

type ExportFile = {
  write: (line: ExportLine) => void;
  /** The lines so far. */
  counts: ExportCounts;
  /** Puts it in its place, whole and on disk. Returns its size. */
  finish: () => number;
  /** Nothing is left of it. */
  drop: () => void;
};

/** Room for the counts, which are known only at the end: spaces before a newline are still JSON. */
const HEADER_LENGTH = 640;
const FLUSH_LENGTH = 64 * 1024;

type ExportTarget = { path: string; force: boolean };

function createExportFile(target: ExportTarget, header: { at: string; project: string | null; since: string | null }): ExportFile {
  refuseTarget(target);
  const { path } = target;
  const part = join(dirname(path), `.${basename(path)}.claude-mem-part`);
  // One that a killed worker left.
  rmSync(part, { force: true });
  const file = openSync(part, 'wx', 0o600);
  const counts = noLines();
  let waiting: string[] = [];
  let waitingLength = 0;
  let isOpen = true;

  const headerLine = () => {
    const line = JSON.stringify({ 'claude-mem': 'export', version: EXPORT_VERSION, ...header, counts });
    return Buffer.from(`${line}${' '.repeat(Math.max(0, headerLength - Buffer.byteLength(line)))}\n`);
  };
  const headerLength = HEADER_LENGTH + Buffer.byteLength(header.project ?? '') * 2;

  const flush = () => {
    if (waiting.length > 0) writeAll(file, Buffer.from(`${waiting.join('\n')}\n`), null);
    [waiting, waitingLength] = [[], 0];
  };

  writeAll(file, headerLine(), null);
  return {
    counts,
    write(line) {
      // What a newer rule finds must not leave either.
      const text = JSON.stringify(scrubValue(line).value);
      counts[line.kind]++;
      waiting.push(text);
      waitingLength += text.length;
      if (waitingLength >= FLUSH_LENGTH) flush();
    },
    finish() {
      flush();
      writeAll(file, headerLine(), 0);
      fsyncSync(file);
      const { size } = fstatSync(file);
      closeSync(file);
      isOpen = false;
      // Somebody else may have made one meanwhile.
      refuseTarget(target);
      renameSync(part, path);
      syncFolder(dirname(path));
      return size;
    },
    drop() {
      if (isOpen) closeSync(file);
      isOpen = false;
      rmSync(part, { force: true });
    },
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

function writeAll(file: number, bytes: Buffer, position: number | null): void {
  for (let written = 0; written < bytes.length; ) {
    written += writeSync(file, bytes, written, bytes.length - written, position === null ? null : position + written);
  }
}

/** So that the name, too, survives a power cut. */
function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
