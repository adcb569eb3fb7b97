// Removes memories that are older, or more, than the settings keep, oldest first, never a pinned one or a rule of the user; and what was
// set aside long ago. A slice of a few milliseconds at a time.
import type { Database } from 'bun:sqlite';
import type { Config } from '../config.ts';
import type { Log } from '../log.ts';
import { count } from '../store/counters.ts';
import { scourWords } from '../store/documents.ts';
import { isoTime } from '../store/time.ts';
import { expireRecords } from '../turns/turns.ts';

type Retention = {
  /** One slice. True when there is more to do at once. */
  tidy: () => boolean;
  /** Why a limit cannot be kept; null mostly. */
  problem: () => string | null;
};

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

/** Everything before a moment, in this order; `records`: these alone. */
type Sweep = {
  reason: 'records' | 'age' | 'size';
  before: number;
  steps: Step[];
  lastSession: number;
  gone: Record<Exclude<Step, 'words'>, number>;
};
type Step = 'observations' | 'summaries' | 'records' | 'sessions' | 'words';
const STEPS: Step[] = ['observations', 'summaries', 'records', 'sessions', 'words'];

export function createRetention({ db, config, clock, log }: RetentionDeps): Retention {
  let sweep: Sweep | null = null;
  const next = { look: 0, age: 0, records: 0 };
  let stamp = '';
  let sweptUntil = 0;
  let problem: string | null = null;

  const begin = (reason: Sweep['reason'], before: number): Sweep => ({
    ...{ reason, before, steps: reason === 'records' ? ['records', 'words'] : [...STEPS], lastSession: 0 },
    gone: { observations: 0, summaries: 0, records: 0, sessions: 0 },
  });

  /** What is too old goes first; then what is too much. */
  const look = (): Sweep | null => {
    const { keepDays, keepRecords, keepMegabytes } = config();
    const now = Math.min(clock(), latestLife(db));
    expireSetAside(db, now - SET_ASIDE_DAYS * DAY_MS);
    if (keepDays > 0 && next.age <= clock()) {
      next.age = clock() + LOOK_MS;
      return begin('age', now - keepDays * DAY_MS);
    }
    if (keepRecords > 0 && next.records <= clock()) {
      next.records = clock() + LOOK_MS;
      return begin('records', now - keepRecords * DAY_MS);
    }
    return keepMegabytes > 0 ? lookAtSize(keepMegabytes * 1e6, now) : null;
  };

  const lookAtSize = (limit: number, now: number): Sweep | null => {
    const used = usedBytes(db);
    const latest = now - SPARED_DAYS * DAY_MS;
    const from = Math.max(oldestMemoryAt(db) ?? now, sweptUntil);
    const isKept = used <= (sweptUntil > 0 ? limit * GOAL : limit);
    if (isKept || from >= latest) {
      if (isKept) problem = null;
      else if (used > limit) complain(used, limit);
      sweptUntil = 0;
      return null;
    }
    // As if as much had been remembered on every day; looked at again afterwards.
    const share = (used - limit * GOAL) / used;
    sweptUntil = Math.min(latest, from + Math.max(DAY_MS, (now - from) * share));
    return begin('size', sweptUntil);
  };

  const complain = (used: number, limit: number) => {
    const megabytes = (bytes: number) => (bytes / 1e6).toFixed(1);
    const isNew = problem === null;
    problem =
      `keepMegabytes cannot be kept: ${megabytes(used)} of ${megabytes(limit)} MB are memories of the last ` +
      `${SPARED_DAYS} days, or pinned. These stay.`;
    if (isNew) log.warn(problem);
  };

  const work = (now: number, started: number): boolean => {
    sweep ??= look();
    if (!sweep) {
      next.look = now + LOOK_MS;
      return false;
    }
    const { reason, before, gone } = sweep;
    const [observations, records] = [gone.observations + gone.summaries, gone.records];
    while (sweep.steps.length > 0 && performance.now() - started < SLICE_MS) goOn(db, sweep);
    // Memories only: a session without any is nothing to miss.
    const more = gone.observations + gone.summaries - observations;
    if (more > 0) count(db, `expired:${reason}`, now, more);
    if (gone.records > records) count(db, 'expired:records', now, gone.records - records);
    if (sweep.steps.length === 0) {
      if (Object.values(gone).some((rows) => rows > 0))
        log.info('old memories were let go', { reason, before: new Date(before).toISOString(), ...gone });
      sweep = null;
    }
    return true;
  };

  return {
    problem: () => problem,
    tidy() {
      const [started, now] = [performance.now(), clock()];
      const setting = JSON.stringify(config());
      // Other settings count at once, and a sweep by the old ones ends.
      if (setting !== stamp) {
        Object.assign(next, { look: now, age: now, records: now });
        [stamp, sweep, sweptUntil, problem] = [setting, null, 0, null];
      }
      if (!sweep && now < next.look) return false;
      return db.transaction(() => work(now, started)).immediate();
    },
  };
}

/** A small piece of it. */
function goOn(db: Database, sweep: Sweep): void {
  const [step] = sweep.steps;
  if (step === undefined) return;
  // Their room comes back only when the pages they stood on are written anew: not worth it where no room is asked for.
  const hasMore = step === 'words' ? sweep.reason === 'size' && !scourWords(db, PAGES) : DROP[step](db, sweep);
  if (!hasMore) sweep.steps.shift();
}

const ROWS = 20;
/** Each of them is a long text whose words go, and a prompt that is indexed again. */
const RECORDS = 4;
const SESSIONS = 100;
const PAGES = 8;

/** False when there are none. */
const DROP: Record<Exclude<Step, 'words'>, (db: Database, sweep: Sweep) => boolean> = {
  observations: (db, sweep) => dropExpired(db, sweep, 'observations'),
  summaries: (db, sweep) => dropExpired(db, sweep, 'summaries'),
  records(db, { before, gone }) {
    const expired = expireRecords(db, before, RECORDS);
    gone.records += expired;
    return expired > 0;
  },
  sessions(db, sweep) {
    const sessions = lookAtSessions(db, sweep.lastSession, sweep.before);
    const empty = sessions.find(({ isEmpty }) => isEmpty === 1);
    sweep.lastSession = empty ? empty.id - 1 : (sessions.at(-1)?.id ?? sweep.lastSession);
    if (empty && dropSessionPart(db, empty.id)) sweep.gone.sessions++;
    return sessions.length > 0;
  },
};

type ExpiringTable = 'observations' | 'summaries';

/** With their documents, words and citations. */
function dropExpired(db: Database, { before, gone }: Sweep, table: ExpiringTable): boolean {
  const ids = listExpired(db, table, before, ROWS);
  for (const id of ids) db.query(`DELETE FROM ${table} WHERE id = ?`).run(id);
  gone[table] += ids.length;
  return ids.length > 0;
}

/** The latest sign of life in the store: by it things are old, not by a clock that may be set wrong. */
export const latestLife = (db: Database) =>
  db.query<{ at: number | null }, []>('SELECT max(updated_at_epoch) AS at FROM sessions').get()?.at ?? 0;

/** Older than this moment, oldest first. Each project has its own order of time: they are looked through one by one. */
export function listExpired(db: Database, table: ExpiringTable, before: number, limit: number): number[] {
  const oldest = db.query<{ id: number; at: number }, [number, number, number]>(
    `SELECT id, created_at_epoch AS at FROM ${table} WHERE project_id = ? AND created_at_epoch < ?
       ${table === 'observations' ? 'AND pinned = 0 AND is_rule = 0' : ''} ORDER BY created_at_epoch LIMIT ? + 0`,
  );
  return listProjectIds(db)
    .flatMap((projectId) => oldest.all(projectId, before, limit))
    .sort((one, other) => one.at - other.at || one.id - other.id)
    .slice(0, limit)
    .map(({ id }) => id);
}

const listProjectIds = (db: Database) =>
  db
    .query<{ id: number }, []>('SELECT id FROM projects')
    .all()
    .map(({ id }) => id);

/** When the first memory was made; null without one. */
function oldestMemoryAt(db: Database): number | null {
  const first = db.query<{ at: number | null }, [number]>('SELECT min(created_at_epoch) AS at FROM observations WHERE project_id = ?');
  const times = listProjectIds(db).flatMap((id) => first.get(id)?.at ?? []);
  return times.length === 0 ? null : Math.min(...times);
}

/** Some sessions after one, with whether nothing is left of each, nor will be made. */
const lookAtSessions = (db: Database, after: number, before: number) =>
  db
    .query<{ id: number; isEmpty: number }, [{ after: number; before: number }]>(
      `SELECT s.id, s.updated_at_epoch < $before
         AND NOT EXISTS (SELECT 1 FROM observations WHERE session_id = s.id)
         AND NOT EXISTS (SELECT 1 FROM summaries WHERE session_id = s.id)
         AND NOT EXISTS (SELECT 1 FROM events WHERE session_id = s.id AND status IN ('pending','claimed')) AS isEmpty
       FROM sessions s WHERE s.id > $after ORDER BY s.id LIMIT ${SESSIONS}`,
    )
    .all({ after, before });

const EVENTS_AT_ONCE = 200;
const PROMPTS_AT_ONCE = 5;

/** A piece of it; true when all of it is gone. Inside a transaction. */
export function dropSessionPart(db: Database, id: number): boolean {
  const drop = (table: string, key: string, limit: number) =>
    db.query(`DELETE FROM ${table} WHERE ${key} IN (SELECT ${key} FROM ${table} WHERE session_id = ? LIMIT ? + 0)`).run(id, limit).changes;
  if (drop('events', 'seq', EVENTS_AT_ONCE) > 0 || drop('prompts', 'id', PROMPTS_AT_ONCE) > 0) return false;
  db.query('DELETE FROM sessions WHERE id = ?').run(id);
  return true;
}

/** Bytes that memories take, without raw payloads, which go by themselves. */
export const usedBytes = (db: Database): number =>
  db
    .query<{ bytes: number }, []>(
      `SELECT (page_count - freelist_count) * page_size
         - (SELECT coalesce(sum(length(CAST(payload AS BLOB))), 0) FROM events WHERE payload IS NOT NULL) AS bytes
       FROM pragma_page_count(), pragma_freelist_count(), pragma_page_size()`,
    )
    .get()?.bytes ?? 0;

/** Payloads of events that could not be processed, and inputs that could not be read: by now nobody looks for the reason. */
function expireSetAside(db: Database, before: number): void {
  db.query("UPDATE events SET payload = NULL WHERE payload IS NOT NULL AND status = 'quarantined' AND created_at_epoch < ?").run(before);
  db.query('DELETE FROM bad_inputs WHERE created_at < ?').run(isoTime(before));
}
