// The transcripts on this machine, grouped by session, oldest first.

import type { Database } from 'bun:sqlite';
import { statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { Agent, TranscriptFile } from '../agents/agent.ts';
import { hashParts } from '../core/ids.ts';
import { nextTurn } from '../core/time.ts';
import { readPiece, readRegular } from '../regular-file.ts';
import { readAll, readFirst, readValue } from '../store/read.ts';

export type FoundFile = TranscriptFile & { size: number; mtime: number };

export type FoundSession = {
  host: Agent;
  /** The session's own file first, then those of its subagents. */
  files: FoundFile[];
  bytes: number;
  /** When something happened in it last, by its own words; else when it was written to. A copy is as old as what it says. */
  lastAt: number;
};

/** So many files are looked at in one go: there may be thousands. */
const AT_ONCE = 50;

/** Of all hosts below a home folder. Somebody else may be served in between. */
export async function findSessions(hosts: readonly Agent[], home: string): Promise<FoundSession[]> {
  const found: FoundSession[] = [];
  for (const host of hosts) {
    for (const { folder, pattern } of host.folders) {
      const paths = await listPaths(resolve(home, folder), pattern);
      const files = await mapInTurns(paths, (path) => describe(host, path));
      found.push(...(await groupFiles(host, files)));
    }
  }
  return found.sort((one, other) => one.lastAt - other.lastAt || compare(one.files[0]?.path, other.files[0]?.path));
}

async function mapInTurns<In, Out>(items: In[], map: (item: In) => Out | null): Promise<Out[]> {
  const made: Out[] = [];
  for (const [at, item] of items.entries()) {
    const one = map(item);
    if (one !== null) made.push(one);
    if (at % AT_ONCE === AT_ONCE - 1) await nextTurn();
  }
  return made;
}

/** The files of one session: its own, and its subagents' beside it. */
export async function findSession(host: Agent, path: string): Promise<FoundSession | null> {
  const own = describe(host, path);
  if (!own) return null;
  const folder = join(dirname(path), basename(path, '.jsonl'), 'subagents');
  const agents = (await listPaths(folder, '**/agent-*.jsonl')).map((agent) => describe(host, agent));
  return (await groupFiles(host, [own, ...agents.filter((file) => file !== null)]))[0] ?? null;
}

/** A hash of how a file begins: it is the same file as long as this is the same. */
export function markBeginning(path: string): string {
  const [line = ''] = readPiece(path, BEGINNING).toString('latin1').split('\n', 1);
  return hashParts([line]).slice(0, 16);
}

const BEGINNING = 1024;

/** Whether a line begins there. */
export const isLineStart = (path: string, position: number): boolean => position === 0 || readPiece(path, 1, position - 1)[0] === 0x0a;

const compare = (one = '', other = '') => (one < other ? -1 : one > other ? 1 : 0);

async function listPaths(folder: string, pattern: string): Promise<string[]> {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return [];
  return Array.fromAsync(new Bun.Glob(pattern).scan({ cwd: folder, absolute: true, onlyFiles: true }));
}

function describe(host: Agent, path: string): FoundFile | null {
  const file = host.describeFile(path);
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!file || !stat?.isFile()) return null;
  return { ...file, ...(file.agent && { agent: nameAgent(file.agent, path) }), size: stat.size, mtime: stat.mtimeMs };
}

/** What kind of agent it is stands in a small file beside its own. */
function nameAgent(agent: { id: string; type: string }, path: string): { id: string; type: string } {
  try {
    const { agentType } = JSON.parse(readRegular(path.replace(/\.jsonl$/, '.meta.json')).toString('utf8'));
    return { ...agent, type: typeof agentType === 'string' && agentType !== '' ? agentType : agent.type };
  } catch {
    // There is none, or it cannot be read: an agent without a kind is an agent.
    return agent;
  }
}

function groupFiles(host: Agent, found: FoundFile[]): Promise<FoundSession[]> {
  // A file whose session only its lines know stands alone.
  const groups = Map.groupBy(found, (file) => (file.session === null ? file.path : `${folderOf(file)} ${file.session}`));
  return mapInTurns([...groups.values()], (files) => {
    files.sort((one, other) => Number(one.agent !== null) - Number(other.agent !== null) || compare(one.path, other.path));
    const bytes = files.reduce((sum, { size }) => sum + size, 0);
    return { host, files, bytes, lastAt: Math.max(...files.map(readLastAt)) };
  });
}

const folderOf = ({ path, agent }: FoundFile) =>
  agent && path.includes('/subagents/') ? path.replace(/\/[^/]+\/subagents\/.*$/, '') : dirname(path);

/** The last lines may be long, and say nothing of time. */
const TAILS = [8 * 1024, 128 * 1024];
const TIME = /"(?:timestamp|lastUpdated)":\s*"(\d{4}-\d\d-\d\dT[\d:.]{8,12}Z)"/g;

function readLastAt({ path, size, mtime }: { path: string; size: number; mtime: number }): number {
  for (const tail of TAILS) {
    const at = newestIn(readPiece(path, tail, Math.max(0, size - tail)).toString('latin1'));
    // Nothing in it can be later than the file itself.
    if (at !== null) return Math.min(at, mtime);
    if (tail >= size) break;
  }
  return mtime;
}

function newestIn(text: string): number | null {
  const times = [...text.matchAll(TIME)].map(([, time]) => Date.parse(time ?? '')).filter((at) => at > 0);
  return times.length > 0 ? Math.max(...times) : null;
}

// transcripts: how far the agent's own record of each session was read.

export type Transcript = {
  path: string;
  host: string;
  hostSessionId: string;
  agentId: string | null;
  /** All before it is dealt with. */
  position: number;
  size: number;
  mtime: number;
  beginning: string;
  isOver: boolean;
};

const COLUMNS = `path, host, host_session_id AS hostSessionId, agent_id AS agentId, position, size, mtime, beginning, is_over AS isOver`;

export function findTranscript(db: Database, path: string): Transcript | null {
  return readFirst<Transcript>(db, `SELECT ${COLUMNS} FROM transcripts WHERE path = ?`, path);
}

/** Nothing is kept of a session that is left out: not even its name. */
const nameless = (hostSessionId: string) => `passed:${hashParts(['session', hostSessionId])}`;

/** What happened in it up to then happened while nothing was to be kept: it is never read, in whichever file it stands. */
export function passOverSession(db: Database, hostSessionId: string, until: number): void {
  const sql = `INSERT INTO transcripts (path, host, host_session_id, read_at_epoch) VALUES ($path, '', '', $until)
    ON CONFLICT (path) DO UPDATE SET read_at_epoch = max(read_at_epoch, excluded.read_at_epoch)`;
  db.query(sql).run({ path: nameless(hostSessionId), until });
}

/** 0 when nothing of it is passed over. */
export function passedUntil(db: Database, hostSessionId: string): number {
  return readValue(db, 'SELECT read_at_epoch FROM transcripts WHERE path = ?', nameless(hostSessionId)) ?? 0;
}

/** A hook named it; how far it was read stays as it is. */
export function noteTranscript(db: Database, at: { path: string; host: string; hostSessionId: string }): void {
  db.query('INSERT OR IGNORE INTO transcripts (path, host, host_session_id) VALUES ($path, $host, $hostSessionId)').run(at);
}

export function saveTranscript(db: Database, transcript: Transcript, at: number): void {
  const sql = `INSERT INTO transcripts (path, host, host_session_id, agent_id, position, size, mtime, beginning, is_over, read_at_epoch)
    VALUES ($path, $host, $hostSessionId, $agentId, $position, $size, $mtime, $beginning, $isOver, $at)
    ON CONFLICT (path) DO UPDATE SET host_session_id = excluded.host_session_id, agent_id = excluded.agent_id,
      position = excluded.position, size = excluded.size, mtime = excluded.mtime, beginning = excluded.beginning,
      is_over = excluded.is_over,
      read_at_epoch = excluded.read_at_epoch`;
  db.query(sql).run({ ...transcript, isOver: Number(transcript.isOver), at });
}

/** The main files of these sessions. */
export const listTranscriptsOf = (db: Database, hostSessionIds: string[]): Transcript[] => {
  const sql = `SELECT ${COLUMNS} FROM transcripts WHERE agent_id IS NULL AND host_session_id IN (SELECT value FROM json_each(?))`;
  return readAll<Transcript>(db, sql, JSON.stringify(hostSessionIds));
};

/** The main files of sessions that were heard of lately, or of which something is still open. */
export function listLiveTranscripts(db: Database, since: number): Transcript[] {
  const sql = `SELECT ${COLUMNS} FROM transcripts 
      JOIN (SELECT host_session_id AS id, updated_at_epoch AS heardAt FROM sessions) ON id = host_session_id
    WHERE agent_id IS NULL AND heardAt >= ? ORDER BY heardAt`;
  return readAll<Transcript>(db, sql, since);
}
