// silences: when nothing is kept and nothing told. They stay when they are over: what happened in one may arrive much later.
import type { Database } from 'bun:sqlite';
import { hashParts } from '../../core/ids.ts';
import type { SilenceScope } from '../../core/silence.ts';
import { bury, isForgotten } from '../forgetting/tombstones.ts';

export type SilenceRow = {
  scope: SilenceScope;
  /** The project's key or the host's session id; '' for everything. */
  key: string;
  since: number;
  until: number | null;
};

export function beginSilence(db: Database, { scope, key, since, until }: SilenceRow): void {
  db.query('INSERT INTO silences (scope, key, since_epoch, until_epoch) VALUES (?, ?, ?, ?)').run(
    scope,
    key,
    since,
    until,
  );
}

/** Those that held at that time, the longest first. */
export function silencesAt(db: Database, at: number): SilenceRow[] {
  return db
    .query<SilenceRow, [number]>(
      `SELECT scope, key, since_epoch AS since, until_epoch AS until FROM silences
       WHERE since_epoch <= ?1 AND (until_epoch IS NULL OR until_epoch > ?1)
       ORDER BY until_epoch IS NULL DESC, until_epoch DESC, id`,
    )
    .all(at);
}

/** Returns how many ended. */
export function endSilences(db: Database, { scope, key }: Pick<SilenceRow, 'scope' | 'key'>, at: number): number {
  return db
    .query(
      `UPDATE silences SET until_epoch = max(?3, since_epoch)
       WHERE scope = ?1 AND key = ?2 AND (until_epoch IS NULL OR until_epoch > ?3)`,
    )
    .run(scope, key, at).changes;
}

export function endAllSilences(db: Database, at: number): number {
  return db
    .query('UPDATE silences SET until_epoch = max(?1, since_epoch) WHERE until_epoch IS NULL OR until_epoch > ?1')
    .run(at).changes;
}

/** Something of this session was left out. What sums up all of it may not be kept any more. Only a hash of its id stays. True the first time. */
export function markSilenced(db: Database, session: string, at: number): boolean {
  if (wasSilenced(db, session)) return false;
  bury(db, 'text', hashParts(['silenced', session]), at);
  return true;
}

export function wasSilenced(db: Database, session: string): boolean {
  return isForgotten(db, 'text', hashParts(['silenced', session]));
}

/** Its transcript is never read, whoever asks, and what sums up all of it is not kept. Only a hash of its id stays. */
export function keepOut(db: Database, session: string, at: number): void {
  bury(db, 'text', hashParts(['incognito', session]), at);
  markSilenced(db, session, at);
}

export function isKeptOut(db: Database, session: string): boolean {
  return isForgotten(db, 'text', hashParts(['incognito', session]));
}

/** A turn was left out for a reason that a copy of it, under another session's id, would not meet. Only hashes stay. */
export function leaveOutPrompt(db: Database, session: string, promptId: string, at: number): void {
  bury(db, 'text', hashParts(['left-out', promptId]), at);
  bury(db, 'text', hashParts(['left-out', promptId, session]), at);
}

/** In its own session it is judged again, by its time. */
export function wasLeftOutElsewhere(db: Database, session: string, promptId: string): boolean {
  const isMarked = isForgotten(db, 'text', hashParts(['left-out', promptId]));
  return isMarked && !isForgotten(db, 'text', hashParts(['left-out', promptId, session]));
}
