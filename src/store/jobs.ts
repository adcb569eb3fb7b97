// jobs: what a person asked the worker to do, how far it is, and what came of it.
import type { Database } from 'bun:sqlite';
import { type Job, type JobKind, type JobProgress, type JobStatus, NO_PROGRESS } from '../core/job.ts';
import { isoTime } from './time.ts';

export function insertJob(db: Database, kind: JobKind, parameters: unknown, at: number): number {
  const { lastInsertRowid } = db
    .query(
      `INSERT INTO jobs (kind, parameters, status, progress, created_at, created_at_epoch)
       VALUES ($kind, $parameters, 'waiting', $progress, $iso, $at)`,
    )
    .run({ kind, parameters: JSON.stringify(parameters), progress: JSON.stringify(NO_PROGRESS), iso: isoTime(at), at });
  return Number(lastInsertRowid);
}

export type NextJob = { id: number; kind: JobKind; parameters: unknown; isBegun: boolean };

/** The first that waits, or was left by a worker that ended: it is run again and repeats nothing. */
export function nextJob(db: Database): NextJob | null {
  const row = db
    .query<{ id: number; kind: JobKind; parameters: string; status: JobStatus }, []>(
      "SELECT id, kind, parameters, status FROM jobs WHERE status IN ('waiting','running') ORDER BY id LIMIT 1",
    )
    .get();
  if (!row) return null;
  const { id, kind, parameters, status } = row;
  return { id, kind, parameters: JSON.parse(parameters), isBegun: status === 'running' };
}

export function noteProgress(db: Database, id: number, progress: JobProgress): void {
  db.query("UPDATE jobs SET status = 'running', progress = ? WHERE id = ?").run(JSON.stringify(progress), id);
}

export type JobEnd = {
  status: Extract<JobStatus, 'done' | 'failed' | 'cancelled'>;
  result: string[] | null;
  error: string | null;
};

export function endJob(db: Database, id: number, { status, result, error }: JobEnd, at: number): void {
  db.query('UPDATE jobs SET status = ?, result = ?, error = ?, ended_at_epoch = ? WHERE id = ?').run(
    status,
    result && JSON.stringify(result),
    error,
    at,
    id,
  );
}

type Row = Omit<Job, 'parameters' | 'progress' | 'result'> & {
  parameters: string;
  progress: string;
  result: string | null;
};

const SELECT = `SELECT id, kind, parameters, status, progress, result, error, created_at_epoch AS createdAt,
  ended_at_epoch AS endedAt FROM jobs`;

// Written by the functions above and nobody else.
const fromRow = (row: Row): Job => ({
  ...row,
  parameters: JSON.parse(row.parameters),
  progress: JSON.parse(row.progress),
  result: row.result === null ? null : JSON.parse(row.result),
});

export function getJob(db: Database, id: number): Job | null {
  const row = db.query<Row, [number]>(`${SELECT} WHERE id = ?`).get(id);
  return row && fromRow(row);
}

/** The latest first. */
export function listJobs(db: Database, { limit, offset }: { limit: number; offset: number }) {
  const rows = db.query<Row, [number, number]>(`${SELECT} ORDER BY id DESC LIMIT ? OFFSET ?`).all(limit, offset);
  const total = db.query<{ n: number }, []>('SELECT count(*) AS n FROM jobs').get()?.n ?? 0;
  return { jobs: rows.map(fromRow), total, limit, offset };
}

/** Old ones say nothing to anybody. */
export function dropOldJobs(db: Database, before: number): void {
  db.query("DELETE FROM jobs WHERE status NOT IN ('waiting','running') AND created_at_epoch < ?").run(before);
}
