// Which memories a session may be told by themselves: one condition for every place that tells.
import type { Database } from 'bun:sqlite';
import { INJECTED_TRUST } from '../../core/trust.ts';
import { isByOthers } from '../commits/commits.ts';

/** So many steps of a chain are followed: a memory that was superseded more often is old. */
const LONGEST_CHAIN = 50;

/**
 * For SQL over observations under this alias: it is neither hidden nor wrong nor quarantined, its source is trusted, and nothing
 * that holds stands in its place. Whoever hides the newer one, or marks it wrong, brings the older back without writing to it.
 */
export const tellable = (alias: string) => `(${current(alias)} AND (NOT ${isByOthers(alias)} OR ${isWorkedIn(alias)}))`;

/** The same for whoever asks about the very file: also commits of others, before the person has worked in their repository. */
export const current = (alias: string) => `(${holds(alias)} AND ${newestAbove(alias)} IS NULL)`;

/** A captured session has changed a file in the project of this row. What an import says of sessions elsewhere does not count. */
const isWorkedIn = (
  alias: string,
  also = '',
) => `EXISTS (SELECT 1 FROM sessions w CROSS JOIN observations did ON did.session_id = w.id
  WHERE w.project_id = ${alias}.project_id AND w.host NOT IN ('git','claude-mem')
    AND did.batch_id IS NOT NULL AND did.files_modified <> '[]' ${also})`;

/** `before`: up to then, epoch ms. */
export const hasWorkedIn = (db: Database, projectId: number, before = Number.MAX_SAFE_INTEGER): boolean =>
  db
    .query(`SELECT 1 FROM (SELECT ? AS project_id) AS here WHERE ${isWorkedIn('here', 'AND did.created_at_epoch < ?')}`)
    .get(projectId, before) !== null;

/** It could be told, whatever came after it. */
export const holds = (
  alias: string,
) => `(${alias}.hidden_at IS NULL AND ${alias}.wrong_at IS NULL AND ${alias}.quarantined = 0
  AND ${alias}.trust >= ${INJECTED_TRUST} AND NOT ${distrusted(alias)})`;

/**
 * The id at the end of the chain above an observation, NULL when nothing above it holds. All of the chain is followed: B in the place
 * of A may be wrong while C, in the place of B, holds.
 */
export const newestAbove = (alias: string) => `CASE WHEN ${alias}.superseded_by IS NOT NULL THEN (
  WITH RECURSIVE newer(id, steps) AS (
    SELECT ${alias}.superseded_by, 1
    UNION SELECT next.superseded_by, newer.steps + 1 FROM newer JOIN observations next ON next.id = newer.id
      WHERE next.superseded_by IS NOT NULL AND newer.steps < ${LONGEST_CHAIN})
  SELECT above.id FROM newer JOIN observations above ON above.id = newer.id
    WHERE above.id <> ${alias}.id AND ${holds('above')} ORDER BY newer.steps DESC LIMIT 1) END`;

/** Somebody distrusts where an observation comes from: its session, its host, or its kind of origin. */
export const distrusted = (alias: string) => `EXISTS (
  SELECT 1 FROM sessions said CROSS JOIN distrusted d WHERE said.id = ${alias}.session_id
    AND d.source IN ('session:' || said.host_session_id, 'host:' || said.host, 'origin:' || ${alias}.origin))`;

/** For summaries and prompts, which have no origin of their own: `trustedSession('s.session_id')`. */
export const trustedSession = (column: string) => `NOT EXISTS (
  SELECT 1 FROM sessions said CROSS JOIN distrusted d WHERE said.id = ${column}
    AND d.source IN ('session:' || said.host_session_id, 'host:' || said.host))`;

/** The end of the chain that a memory is in: the newest that holds, or itself when nothing newer does. */
export function resolveNewest(db: Database, id: number): number {
  const row = db
    .query<{ newest: number | null }, [number]>(
      `SELECT ${newestAbove('o')} AS newest FROM observations o WHERE o.id = ?`,
    )
    .get(id);
  return row?.newest ?? id;
}

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
  const rows = db
    .query<{ id: number; holds: number; isBehind: number; isKept: number }, [string]>(
      `SELECT o.id, ${holds('o')} AS holds, o.pinned = 1 OR o.kept = 1 AS isKept,
         o.wrong_at IS NOT NULL OR o.quarantined = 1 OR ${distrusted('o')} AS isBehind
       FROM json_each(?) AS wanted CROSS JOIN observations o ON o.id = wanted.value`,
    )
    .all(JSON.stringify(ids));
  return new Map(
    rows.map((row) => [row.id, { holds: row.holds === 1, isBehind: row.isBehind === 1, isKept: row.isKept === 1 }]),
  );
}
