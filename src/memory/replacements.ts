// The one relation for "no longer so": a newer memory replaces an older one, for certain or maybe. A person's word is final.
import type { Database } from 'bun:sqlite';
import { formatRef, MEMORY_TABLES, type MemoryRef, type Why } from '../core/memory.ts';
import { oneLine } from '../core/text.ts';
import { isoTime } from '../core/time.ts';
import { scrubSecrets } from '../secrets/scrub.ts';
import { exists, readAll, readColumn, readFirst } from '../store/read.ts';
import { current, holdsRef, newestAbove } from './trusted.ts';

export type NewReplacement = {
  older: MemoryRef;
  /** An observation, or a prompt for all of its turn. */
  newer: MemoryRef;
  /** Certain: found, marked, never given as current. Else: given behind the newer one, with a mark. */
  isCertain: boolean;
  why: Why;
  /** The words or the changed line that show it. */
  words: string | null;
  madeBy: 'rules' | 'model' | 'user';
  /** Since when, epoch ms. */
  at: number;
};

/**
 * False when a person's word stands against it (both hold, kept, pinned), it would close a circle, the newer may not be given itself
 * (untrusted, hidden, wrong), or it is there already (then certain wins over maybe). Inside a transaction.
 */
export function addReplacement(db: Database, one: NewReplacement): boolean {
  const { older, newer } = one;
  if (isSame(older, newer) || !isOpen(db, older) || !mayReplace(db, newer)) return false;
  if (find(db, newer, older)?.bothHold || isAbove(db, newer, older)) return false;
  const known = find(db, older, newer);
  if (known && (known.bothHold || known.madeBy === 'user' || known.isCertain || !one.isCertain)) return false;
  putReplacement(db, one);
  return true;
}

/** Before a turn is derived again: what rules, or a model, made of it goes. What 0.1.0 marked stays: a person may have said it. */
export function dropDerived(
  db: Database,
  { sessionId, promptNumber }: { sessionId: number; promptNumber: number },
  madeBy: 'rules' | 'model' = 'rules',
): void {
  db.query(
    `DELETE FROM replacements WHERE made_by = $madeBy AND why <> 'older version' AND (
       (newer_kind = 'prompt' AND newer_id IN (SELECT id FROM prompts WHERE ${OF_TURN}))
       OR (newer_kind = 'observation' AND newer_id IN (SELECT id FROM observations WHERE ${OF_TURN})))`,
  ).run({ sessionId, promptNumber, madeBy });
}

/** In which something was remembered that this turn, or a memory of it, replaces. */
export const listSessionsReplacedBy = (db: Database, turn: { sessionId: number; promptNumber: number }): number[] =>
  readColumn<number>(
    db,
    `SELECT DISTINCT o.session_id FROM replacements r JOIN observations o ON r.older_kind = 'observation' AND o.id = r.older_id
     WHERE o.session_id IS NOT NULL AND (
       (r.newer_kind = 'prompt' AND r.newer_id IN (SELECT id FROM prompts WHERE ${OF_TURN}))
       OR (r.newer_kind = 'observation' AND r.newer_id IN (SELECT id FROM observations WHERE ${OF_TURN})))`,
    { sessionId: turn.sessionId, promptNumber: turn.promptNumber },
  );

const OF_TURN = 'session_id = $sessionId AND prompt_number = $promptNumber';

/** Of these memories as the older or the newer side. */
const listBy = (db: Database, side: 'older' | 'newer', refs: MemoryRef[], where: string) => {
  const sql = `SELECT ${COLUMNS} FROM json_each(?) AS wanted CROSS JOIN replacements r
    ON r.${side}_kind = json_extract(wanted.value, '$.kind') AND r.${side}_id = json_extract(wanted.value, '$.id') ${where}`;
  return readAll<Row>(db, sql, JSON.stringify(refs)).map(fromRow);
};

/** By formatRef of the older, the latest first: what replaces it, or may do so, and can be given itself. */
export function listReplacements(db: Database, refs: MemoryRef[]): Map<string, NewReplacement[]> {
  const current = `WHERE r.both_hold = 0 AND ${holdsRef('r.newer_id', 'r.newer_kind')} ORDER BY r.created_at_epoch DESC, r.id DESC`;
  return Map.groupBy(listBy(db, 'older', refs, current), ({ older }) => formatRef(older));
}

/** By the id of an observation: what it replaced for certain, as ids are written. */
export function listReplacedBy(db: Database, newerIds: number[]): Map<number, string[]> {
  const refs = newerIds.map((id): MemoryRef => ({ kind: 'observation', id }));
  const rows = listBy(db, 'newer', refs, 'WHERE r.certain = 1 AND r.both_hold = 0 ORDER BY r.id');
  return new Map([...Map.groupBy(rows, ({ newer }) => newer.id)].map(([id, list]) => [id, list.map(({ older }) => formatRef(older))]));
}

/** The latest first: where two memories that hold seem to disagree and nobody has said which one holds. Null: of every project. */
export function listContradictions(db: Database, projectIds: number[] | null, limit: number): NewReplacement[] {
  const sql = `SELECT ${COLUMNS} FROM replacements r JOIN observations o ON r.older_kind = 'observation' AND o.id = r.older_id
    WHERE r.certain = 0 AND r.both_hold = 0 AND ${current('o')} AND o.outcome IS NOT 'ruled-out'
      AND ${holdsRef('r.newer_id', 'r.newer_kind')} AND ${newestAbove('r.newer_id', 'r.newer_kind')} IS NULL
      ${projectIds ? 'AND o.project_id IN (SELECT value FROM json_each($projects))' : ''}
    ORDER BY r.created_at_epoch DESC, r.id DESC LIMIT $limit + 0`;
  return readAll<Row>(db, sql, { limit, ...(projectIds ? { projects: JSON.stringify(projectIds) } : {}) }).map(fromRow);
}

/**
 * A person says that the newer holds instead, which ends a doubt about which of both does. False, and nothing else changed, when the
 * newer is itself replaced by the older.
 */
export function sayReplaced(db: Database, older: MemoryRef, newer: MemoryRef, at: number): boolean {
  db.query(`DELETE FROM replacements WHERE ${PAIR} AND certain = 0 AND both_hold = 0`).run(pairOf(newer, older));
  if (isSame(older, newer) || isAbove(db, newer, older)) return false;
  putReplacement(db, { older, newer, isCertain: true, why: 'person', words: null, madeBy: 'user', at });
  if (older.kind === 'observation') db.query('UPDATE observations SET kept = 0 WHERE id = ?').run(older.id);
  return true;
}

/** A person says that neither replaces the other: rules and models may not say so again. */
export function sayBothHold(db: Database, older: MemoryRef, newer: MemoryRef, at: number): void {
  putReplacement(db, { older, newer, isCertain: false, why: 'person', words: null, madeBy: 'user', at }, true);
  settle(db, newer, older);
}

/** A person takes back what was decided about a pair: it is in doubt again, as rules or a model had found it. */
export function doubtAgain(
  db: Database,
  { older, newer, why, words, at }: Pick<NewReplacement, 'older' | 'newer' | 'why' | 'words' | 'at'>,
): void {
  db.query(`DELETE FROM replacements WHERE ${PAIR}`).run(pairOf(newer, older));
  putReplacement(db, { older, newer, isCertain: false, why, words, madeBy: why === 'model' ? 'model' : 'rules', at });
}

/**
 * A person says that it is not replaced, by this one or by anything: what replaced it so far does so no more, for good. Where a pair
 * was said to hold both, that word is taken back. The newer of each that changed.
 */
export function undoReplacement(db: Database, older: MemoryRef, newer?: MemoryRef): MemoryRef[] {
  if (newer && find(db, older, newer)?.bothHold) {
    db.query(`DELETE FROM replacements WHERE ${PAIR}`).run(pairOf(older, newer));
    return [newer];
  }
  const sql = `SELECT ${COLUMNS} FROM replacements r WHERE older_kind = ? AND older_id = ? AND both_hold = 0`;
  const rows = readAll<Row>(db, sql, older.kind, older.id).map(fromRow);
  const undone = rows.map((row) => row.newer).filter((one) => !newer || isSame(one, newer));
  for (const one of undone) settle(db, older, one);
  return undone;
}

/** A person says that it still holds: nothing replaces it by itself, now or later. */
export function sayHolds(db: Database, id: number): void {
  undoReplacement(db, { kind: 'observation', id });
  db.query('UPDATE observations SET kept = 1 WHERE id = ?').run(id);
}

/** Inside a transaction: what another store says, as far as a person's word here does not stand against it. */
export function importReplacement(db: Database, { bothHold, ...one }: NewReplacement & { bothHold: boolean }): boolean {
  if (!bothHold) return addReplacement(db, one);
  if (isSame(one.older, one.newer) || one.newer.kind === 'summary' || find(db, one.older, one.newer)) return false;
  putReplacement(db, one, true);
  return true;
}

export type ReplacementLink = Omit<NewReplacement, 'at'> & { bothHold: boolean; at: string };

/** Of these memories, those that replace or are replaced; and what replaces them. Both sides are shown. */
export function readReplacementLinks(db: Database, refs: MemoryRef[]): { linked: Set<string>; replaced: ReplacementLink[] } {
  const [replaced, replacing] = [listBy(db, 'older', refs, 'ORDER BY r.id'), listBy(db, 'newer', refs, 'ORDER BY r.id')];
  const linked = [...replaced.map(({ older }) => older), ...replacing.map(({ newer }) => newer)];
  return {
    linked: new Set(linked.map(formatRef)),
    replaced: replaced.map(({ at, ...link }) => ({ ...link, at: isoTime(at) })),
  };
}

/** What a rule had said of a commit that is reverted does not count once that commit is back. */
export function dropReverted(db: Database, id: number): void {
  db.query(`DELETE FROM replacements WHERE older_kind = 'observation' AND older_id = ? AND why = 'reverted' AND made_by = 'rules'`).run(id);
}

/** Whether what stands above a memory, certain or maybe, comes to another one. */
function isAbove(db: Database, from: MemoryRef, to: MemoryRef): boolean {
  const above = `WITH RECURSIVE above(kind, id) AS (
      SELECT $fromKind, $fromId
      UNION SELECT r.newer_kind, r.newer_id FROM above
        JOIN replacements r ON r.older_kind = above.kind AND r.older_id = above.id AND r.both_hold = 0)
    SELECT 1 FROM above WHERE kind = $toKind AND id = $toId LIMIT 1`;
  return exists(db, above, { fromKind: from.kind, fromId: from.id, toKind: to.kind, toId: to.id });
}

const isSame = (one: MemoryRef, other: MemoryRef) => one.kind === other.kind && one.id === other.id;

type Row = {
  olderKind: MemoryRef['kind'];
  olderId: number;
  newerKind: MemoryRef['kind'];
  newerId: number;
  certain: number;
  bothHold: number;
  why: Why;
  words: string | null;
  madeBy: NewReplacement['madeBy'];
  at: number;
};
const COLUMNS = `r.older_kind AS olderKind, r.older_id AS olderId, r.newer_kind AS newerKind, r.newer_id AS newerId, r.certain,
  r.both_hold AS bothHold, r.why, r.words, r.made_by AS madeBy, r.created_at_epoch AS at`;

const fromRow = ({ olderKind, olderId, newerKind, newerId, certain, bothHold, ...row }: Row) => ({
  ...row,
  older: { kind: olderKind, id: olderId },
  newer: { kind: newerKind, id: newerId },
  isCertain: certain === 1,
  bothHold: bothHold === 1,
});

const PAIR = 'older_kind = $olderKind AND older_id = $olderId AND newer_kind = $newerKind AND newer_id = $newerId';
const pairOf = (older: MemoryRef, newer: MemoryRef) => ({
  olderKind: older.kind,
  olderId: older.id,
  newerKind: newer.kind,
  newerId: newer.id,
});

function find(db: Database, older: MemoryRef, newer: MemoryRef) {
  const row = readFirst<Row>(db, `SELECT ${COLUMNS} FROM replacements r WHERE ${PAIR}`, pairOf(older, newer));
  return row && fromRow(row);
}

/** As long as a line that people read. */
const WORDS = 300;

/** Inside a transaction: as another machine of the same person has it. */
export function putReplacement(db: Database, one: NewReplacement, bothHold = false): void {
  db.query(
    `INSERT INTO replacements (older_kind, older_id, newer_kind, newer_id, certain, why, words, made_by, both_hold,
       created_at, created_at_epoch)
     VALUES ($olderKind, $olderId, $newerKind, $newerId, $certain, $why, $words, $madeBy, $bothHold, $iso, $at)
     ON CONFLICT (older_kind, older_id, newer_kind, newer_id) DO UPDATE SET certain = $certain, why = $why, words = $words,
       made_by = $madeBy, both_hold = $bothHold, created_at = $iso, created_at_epoch = $at`,
  ).run({
    ...pairOf(one.older, one.newer),
    certain: Number(one.isCertain),
    why: one.why,
    words: one.words === null ? null : scrubSecrets(oneLine(one.words, WORDS)).text,
    madeBy: one.madeBy,
    bothHold: Number(bothHold),
    iso: isoTime(one.at),
    at: one.at,
  });
}

/** Both hold: a person's word from now on. */
const settle = (db: Database, older: MemoryRef, newer: MemoryRef) =>
  db.query(`UPDATE replacements SET both_hold = 1, made_by = 'user', why = 'person', words = NULL WHERE ${PAIR}`).run(pairOf(older, newer));

/** It is there, and no person pinned it or said that it still holds. */
function isOpen(db: Database, { kind, id }: MemoryRef): boolean {
  const free = kind === 'observation' ? 'AND pinned = 0 AND kept = 0' : '';
  return exists(db, `SELECT 1 FROM ${MEMORY_TABLES[kind]} WHERE id = ? ${free}`, id);
}

const mayReplace = (db: Database, ref: MemoryRef): boolean =>
  ref.kind !== 'summary' && exists(db, `SELECT 1 WHERE ${holdsRef('$id', '$kind')}`, ref);
