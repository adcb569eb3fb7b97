// commits and git_logs: which commits of a project became memories, and how far the log of each work tree was read.
import type { Database } from 'bun:sqlite';

import type { Evidence } from '../core/evidence.ts';
import type { ObservationDraft } from '../core/observation.ts';
import { scrubValue } from '../secrets/scrub.ts';
import { exists, readAll, readColumn, readValue } from '../store/read.ts';
import { type AnyOwner, contentOf, insertCitations, insertObservation, writeContent } from './observations.ts';

export const readLogHead = (db: Database, root: string): string | null => readValue(db, 'SELECT head FROM git_logs WHERE root = ?', root);

/** Of all its work trees. */
export const listLogHeads = (db: Database, projectId: number): string[] =>
  readColumn(db, 'SELECT DISTINCT head FROM git_logs WHERE project_id = ?', projectId);

export function noteLogRead(db: Database, log: { root: string; projectId: number; head: string; at: number }): void {
  db.query(
    `INSERT INTO git_logs (root, project_id, head, read_at_epoch) VALUES ($root, $projectId, $head, $at)
     ON CONFLICT (root) DO UPDATE SET project_id = excluded.project_id, head = excluded.head, read_at_epoch = excluded.read_at_epoch`,
  ).run(log);
}

/** Also one that was left out, or whose memory was forgotten. */
export const isKnownCommit = (db: Database, projectId: number, hash: string): boolean =>
  exists(db, 'SELECT 1 FROM commits WHERE project_id = ? AND hash = ?', projectId, hash);

export type CommitRow = {
  projectId: number;
  hash: string;
  authoredAt: number;
  /** The hash of the commit that it takes back. */
  reverts: string | null;
  /** When it was first read here; 0 for one of a first reading, which is no news. */
  readAt: number;
  /** Made here by whoever works here; null when that is not shown, false when it is another's. */
  isOwn: boolean | null;
  isRoutine: boolean;
};

/** Nothing is kept of it but that it was seen: it does not come again. */
export function leaveOutCommit(db: Database, row: CommitRow): void {
  insertRow(db, row, null);
}

/** Inside a transaction. */
export function insertCommit(
  db: Database,
  row: CommitRow,
  { owner, draft, evidence }: { owner: AnyOwner; draft: ObservationDraft; evidence: Evidence },
): number {
  const id = insertObservation(db, owner, draft, evidence);
  db.query('UPDATE observations SET commit_hash = ? WHERE id = ?').run(row.hash, id);
  insertRow(db, row, id);
  return id;
}

function insertRow(db: Database, row: CommitRow, observationId: number | null): void {
  db.query(
    `INSERT OR IGNORE INTO commits (project_id, hash, observation_id, author_at_epoch, reverts, read_at_epoch, is_own, is_routine)
     VALUES ($projectId, $hash, $observationId, $authoredAt, $reverts, $readAt, $isOwn, $isRoutine)`,
  ).run({
    ...row,
    observationId,
    isOwn: row.isOwn === null ? null : Number(row.isOwn),
    isRoutine: Number(row.isRoutine),
  });
}

export type Earlier = { hash: string; observationId: number; title: string | null; files: string; readAt: number };

/** Commits with a memory that were written at the same moment: a rebase or an amendment keeps it. */
export const listWrittenAt = (db: Database, projectId: number, authoredAt: number): Earlier[] => {
  const sql = `SELECT c.hash, o.id AS observationId, o.title, o.files_modified AS files, c.read_at_epoch AS readAt
    FROM commits c JOIN observations o ON o.id = c.observation_id
    WHERE c.project_id = ? AND c.author_at_epoch = ? AND o.commit_hash = c.hash`;
  return readAll<Earlier>(db, sql, projectId, authoredAt);
};

/** Of all that were written at one of these moments. */
export function listHashesWrittenAt(db: Database, projectId: number, moments: number[]): string[] {
  const hashes = `SELECT c.hash FROM commits c JOIN observations o ON o.id = c.observation_id
    WHERE c.project_id = ? AND c.author_at_epoch IN (SELECT value FROM json_each(?)) AND o.commit_hash = c.hash`;
  return readColumn(db, hashes, projectId, JSON.stringify([...new Set(moments)]));
}

/** The same memory under its new hash, with its new words; what a person wrote of it stays. Inside a transaction. */
export function moveCommit(
  db: Database,
  row: CommitRow,
  { from, draft, evidence }: { from: Earlier; draft: ObservationDraft; evidence: Evidence },
): void {
  const { projectId, hash } = row;
  const id = from.observationId;
  // It is no news again.
  insertRow(db, { ...row, readAt: from.readAt }, id);
  db.query('UPDATE observations SET commit_hash = $hash WHERE project_id = $projectId AND commit_hash = $old').run({
    projectId,
    hash,
    old: from.hash,
  });
  db.query('UPDATE observations SET head = ? WHERE id = ?').run(hash, id);
  db.query('DELETE FROM citations WHERE observation_id = ?').run(id);
  insertCitations(db, { observationId: id, projectId }, evidence.citations);
  reword(db, id, draft, evidence);
}

function reword(db: Database, id: number, draft: ObservationDraft, { isQuarantined }: Evidence): void {
  const { changes } = db.query('UPDATE observations SET quarantined = ? WHERE id = ? AND edited_at IS NULL').run(Number(isQuarantined), id);
  if (changes > 0) writeContent(db, id, contentOf(scrubValue(draft).value));
}

export type Committed = { hash: string; isCommit: boolean; isRoutine: boolean };

/** Of these observations those that know their commit, or are one. */
export function readCommitted(db: Database, ids: number[]): Map<number, Committed> {
  const sql = `SELECT o.id, o.commit_hash AS hash, o.origin = 'commit' AS isCommit, ${isRoutineCommit('o')} AS isRoutine
    FROM json_each(?) AS wanted CROSS JOIN observations o ON o.id = wanted.value WHERE o.commit_hash IS NOT NULL`;
  const rows = readAll<{ id: number; hash: string; isCommit: number; isRoutine: number }>(db, sql, JSON.stringify(ids));
  return new Map(rows.map(({ id, hash, isCommit, isRoutine }) => [id, { hash, isCommit: isCommit === 1, isRoutine: isRoutine === 1 }]));
}

/** For SQL over observations under this alias. */
export const isRoutineCommit = (alias: string) =>
  `(${alias}.origin = 'commit' AND EXISTS (SELECT 1 FROM commits chore WHERE chore.observation_id = ${alias}.id AND chore.is_routine = 1))`;
/** Nothing shows that the person made it here: whoever its author is said to be. Or a member of their team published it. */
export const isByOthers = (alias: string) =>
  `((${alias}.origin = 'commit' AND NOT EXISTS (SELECT 1 FROM commits made WHERE made.observation_id = ${alias}.id AND made.is_own = 1))
    OR ${alias}.author IS NOT NULL)`;

/** Of those that nothing was shown about. */
export function noteMadeHere(db: Database, projectId: number, hashes: Iterable<string>): void {
  db.query(`UPDATE commits SET is_own = 1 WHERE project_id = ? AND is_own IS NULL AND hash IN (SELECT value FROM json_each(?))`).run(
    projectId,
    JSON.stringify([...hashes]),
  );
}

/** All that was taken for the person's own has to be shown again. */
export function doubtOwnCommits(db: Database): void {
  db.query('UPDATE commits SET is_own = NULL WHERE is_own = 1').run();
}

/** For SQL over a commit under this alias: a session's own memory tells of the same change. */
export const isToldOf = (alias: string) => `EXISTS (SELECT 1 FROM observations told
  WHERE told.project_id = ${alias}.project_id AND told.commit_hash = ${alias}.commit_hash AND told.origin <> 'commit'
    AND told.hidden_at IS NULL AND told.wrong_at IS NULL)`;

/** For SQL over summaries under this alias: all that was committed in the turn was taken back since. */
const isRevertedTurn = (alias: string) =>
  `(EXISTS (${committedIn(alias)} AND work.outcome = 'ruled-out')
    AND NOT EXISTS (${committedIn(alias)} AND work.outcome IS NOT 'ruled-out'))`;

const committedIn = (alias: string) => `SELECT 1 FROM observations work
  WHERE work.session_id = ${alias}.session_id AND work.prompt_number = ${alias}.prompt_number
    AND work.commit_hash IS NOT NULL AND work.origin <> 'commit' AND work.type <> 'discovery'`;

/** What it completed, if that stands. */
export const standingCompleted = (alias: string) => `CASE WHEN ${isRevertedTurn(alias)} THEN NULL ELSE ${alias}.completed END`;
