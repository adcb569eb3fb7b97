// transcripts: how far the agent's own record of each session was read.
import type { Database } from 'bun:sqlite';
import { hashParts } from '../core/ids.ts';
import { readValue } from '../store/read.ts';

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
  return db.query<Transcript, [string]>(`SELECT ${COLUMNS} FROM transcripts WHERE path = ?`).get(path);
}

/** Nothing is kept of a session that is left out: not even its name. */
const nameless = (hostSessionId: string) => `passed:${hashParts(['session', hostSessionId])}`;

/** What happened in it up to then happened while nothing was to be kept: it is never read, in whichever file it stands. */
export function passOverSession(db: Database, hostSessionId: string, until: number): void {
  db.query(
    `INSERT INTO transcripts (path, host, host_session_id, read_at_epoch) VALUES ($path, '', '', $until)
     ON CONFLICT (path) DO UPDATE SET read_at_epoch = max(read_at_epoch, excluded.read_at_epoch)`,
  ).run({ path: nameless(hostSessionId), until });
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
  db.query(
    `INSERT INTO transcripts (path, host, host_session_id, agent_id, position, size, mtime, beginning, is_over, read_at_epoch)
     VALUES ($path, $host, $hostSessionId, $agentId, $position, $size, $mtime, $beginning, $isOver, $at)
     ON CONFLICT (path) DO UPDATE SET host_session_id = excluded.host_session_id, agent_id = excluded.agent_id,
       position = excluded.position, size = excluded.size, mtime = excluded.mtime, beginning = excluded.beginning,
       is_over = excluded.is_over,
       read_at_epoch = excluded.read_at_epoch`,
  ).run({ ...transcript, isOver: Number(transcript.isOver), at });
}

/** The main files of these sessions. */
export const listTranscriptsOf = (db: Database, hostSessionIds: string[]): Transcript[] =>
  db
    .query<Transcript, [string]>(
      `SELECT ${COLUMNS} FROM transcripts WHERE agent_id IS NULL AND host_session_id IN (SELECT value FROM json_each(?))`,
    )
    .all(JSON.stringify(hostSessionIds));

/** The main files of sessions that were heard of lately, or of which something is still open. */
export function listLiveTranscripts(db: Database, since: number): Transcript[] {
  return db
    .query<Transcript, [number]>(
      `SELECT ${COLUMNS} FROM transcripts 
         JOIN (SELECT host_session_id AS id, updated_at_epoch AS heardAt FROM sessions) ON id = host_session_id
       WHERE agent_id IS NULL AND heardAt >= ? ORDER BY heardAt`,
    )
    .all(since);
}
