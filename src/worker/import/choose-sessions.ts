// Which transcripts an import reads: all on this machine, or those of an agent, a project, a time, a folder.
import type { Database } from 'bun:sqlite';
import { basename } from 'node:path';
import { AskError } from '../../core/ask-error.ts';
import { formatDate } from '../../core/local-time.ts';
import type { ProjectNames } from '../../core/project-settings.ts';
import { sayCount } from '../../core/say-count.ts';
import type { FoundSession } from '../../importer/transcript-files.ts';
import { identifyPlace, nameProject } from '../projects/identify-place.ts';
import type { DoorSettings } from '../silence/leave-out.ts';
import { readFirstRecord } from './first-record.ts';
import { listPast } from './list-past.ts';

export type WantedSessions = {
  path?: string;
  agent?: string;
  project?: string;
  since?: number;
  /** Claude Code's folder, where it is not the usual one. */
  claudeDir?: string;
};

export type ChooseDeps = { db: Database; home: string; options: () => DoorSettings };

/** Oldest first. Rejects when something is there, but nothing of what is wanted. */
export async function chooseSessions(deps: ChooseDeps, wanted: WantedSessions): Promise<FoundSession[]> {
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

/** There may be thousands of files: whoever waits comes first. */
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A project that was given another name is still known by its folder's. */
function isCalled({ name, key, root, others = [] }: ProjectNames, cwd: string, said: string): boolean {
  const names = [name, basename(root), ...others].map((one) => one.toLowerCase());
  return names.includes(said.toLowerCase()) || [key, root, cwd].includes(said);
}

const MOST_NAMED = 10;

function nameMost(counts: Map<string, number>): string {
  const names = [...counts].sort(([, one], [, other]) => other - one).map(([name]) => name);
  const rest = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : '';
  return names.length === 0 ? 'none that says its folder' : names.slice(0, MOST_NAMED).join(', ') + rest;
}
