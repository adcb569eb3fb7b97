// model_pauses: until when a model is not asked, and why. Kept over restarts.
import type { Database } from 'bun:sqlite';
import { isoTime } from '../time.ts';

export type PauseKind = 'transient' | 'rate-limited' | 'auth' | 'unrecoverable';
export type Pause = { kind: PauseKind; until: number; times: number; message: string };

/** A pause that was written by a clock far ahead must not last until then. */
const LONGEST_MS = 7 * 86_400_000;

/** `access` names one way of asking: provider, model, address and key. */
export function getPause(db: Database, access: string, now: number): Pause | null {
  const pause = db
    .query<Pause, [string]>('SELECT kind, until_epoch AS until, times, message FROM model_pauses WHERE access = ?')
    .get(access);
  return pause && pause.until > now + LONGEST_MS ? { ...pause, until: 0 } : pause;
}

export function setPause(db: Database, access: string, pause: Pause & { at: number }): void {
  db.query(
    `INSERT INTO model_pauses (access, kind, until_epoch, times, message, updated_at)
     VALUES ($access, $kind, $until, $times, $message, $iso)
     ON CONFLICT (access) DO UPDATE SET kind = $kind, until_epoch = $until, times = $times, message = $message, updated_at = $iso`,
  ).run({
    access,
    kind: pause.kind,
    until: pause.until,
    times: pause.times,
    message: pause.message,
    iso: isoTime(pause.at),
  });
}

export function clearPause(db: Database, access: string): void {
  db.query('DELETE FROM model_pauses WHERE access = ?').run(access);
}

/** What was refused may be accepted now: the settings have changed, or a person started the worker anew. */
export function clearRefusals(db: Database): void {
  db.query("DELETE FROM model_pauses WHERE kind IN ('auth','unrecoverable')").run();
}
