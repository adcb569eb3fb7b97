// The transcripts on this machine, grouped by session, oldest first.
import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { hashParts } from '../core/ids.ts';
import type { TranscriptFile, TranscriptHost } from '../hosts/transcript.ts';

export type FoundFile = TranscriptFile & { size: number; mtime: number };

export type FoundSession = {
  host: TranscriptHost;
  /** The session's own file first, then those of its subagents. */
  files: FoundFile[];
  bytes: number;
  /** When it was written to last. */
  mtime: number;
};

/** Of all hosts below a home folder. */
export function findSessions(hosts: readonly TranscriptHost[], home: string): FoundSession[] {
  return hosts
    .flatMap((host) => groupFiles(host, listFiles(host, home)))
    .sort((one, other) => one.mtime - other.mtime || compare(one.files[0]?.path, other.files[0]?.path));
}

/** The files of one session: its own, and its subagents' beside it. */
export function findSession(host: TranscriptHost, path: string): FoundSession | null {
  const own = describe(host, path);
  if (!own) return null;
  const folder = join(dirname(path), basename(path, '.jsonl'), 'subagents');
  return groupFiles(host, [own, ...listFolder(host, folder, '**/agent-*.jsonl')])[0] ?? null;
}

/** A hash of how a file begins: it is the same file as long as this is the same. */
export function markBeginning(path: string): string {
  const file = openSync(path, 'r');
  try {
    const head = Buffer.alloc(BEGINNING);
    const size = readSync(file, head, 0, BEGINNING, 0);
    const end = head.indexOf(0x0a);
    return hashParts([head.subarray(0, end >= 0 && end < size ? end : size).toString('latin1')]).slice(0, 16);
  } finally {
    closeSync(file);
  }
}

const BEGINNING = 1024;

/** Whether a line begins there. */
export function isLineStart(path: string, position: number): boolean {
  if (position === 0) return true;
  const file = openSync(path, 'r');
  try {
    const before = Buffer.alloc(1);
    return readSync(file, before, 0, 1, position - 1) === 1 && before[0] === 0x0a;
  } finally {
    closeSync(file);
  }
}

const compare = (one = '', other = '') => (one < other ? -1 : one > other ? 1 : 0);

const listFiles = (host: TranscriptHost, home: string): FoundFile[] =>
  host.folders.flatMap(({ folder, pattern }) => listFolder(host, resolve(home, folder), pattern));

function listFolder(host: TranscriptHost, folder: string, pattern: string): FoundFile[] {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return [];
  const paths = [...new Bun.Glob(pattern).scanSync({ cwd: folder, absolute: true, onlyFiles: true })];
  return paths.flatMap((path) => describe(host, path) ?? []);
}

function describe(host: TranscriptHost, path: string): FoundFile | null {
  const file = host.describeFile(path);
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!file || !stat?.isFile()) return null;
  return { ...file, ...(file.agent && { agent: nameAgent(file.agent, path) }), size: stat.size, mtime: stat.mtimeMs };
}

/** What kind of agent it is stands in a small file beside its own. */
function nameAgent(agent: { id: string; type: string }, path: string): { id: string; type: string } {
  try {
    const { agentType } = JSON.parse(readFileSync(path.replace(/\.jsonl$/, '.meta.json'), 'utf8'));
    return { ...agent, type: typeof agentType === 'string' && agentType !== '' ? agentType : agent.type };
  } catch {
    // There is none, or it cannot be read: an agent without a kind is an agent.
    return agent;
  }
}

function groupFiles(host: TranscriptHost, files: FoundFile[]): FoundSession[] {
  const groups = new Map<string, FoundFile[]>();
  for (const file of files) {
    // A file whose session only its lines know stands alone.
    const key = file.session === null ? file.path : `${folderOf(file)} ${file.session}`;
    const group = groups.get(key);
    if (group) group.push(file);
    else groups.set(key, [file]);
  }
  return [...groups.values()].map((group) => ({
    host,
    files: group.sort(
      (one, other) => Number(one.agent !== null) - Number(other.agent !== null) || compare(one.path, other.path),
    ),
    bytes: group.reduce((sum, { size }) => sum + size, 0),
    mtime: Math.max(...group.map(({ mtime }) => mtime)),
  }));
}

/** The folder of the session's own file. */
const folderOf = ({ path, agent }: FoundFile) => (agent ? path.replace(/\/[^/]+\/subagents\/.*$/, '') : dirname(path));
