// Which transcripts an import reads: all on this machine, or those of an agent, a project, a time, a folder.
import type { Database } from 'bun:sqlite';
import { statSync } from 'node:fs';
import { AskError } from '../core/ask-error.ts';
import type { TranscriptHost } from '../hosts/transcript.ts';
import { TRANSCRIPT_HOSTS } from '../hosts/transcripts.ts';
import { readSession } from '../importer/session-records.ts';
import { type FoundSession, findSession, findSessions } from '../importer/transcript-files.ts';

import { identifyPlace, nameProject } from './identify-place.ts';
import type { DoorSettings } from './leave-out.ts';

export type WantedSessions = {
  path?: string;
  agent?: string;
  project?: string;
  since?: number;
  /** Claude Code's folder, where it is not the usual one. */
  claudeDir?: string;
};

export type ChooseDeps = { db: Database; home: string; options: () => DoorSettings };

/** Oldest first. */
export async function chooseSessions(deps: ChooseDeps, wanted: WantedSessions): Promise<FoundSession[]> {
  const { home } = deps;
  const { path, agent, project, since } = wanted;
  const hosts = TRANSCRIPT_HOSTS.filter(({ name }) => agent === undefined || name === agent);
  const known = TRANSCRIPT_HOSTS.map(({ name }) => name).join(', ');
  if (hosts.length === 0)
    throw new AskError('invalid', `"${agent}" is not an agent that is known.`, `Known: ${known}.`);
  const found = await (path === undefined
    ? findSessions(hosts.map(whereIs(wanted.claudeDir)), home)
    : findAt(hosts, path));
  return found
    .filter(({ lastAt }) => since === undefined || lastAt >= since)
    .filter((session) => project === undefined || isOfProject(deps, session, project));
}

async function findAt(hosts: readonly TranscriptHost[], path: string): Promise<FoundSession[]> {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) throw new AskError('unknown', `There is no ${path}.`, 'Give a folder of transcripts, or one of them.');
  // Claude Code's have no name of their own: what another one knows as its own is not theirs.
  const others = hosts.filter(({ name }) => name !== 'claude-code');
  const isOfOthers = (file: string) => others.some((host) => host.describeFile(file) !== null);
  const own = hosts.map((host) =>
    others.includes(host)
      ? host
      : { ...host, describeFile: (file: string) => (isOfOthers(file) ? null : host.describeFile(file)) },
  );
  if (stat.isFile())
    return (await Promise.all(own.map((host) => findSession(host, path)))).filter((found) => found !== null);
  return findSessions(
    own.map((host) => ({ ...host, folders: [{ folder: '.', pattern: '**/*.{jsonl,json}' }] })),
    path,
  );
}

const whereIs =
  (claudeDir: string | undefined) =>
  (host: TranscriptHost): TranscriptHost =>
    claudeDir === undefined || host.name !== 'claude-code'
      ? host
      : { ...host, folders: host.folders.map(({ pattern }) => ({ folder: `${claudeDir}/projects`, pattern })) };

/** By the folder that its first record names: the name of a project, or a path. */
function isOfProject({ db, options }: ChooseDeps, found: FoundSession, project: string): boolean {
  const cwd = readCwd(found);
  if (cwd === null) return false;
  const { name, key, root } = nameProject(db, identifyPlace(cwd, options()));
  return name.toLowerCase() === project.toLowerCase() || [key, root, cwd].includes(project);
}

function readCwd({ host, files }: FoundSession): string | null {
  const [own] = files;
  if (!own) return null;
  for (const { record } of readSession(host, [{ ...own, from: 0, isOver: true }]).steps)
    if (record) return record.payload.cwd;
  return null;
}
