// transcripts: how far the host's own record of each session was read.
import type { Database } from 'bun:sqlite';
import { hashParts } from '../core/ids.ts';

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
  const find = db.query<Transcript, [string]>(`SELECT ${COLUMNS} FROM transcripts WHERE path = ?`);
  const [known, passed] = [find.get(path), find.get(nameless(path))];
  return known && passed && passed.position > known.position
    ? { ...known, position: passed.position }
    : (known ?? passed);
}

/** Nothing is kept of where one lies that is left out: not even its name. */
const nameless = (path: string) => `passed:${hashParts(['transcript', path])}`;

/** What is in it so far happened while nothing was to be kept: it is never read. */
export function passOverTranscript(db: Database, path: string, size: number, at: number): void {
  db.query(
    `INSERT INTO transcripts (path, host, host_session_id, position, read_at_epoch) VALUES ($path, '', '', $size, $at)
     ON CONFLICT (path) DO UPDATE SET position = max(position, excluded.position)`,
  ).run({ path: nameless(path), size, at });
}

/** A hook named it; how far it was read stays as it is. */
export function noteTranscript(db: Database, at: { path: string; host: string; hostSessionId: string }): void {
  db.query('INSERT OR IGNORE INTO transcripts (path, host, host_session_id) VALUES ($path, $host, $hostSessionId)').run(
    at,
  );
}

export function saveTranscript(db: Database, transcript: Transcript, at: number): void {
  db.query(
    `INSERT INTO transcripts (path, host, host_session_id, agent_id, position, size, mtime, beginning, is_over, read_at_epoch)
     VALUES ($path, $host, $hostSessionId, $agentId, $position, $size, $mtime, $beginning, $isOver, $at)
     ON CONFLICT (path) DO UPDATE SET host_session_id = excluded.host_session_id, agent_id = excluded.agent_id,
       position = excluded.position, size = excluded.size, mtime = excluded.mtime, beginning = excluded.beginning, is_over = excluded.is_over,
       read_at_epoch = excluded.read_at_epoch`,
  ).run({ ...transcript, isOver: Number(transcript.isOver), at });
}

/** The main files of sessions that were heard of lately, or of which something is still open. */
export function listLiveTranscripts(db: Database, since: number): Transcript[] {
  return db
    .query<Transcript, [number]>(
      `SELECT ${COLUMNS.replace('path', 't.path').replace('host,', 't.host,').replace('host_session_id', 't.host_session_id')}
       FROM transcripts t JOIN sessions s ON s.host_session_id = t.host_session_id
       WHERE t.agent_id IS NULL AND s.updated_at_epoch >= ? ORDER BY s.updated_at_epoch`,
    )
    .all(since);
}
