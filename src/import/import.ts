// The job of kind `import`: whatever it is pointed at, transcripts, an export of ours, or another claude-mem's database; and which
// transcripts that are.

import type { Database } from 'bun:sqlite';
import { statSync } from 'node:fs';
import { basename } from 'node:path';
import { z } from 'zod';
import type { Agent, TranscriptRecord } from '../agents/agent.ts';
import { AGENTS } from '../agents/agents.ts';
import type { CaptureSettings } from '../capture/judge.ts';
import { readSession } from '../capture/take-session.ts';
import { type FoundSession, findSession, findSessions } from '../capture/transcript-files.ts';
import { AskError } from '../core/ask-error.ts';
import { CHOOSING, type JobControl, type RunJob } from '../core/job.ts';
import type { ProjectNames } from '../core/project.ts';
import { type ImportAnswer, type ImportParameters, ImportShape, type ImportSource } from '../core/shapes/job.ts';
import { nameFirst, sayCount } from '../core/text.ts';
import { formatDate, nextTurn } from '../core/time.ts';
import { identifyPlace, nameProject } from '../projects/place.ts';
import { readPiece } from '../regular-file.ts';

/** As a job that is run, of what is checked already. */
export type RunImport = (wanted: ImportParameters, control: JobControl) => Promise<string[]>;

export const runImport =
  (kinds: Record<ImportSource, RunImport>): RunJob =>
  (parameters, control) => {
    const read = z.strictObject(ImportShape).safeParse(parameters);
    if (!read.success) {
      const [issue] = read.error.issues;
      throw new AskError('invalid', `${issue?.path.join('.')}: ${issue?.message}.`, 'See docs/import.md.');
    }
    const source = recognise(read.data.path);
    if (source !== 'transcripts') requireWhole(read.data);
    return kinds[source](read.data, control);
  };

function requireWhole(wanted: ImportParameters): void {
  const said = CHOOSING.filter((name) => wanted[name] !== undefined && wanted[name] !== 0);
  if (said.length === 0) return;
  const what = `${said.join(' and ')}: for transcripts only; ${wanted.path} is taken as a whole.`;
  throw new AskError('invalid', what, 'Leave it out.');
}

/** What would be read. */
export async function previewImport(deps: ChooseDeps, wanted: ImportParameters): Promise<ImportAnswer> {
  const { path = null } = wanted;
  const source = recognise(wanted.path);
  if (source !== 'transcripts') {
    requireWhole(wanted);
    return { source, path, sessions: {}, bytes: statSync(path ?? '').size, from: null, to: null };
  }
  const found = await chooseSessions(deps, wanted);
  const sessions: Record<string, number> = {};
  for (const { host } of found) sessions[host.name] = (sessions[host.name] ?? 0) + 1;
  return {
    source,
    path,
    sessions,
    bytes: found.reduce((sum, { bytes }) => sum + bytes, 0),
    from: found[0]?.lastAt ?? null,
    to: found.at(-1)?.lastAt ?? null,
  };
}

const HEAD = 256;
/** gzip, zip, zstd, xz, bzip2. */
const PACKED = ['\x1f\x8b', 'PK\x03\x04', '\x28\xb5\x2f\xfd', '\xfd7zXZ', 'BZh'];

/** By how it begins, never by its name. */
function recognise(path: string | undefined): ImportSource {
  if (path === undefined) return 'transcripts';
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) throw new AskError('unknown', `There is no ${path}.`, 'Give a file or a folder that is there.');
  if (!stat.isFile()) return 'transcripts';
  const head = readHead(path);
  if (PACKED.some((mark) => head.startsWith(mark)))
    throw new AskError('invalid', `${path} is packed.`, 'Unpack it first, then import what was in it.');
  if (head.startsWith('SQLite format 3\0')) return 'claude-mem.db';
  return /^\s*\{\s*"claude-mem"\s*:\s*"export"/.test(head) ? 'export' : 'transcripts';
}

function readHead(path: string): string {
  try {
    return readPiece(path, HEAD).toString('latin1');
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new AskError('invalid', `${path} cannot be read (${why}).`, 'Make it readable for you first.');
  }
}

// Which transcripts an import reads: all on this machine, or those of an agent, a project, a time, a folder, or one file.

export type ChooseDeps = { db: Database; home: string; options: () => CaptureSettings };

/** Oldest first. Rejects when something is there, but nothing of what is wanted. */
export async function chooseSessions(deps: ChooseDeps, wanted: ImportParameters): Promise<FoundSession[]> {
  const { project, since } = wanted;
  const found = await listPast(deps.home, wanted);
  const recent = since === undefined ? found : keepSince(found, since);
  return project === undefined ? recent : keepProject(deps, recent, project);
}

function keepSince(found: FoundSession[], since: number): FoundSession[] {
  const kept = found.filter(({ lastAt }) => lastAt >= since);
  if (kept.length > 0 || found.length === 0) return kept;
  const newest = found.reduce((latest, { lastAt }) => Math.max(latest, lastAt), 0);
  throw new AskError(
    'unknown',
    `None of ${sayCount(found.length, 'transcripts')} goes on after ${formatDate(since)}; the newest ends on ${formatDate(newest)}.`,
    'Give an earlier day.',
  );
}

/** By the folder that its first record names. */
async function keepProject(deps: ChooseDeps, found: FoundSession[], project: string): Promise<FoundSession[]> {
  const places = new Map<string, ProjectNames>();
  const others = new Map<string, number>();
  const kept: FoundSession[] = [];
  for (const session of found) {
    await nextTurn();
    const cwd = readFirstRecord(session)?.payload.cwd;
    if (!cwd) continue;
    const place = places.get(cwd) ?? nameProject(deps.db, identifyPlace(cwd, deps.options()));
    places.set(cwd, place);
    if (isCalled(place, cwd, project)) kept.push(session);
    else others.set(place.name, (others.get(place.name) ?? 0) + 1);
  }
  if (kept.length > 0 || found.length === 0) return kept;
  throw new AskError(
    'unknown',
    `None of ${sayCount(found.length, 'transcripts')} is of ${project}; projects there: ${nameMost(others)}.`,
    'Give the name, the key or the whole path of one of them.',
  );
}

/** A project that was given another name is still known by its folder's. */
function isCalled({ name, key, root, others = [] }: ProjectNames, cwd: string, said: string): boolean {
  const names = [name, basename(root), ...others].map((one) => one.toLowerCase());
  return names.includes(said.toLowerCase()) || [key, root, cwd].includes(said);
}

const MOST_NAMED = 10;

function nameMost(counts: Map<string, number>): string {
  const names = [...counts].sort(([, one], [, other]) => other - one).map(([name]) => name);
  return names.length === 0 ? 'none that says its folder' : nameFirst(names, MOST_NAMED);
}

export type PastPlace = Pick<ImportParameters, 'path' | 'agent' | 'claudeDir'>;

/** Oldest first. */
export async function listPast(home: string, { path, agent, claudeDir }: PastPlace): Promise<FoundSession[]> {
  const hosts = AGENTS.filter(({ name }) => agent === undefined || name === agent);
  const known = AGENTS.map(({ name }) => name).join(', ');
  if (hosts.length === 0) throw new AskError('invalid', `"${agent}" is not an agent that is known.`, `Known: ${known}.`);
  if (path !== undefined) return findAt(hosts, path);
  const foldersOf = ({ name, folders }: Agent) =>
    claudeDir === undefined || name !== 'claude-code'
      ? folders
      : folders.map(({ pattern }) => ({ folder: `${claudeDir}/projects`, pattern }));
  return findSessions(
    hosts.map((host) => ({ ...host, folders: foldersOf(host) })),
    home,
  );
}

const EXPECTED =
  'Give a transcript of Claude Code or Codex (.jsonl, .zst) or of Gemini CLI (.json), a folder of them, an export, or a claude-mem.db.';

async function findAt(hosts: readonly Agent[], path: string): Promise<FoundSession[]> {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) throw new AskError('unknown', `There is no ${path}.`, 'Give a folder of transcripts, or one of them.');
  if (!stat.isFile() && !stat.isDirectory()) throw new AskError('invalid', `${path} is neither a file nor a folder.`, EXPECTED);
  // Claude Code's have no name of their own: what another one knows as its own is not theirs.
  const others = AGENTS.filter(({ name }) => name !== 'claude-code');
  const isOfOthers = (file: string) => others.some((host) => host.describeFile(file) !== null);
  const own = hosts.map((host) =>
    others.includes(host) ? host : { ...host, describeFile: (file: string) => (isOfOthers(file) ? null : host.describeFile(file)) },
  );
  if (stat.isFile()) return findIn(own, path);
  return findSessions(
    own.map((host) => ({ ...host, folders: [{ folder: '.', pattern: '**/*.{jsonl,json,jsonl.zst}' }] })),
    path,
  );
}

/** Somebody named it: what is none is not passed over. */
async function findIn(hosts: readonly Agent[], path: string): Promise<FoundSession[]> {
  const all = await Promise.all(hosts.map((host) => findSession(host, path)));
  const found = all.filter((session) => session !== null);
  if (found.some((session) => readFirstRecord(session) !== null)) return found;
  const [only, ...more] = hosts;
  const whose = only && more.length === 0 ? ` of ${only.name}` : '';
  throw new AskError('invalid', `${path} holds no transcript${whose}.`, EXPECTED);
}

/** A transcript that tells nothing for so long is none. */
const FAR = 8 * 1024 * 1024;

/** Null when it tells nothing, or cannot be read. */
export function readFirstRecord({ host, files }: FoundSession): TranscriptRecord | null {
  const [own] = files;
  if (!own) return null;
  try {
    let bytes = 0;
    for (const step of readSession(host, [{ ...own, from: 0, isOver: true }])) {
      if (step.record) return step.record;
      bytes += step.bytes;
      if (bytes > FAR) return null;
    }
    return null;
  } catch {
    // It is gone, or not ours to read: an import that takes it says so.
    return null;
  }
}
