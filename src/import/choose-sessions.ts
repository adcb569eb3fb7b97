// Which transcripts an import reads: all on this machine, or those of an agent, a project, a time, a folder, or one file.
import type { Database } from 'bun:sqlite';
import { statSync } from 'node:fs';
import { basename } from 'node:path';
import type { Agent, TranscriptRecord } from '../agents/agent.ts';
import { AGENTS } from '../agents/agents.ts';
import type { CaptureSettings } from '../capture/judge.ts';
import { readSession } from '../capture/take-session.ts';
import { type FoundSession, findSession, findSessions } from '../capture/transcript-files.ts';
import { AskError } from '../core/ask-error.ts';
import type { ProjectNames } from '../core/project.ts';
import type { ImportParameters } from '../core/shapes/job.ts';
import { nameFirst, sayCount } from '../core/text.ts';
import { formatDate, nextTurn } from '../core/time.ts';
import { identifyPlace, nameProject } from '../projects/place.ts';

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
