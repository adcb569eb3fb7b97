// The transcripts there are: where the agents keep them, in a folder, or in one file.
import { statSync } from 'node:fs';
import { AskError } from '../../core/ask-error.ts';
import type { TranscriptHost } from '../../hosts/transcript.ts';
import { TRANSCRIPT_HOSTS } from '../../hosts/transcripts.ts';
import { type FoundSession, findSession, findSessions } from '../../importer/transcript-files.ts';
import { readFirstRecord } from './first-record.ts';

export type PastPlace = { path?: string; agent?: string; claudeDir?: string };

/** Oldest first. */
export async function listPast(home: string, { path, agent, claudeDir }: PastPlace): Promise<FoundSession[]> {
  const hosts = TRANSCRIPT_HOSTS.filter(({ name }) => agent === undefined || name === agent);
  const known = TRANSCRIPT_HOSTS.map(({ name }) => name).join(', ');
  if (hosts.length === 0)
    throw new AskError('invalid', `"${agent}" is not an agent that is known.`, `Known: ${known}.`);
  return path === undefined ? findSessions(hosts.map(whereIs(claudeDir)), home) : findAt(hosts, path);
}

const whereIs =
  (claudeDir: string | undefined) =>
  (host: TranscriptHost): TranscriptHost =>
    claudeDir === undefined || host.name !== 'claude-code'
      ? host
      : { ...host, folders: host.folders.map(({ pattern }) => ({ folder: `${claudeDir}/projects`, pattern })) };

const EXPECTED =
  'Give a transcript of Claude Code or Codex (.jsonl) or of Gemini CLI (.json), a folder of them, an export, or a claude-mem.db.';

async function findAt(hosts: readonly TranscriptHost[], path: string): Promise<FoundSession[]> {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) throw new AskError('unknown', `There is no ${path}.`, 'Give a folder of transcripts, or one of them.');
  if (!stat.isFile() && !stat.isDirectory())
    throw new AskError('invalid', `${path} is neither a file nor a folder.`, EXPECTED);
  // Claude Code's have no name of their own: what another one knows as its own is not theirs.
  const others = TRANSCRIPT_HOSTS.filter(({ name }) => name !== 'claude-code');
  const isOfOthers = (file: string) => others.some((host) => host.describeFile(file) !== null);
  const own = hosts.map((host) =>
    others.includes(host)
      ? host
      : { ...host, describeFile: (file: string) => (isOfOthers(file) ? null : host.describeFile(file)) },
  );
  if (stat.isFile()) return findIn(own, path);
  return findSessions(
    own.map((host) => ({ ...host, folders: [{ folder: '.', pattern: '**/*.{jsonl,json}' }] })),
    path,
  );
}

/** Somebody named it: what is none is not passed over. */
async function findIn(hosts: readonly TranscriptHost[], path: string): Promise<FoundSession[]> {
  const all = await Promise.all(hosts.map((host) => findSession(host, path)));
  const found = all.filter((session) => session !== null);
  if (found.some((session) => readFirstRecord(session) !== null)) return found;
  const [only, ...more] = hosts;
  const whose = only && more.length === 0 ? ` of ${only.name}` : '';
  throw new AskError('invalid', `${path} holds no transcript${whose}.`, EXPECTED);
}
