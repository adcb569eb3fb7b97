// Which memories a session may be told by themselves: one condition for every place that tells.
import type { Database } from 'bun:sqlite';
import { formatRef, type MemoryRef } from '../core/memory.ts';
import { INJECTED_TRUST } from '../core/observation.ts';
import { exists, readAll } from '../store/read.ts';
import { isByOthers } from './git-log.ts';

/** So many steps of a chain are followed: a memory that was replaced more often is old. */
const LONGEST_CHAIN = 50;

/**
 * For SQL over observations under this alias: it is neither hidden nor wrong nor quarantined, its source is trusted, and nothing
 * that holds has replaced it for certain. Whoever hides the newer one, or marks it wrong, brings the older back without writing to it.
 */
export const tellable = (alias: string) => `(${current(alias)} AND (NOT ${isByOthers(alias)} OR ${isWorkedIn(alias)}))`;

/**
 * The same for whoever asks about the very file: also commits of others, before the person has worked in their repository. What was
 * ruled out is given as that, whatever replaced it.
 */
export const current = (alias: string) =>
  `(${holds(alias)} AND (${alias}.outcome IS 'ruled-out' OR ${newestAbove(`${alias}.id`)} IS NULL))`;

/** A captured session has changed a file in the project of this row. What an import says of sessions elsewhere does not count. */
const isWorkedIn = (alias: string, also = '') => `EXISTS (SELECT 1 FROM sessions w CROSS JOIN observations did ON did.session_id = w.id
  WHERE w.project_id = ${alias}.project_id AND did.batch_id IS NOT NULL AND did.files_modified <> '[]' ${also})`;

/** `before`: up to then, epoch ms. */
export const hasWorkedIn = (db: Database, projectId: number, before = Number.MAX_SAFE_INTEGER): boolean => {
  const sql = `SELECT 1 FROM (SELECT ? AS project_id) AS here WHERE ${isWorkedIn('here', 'AND did.created_at_epoch < ?')}`;
  return exists(db, sql, projectId, before);
};

/** It could be told, whatever came after it. */
export const holds = (alias: string) => `(${alias}.hidden_at IS NULL AND ${alias}.wrong_at IS NULL AND ${alias}.quarantined = 0
  AND ${alias}.trust >= ${INJECTED_TRUST} AND NOT ${distrusted(alias)})`;

/** A replacement that is certain and that nobody took back. */
const CERTAIN = 'r.certain = 1 AND r.both_hold = 0';

/** `id` and `kind` are SQL: that memory may be given to sessions by itself. */
export const holdsRef = (id: string, kind: string) => `CASE ${kind}
  WHEN 'observation' THEN EXISTS (SELECT 1 FROM observations h WHERE h.id = ${id} AND ${holds('h')})
  ELSE EXISTS (SELECT 1 FROM prompts h WHERE h.id = ${id} AND h.hidden_at IS NULL AND h.private = 0 AND h.text <> ''
    AND ${trustedSession('h.session_id')}) END`;

/** Of these, the ones that may be given by themselves, whatever came after them: by id as it is written. */
export const listHeld = (db: Database, refs: MemoryRef[]): Set<string> =>
  new Set(
    readAll<MemoryRef>(
      db,
      `SELECT kind, id FROM (SELECT json_extract(value, '$.kind') AS kind, json_extract(value, '$.id') AS id FROM json_each(?)) AS wanted
         WHERE CASE kind WHEN 'summary' THEN EXISTS (SELECT 1 FROM summaries m WHERE m.id = wanted.id AND m.hidden_at IS NULL
           AND ${trustedSession('m.session_id')}) ELSE ${holdsRef('wanted.id', 'wanted.kind')} END`,
      JSON.stringify(refs),
    ).map(formatRef),
  );

/** What was undone, reverted or refused stands in the place of nothing: what it had replaced holds again. */
export const isUndone = (id: string, kind: string) => `EXISTS (SELECT 1 FROM replacements u
  WHERE u.older_kind = ${kind} AND u.older_id = ${id} AND u.certain = 1 AND u.both_hold = 0
    AND u.why IN ('undone','reverted','refused') AND ${holdsRef('u.newer_id', 'u.newer_kind')})`;

/**
 * The memory that stands in the place of another for certain, at the end of the chain above it: `123` or `P34`, NULL when it is not
 * replaced. All of the chain is followed: B in the place of A may be hidden while C, in the place of B, holds.
 */
export const newestAbove = (id: string, kind = "'observation'") => `CASE
  WHEN EXISTS (SELECT 1 FROM replacements r WHERE r.older_kind = ${kind} AND r.older_id = ${id} AND ${CERTAIN}) THEN (
  WITH RECURSIVE newer(kind, id, steps) AS (
    SELECT r.newer_kind, r.newer_id, 1 FROM replacements r
      WHERE r.older_kind = ${kind} AND r.older_id = ${id} AND ${CERTAIN} AND NOT ${isUndone('r.newer_id', 'r.newer_kind')}
    UNION SELECT r.newer_kind, r.newer_id, newer.steps + 1
      FROM newer JOIN replacements r ON r.older_kind = newer.kind AND r.older_id = newer.id
      WHERE ${CERTAIN} AND newer.steps < ${LONGEST_CHAIN} AND NOT ${isUndone('r.newer_id', 'r.newer_kind')})
  SELECT ${refText('newer.id', 'newer.kind')} FROM newer
    WHERE ${holdsRef('newer.id', 'newer.kind')} AND NOT (newer.kind = ${kind} AND newer.id = ${id})
    ORDER BY newer.steps DESC, newer.id DESC LIMIT 1) END`;

/** As formatRef writes it. */
export const refText = (id: string, kind: string) => `CASE ${kind} WHEN 'prompt' THEN 'P' ELSE '' END || ${id}`;

/** Asked once for a statement, not for each row: mostly nobody distrusts anything. */
const ANY_DISTRUSTED = 'EXISTS (SELECT 1 FROM distrusted)';

/** What an observation is called after where no session made it: it stands in names that people block and other machines know. */
export const hostOf = (alias: string, session: string) =>
  `coalesce(${session}.host, 'team/' || ${alias}.author, iif(${alias}.origin = 'commit', 'git', 'claude-mem'))`;

/** Whose session it is, if not Claude Code's: of that one it goes without saying. */
export const agentOf = (session: string) => `nullif(${session}.host, 'claude-code')`;

/** The sources of an observation that can be blocked. */
export const sourcesOf = (alias: string, session: string) =>
  `('session:' || ${session}.host_session_id, 'host:' || ${hostOf(alias, session)}, 'origin:' || ${alias}.origin)`;

/** Somebody distrusts one of them. */
export const distrusted = (alias: string) => `(${ANY_DISTRUSTED} AND EXISTS (
  SELECT 1 FROM distrusted d LEFT JOIN sessions said ON said.id = ${alias}.session_id WHERE d.source IN ${sourcesOf(alias, 'said')}))`;

/** For summaries and prompts, which have no origin of their own: `trustedSession('s.session_id')`. */
export const trustedSession = (column: string) => `NOT (${ANY_DISTRUSTED} AND EXISTS (
  SELECT 1 FROM sessions said CROSS JOIN distrusted d WHERE said.id = ${column}
    AND d.source IN ('session:' || said.host_session_id, 'host:' || said.host)))`;

/** What people think of an observation, for whoever orders them. */
export type Regard = {
  /** It could be told. */
  holds: boolean;
  /** Wrong, quarantined or distrusted: found after all others. */
  isBehind: boolean;
  /** A person pinned it, or said that it still holds. */
  isKept: boolean;
};

export function readRegards(db: Database, ids: number[]): Map<number, Regard> {
  const sql = `SELECT o.id, ${holds('o')} AS holds, o.pinned = 1 OR o.kept = 1 AS isKept,
      o.wrong_at IS NOT NULL OR o.quarantined = 1 OR ${distrusted('o')} AS isBehind
    FROM json_each(?) AS wanted CROSS JOIN observations o ON o.id = wanted.value`;
  const rows = readAll<{ id: number; holds: number; isBehind: number; isKept: number }>(db, sql, JSON.stringify(ids));
  return new Map(rows.map((row) => [row.id, { holds: row.holds === 1, isBehind: row.isBehind === 1, isKept: row.isKept === 1 }]));
}
