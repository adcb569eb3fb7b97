// Removes memories that are older, or more, than the settings keep, oldest first, never a pinned one or a rule of the user; and what was
// set aside long ago. A slice of a few milliseconds at a time.
import type { Database } from 'bun:sqlite';
import { dropSessionPart } from '../capture/sessions.ts';
import type { Config } from '../config.ts';
import { isoTime } from '../core/time.ts';
import type { Log } from '../log.ts';
import { count } from '../store/counters.ts';
import { scourWords } from '../store/documents.ts';
import { readAll, readColumn, readValue, usedBytes } from '../store/read.ts';
import { expireRecords } from '../turns/turns.ts';

type RetentionDeps = {
  db: Database;
  config: () => Pick<Config, 'keepDays' | 'keepRecords' | 'keepMegabytes'>;
  clock: () => number;
  log: Log;
};

const SLICE_MS = 5;
const DAY_MS = 86_400_000;
const LOOK_MS = 3_600_000;
/** However little room there is, so much of the past stays. */
const SPARED_DAYS = 30;
/** Whoever is over the limit goes some way below it, so that not every new memory is over it again. */
const GOAL = 0.95;
const SET_ASIDE_DAYS = 90;

const ROWS = 20;
/** Each of them is a long text whose words go, and a prompt that is indexed again. */
const RECORDS = 4;
const SESSIONS = 100;
const PAGES = 8;

export function createRetention({ db, config, clock, log }: RetentionDeps) {
  /** Goes on a small piece at a time. */
  let round: Generator<void> | null = null;
  let nextAt = 0;
  let stamp = '';
  let problem: string | null = null;
  let dropped = 0;

  /** What is too old goes first; then what is too much. */
  function* goRound(): Generator<void> {
    const { keepDays, keepRecords, keepMegabytes } = config();
    const now = Math.min(clock(), latestLife(db));
    expireSetAside(db, now - SET_ASIDE_DAYS * DAY_MS);
    if (keepDays > 0) yield* sweep('age', now - keepDays * DAY_MS);
    if (keepRecords > 0) yield* sweep('records', now - keepRecords * DAY_MS);
    if (keepMegabytes > 0) yield* shrink(keepMegabytes * 1e6, now);
  }

  /** Everything before a moment; `records`: these alone. */
  function* sweep(reason: 'records' | 'age' | 'size', before: number): Generator<void> {
    const gone = { observations: 0, summaries: 0, records: 0, sessions: 0 };
    const isOfAll = reason !== 'records';
    function* drop(what: 'observations' | 'summaries' | 'records', dropSome: () => number): Generator<void> {
      for (let rows = dropSome(); rows > 0; rows = dropSome()) {
        gone[what] += rows;
        dropped += rows;
        count(db, what === 'records' ? 'expired:records' : `expired:${reason}`, clock(), rows);
        yield;
      }
    }
    if (isOfAll) yield* drop('observations', () => dropExpired(db, 'observations', before));
    if (isOfAll) yield* drop('summaries', () => dropExpired(db, 'summaries', before));
    yield* drop('records', () => expireRecords(db, before, RECORDS));
    for (let next: number | null = isOfAll ? 0 : null; next !== null; yield) {
      const looked = dropEmptySession(db, next, before);
      if (looked.isGone) gone.sessions++;
      next = looked.next;
    }
    // Their room comes back only when the pages they stood on are written anew: not worth it where no room is asked for.
    if (reason === 'size') while (!scourWords(db, PAGES)) yield;
    if (Object.values(gone).some((rows) => rows > 0))
      log.info('old memories expired', { reason, before: new Date(before).toISOString(), ...gone });
  }

  /** As if as much had been remembered on every day; looked at again afterwards. */
  function* shrink(limit: number, now: number): Generator<void> {
    const latest = now - SPARED_DAYS * DAY_MS;
    let used = usedBytes(db);
    const isOver = used > limit;
    for (let swept = 0; isOver && used > limit * GOAL; used = usedBytes(db)) {
      const from = Math.max(oldestMemoryAt(db) ?? now, swept);
      if (from >= latest) break;
      swept = Math.min(latest, from + Math.max(DAY_MS, ((now - from) * (used - limit * GOAL)) / used));
      yield* sweep('size', swept);
    }
    if (used > limit) complain(used, limit);
    else problem = null;
  }

  const complain = (used: number, limit: number) => {
    const megabytes = (bytes: number) => (bytes / 1e6).toFixed(1);
    const isNew = problem === null;
    problem =
      `keepMegabytes cannot be kept: ${megabytes(used)} of ${megabytes(limit)} MB are memories of the last ` +
      `${SPARED_DAYS} days, or pinned. These stay.`;
    if (isNew) log.warn(problem);
  };

  const work = (started: number): boolean => {
    const [running, before] = [round ?? goRound(), dropped];
    // One that failed begins again: what was dropped by it is there again, too.
    round = null;
    let isDone = false;
    while (!isDone && performance.now() - started < SLICE_MS) isDone = running.next().done === true;
    if (isDone) nextAt = clock() + LOOK_MS;
    else round = running;
    return !isDone || dropped > before;
  };

  return {
    /** Why a limit cannot be kept; null mostly. */
    problem: () => problem,
    /** One slice. True when there is more to do at once. */
    tidy(): boolean {
      const setting = JSON.stringify(config());
      // Other settings count at once, and a round by the old ones ends.
      if (setting !== stamp) [stamp, round, nextAt, problem] = [setting, null, 0, null];
      if (!round && clock() < nextAt) return false;
      const started = performance.now();
      return db.transaction(() => expiring(db, () => work(started))).immediate();
    },
  };
}

/** What one machine lets go of by its settings, the others keep: the triggers of sync look for this. Inside a transaction. */
function expiring<T>(db: Database, work: () => T): T {
  db.run("INSERT OR IGNORE INTO sync_state (name, value) SELECT 'expiring', '1' WHERE EXISTS (SELECT 1 FROM sync_state)");
  const done = work();
  db.run("DELETE FROM sync_state WHERE name = 'expiring'");
  return done;
}

type ExpiringTable = 'observations' | 'summaries';

function dropExpired(db: Database, table: ExpiringTable, before: number): number {
  const ids = listExpired(db, table, before, ROWS);
  for (const id of ids) db.query(`DELETE FROM ${table} WHERE id = ?`).run(id);
  return ids.length;
}

/** The latest sign of life in the store: by it things are old, not by a clock that may be set wrong. */
export const latestLife = (db: Database) => readValue<number>(db, 'SELECT max(updated_at_epoch) FROM sessions') ?? 0;

/** Older than this moment, oldest first. Each project has its own order of time: they are looked through one by one. */
function listExpired(db: Database, table: ExpiringTable, before: number, limit: number): number[] {
  const sql = `SELECT id, created_at_epoch AS at FROM ${table} WHERE project_id = ? AND created_at_epoch < ?
    ${table === 'observations' ? 'AND pinned = 0 AND is_rule = 0' : ''} ORDER BY created_at_epoch LIMIT ? + 0`;
  const oldest = db.query<{ id: number; at: number }, [number, number, number]>(sql);
  return listProjectIds(db)
    .flatMap((projectId) => oldest.all(projectId, before, limit))
    .sort((one, other) => one.at - other.at || one.id - other.id)
    .slice(0, limit)
    .map(({ id }) => id);
}

const listProjectIds = (db: Database) => readColumn<number>(db, 'SELECT id FROM projects');

function oldestMemoryAt(db: Database): number | null {
  const first = 'SELECT min(created_at_epoch) FROM observations WHERE project_id = ?';
  const times = listProjectIds(db).flatMap((id) => readValue<number>(db, first, id) ?? []);
  return times.length === 0 ? null : Math.min(...times);
}

/** A piece of the next session after one of which nothing is left, nor will be made. `next`: after which to go on; null: there is none. */
function dropEmptySession(db: Database, after: number, before: number): { next: number | null; isGone: boolean } {
  const sql = `SELECT s.id, s.updated_at_epoch < $before
      AND NOT EXISTS (SELECT 1 FROM observations WHERE session_id = s.id)
      AND NOT EXISTS (SELECT 1 FROM summaries WHERE session_id = s.id)
      AND NOT EXISTS (SELECT 1 FROM events WHERE session_id = s.id AND status IN ('pending','claimed')) AS isEmpty
    FROM sessions s WHERE s.id > $after ORDER BY s.id LIMIT ${SESSIONS}`;
  const sessions = readAll<{ id: number; isEmpty: number }>(db, sql, { after, before });
  const empty = sessions.find(({ isEmpty }) => isEmpty === 1);
  if (!empty) return { next: sessions.at(-1)?.id ?? null, isGone: false };
  return { next: empty.id - 1, isGone: dropSessionPart(db, empty.id) };
}

/** Payloads of events that could not be processed, and inputs that could not be read: by now nobody looks for the reason. */
function expireSetAside(db: Database, before: number): void {
  db.query("UPDATE events SET payload = NULL WHERE payload IS NOT NULL AND status = 'quarantined' AND created_at_epoch < ?").run(before);
  db.query('DELETE FROM bad_inputs WHERE created_at < ?').run(isoTime(before));
}
