// Lets go of memories that are older, or more, than the settings keep; a slice of a few milliseconds at a time.
import type { Database } from 'bun:sqlite';
import type { Config } from '../../config.ts';
import type { Log } from '../../log.ts';
import { count } from '../../store/counters.ts';
import {
  dropMemory,
  dropSessionPart,
  type ExpiringTable,
  expireSetAside,
  latestLife,
  listExpired,
  lookAtSessions,
  oldestMemoryAt,
  usedBytes,
} from '../../store/forgetting/retention.ts';
import { scourWords } from '../../store/index/documents.ts';
import { expireRecords } from '../../turns/turns.ts';

export type Retention = {
  /** One slice. True when there is more to do at once. */
  tidy: () => boolean;
  /** Why a limit cannot be kept; null mostly. */
  problem: () => string | null;
};

export type RetentionDeps = {
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

/** Everything before a moment, in this order; `records`: these alone. */
type Sweep = {
  reason: 'records' | 'age' | 'size';
  before: number;
  step: 'observations' | 'summaries' | 'records' | 'sessions' | 'words';
  lastSession: number;
  gone: Record<'observations' | 'summaries' | 'records' | 'sessions', number>;
};

export function createRetention({ db, config, clock, log }: RetentionDeps): Retention {
  let sweep: Sweep | null = null;
  let nextLook = Number.NEGATIVE_INFINITY;
  let nextAge = Number.NEGATIVE_INFINITY;
  let nextRecords = Number.NEGATIVE_INFINITY;
  let stamp = '';
  let sweptUntil = 0;
  let problem: string | null = null;

  const begin = (reason: Sweep['reason'], before: number): Sweep => ({
    ...{ reason, before, step: reason === 'records' ? 'records' : 'observations', lastSession: 0 },
    gone: { observations: 0, summaries: 0, records: 0, sessions: 0 },
  });

  /** What is too old goes first; then what is too much. */
  const look = (): Sweep | null => {
    const { keepDays, keepRecords, keepMegabytes } = config();
    const now = Math.min(clock(), latestLife(db));
    expireSetAside(db, now - SET_ASIDE_DAYS * DAY_MS);
    if (keepDays > 0 && nextAge <= clock()) {
      nextAge = clock() + LOOK_MS;
      return begin('age', now - keepDays * DAY_MS);
    }
    if (keepRecords > 0 && nextRecords <= clock()) {
      nextRecords = clock() + LOOK_MS;
      return begin('records', now - keepRecords * DAY_MS);
    }
    return keepMegabytes > 0 ? lookAtSize(keepMegabytes * 1e6, now) : null;
  };

  const lookAtSize = (limit: number, now: number): Sweep | null => {
    const used = usedBytes(db);
    if (used <= (sweptUntil > 0 ? limit * GOAL : limit)) {
      sweptUntil = 0;
      problem = null;
      return null;
    }
    const latest = now - SPARED_DAYS * DAY_MS;
    const from = Math.max(oldestMemoryAt(db) ?? now, sweptUntil);
    if (from >= latest) {
      if (used > limit) complain(used, limit);
      sweptUntil = 0;
      return null;
    }
    // As if as much had been remembered on every day; looked at again afterwards.
    const share = (used - limit * GOAL) / used;
    sweptUntil = Math.min(latest, from + Math.max(DAY_MS, (now - from) * share));
    return begin('size', sweptUntil);
  };

  const complain = (used: number, limit: number) => {
    const told = problem;
    problem = `keepMegabytes cannot be kept: ${megabytes(used)} of ${megabytes(limit)} MB are memories of the last ${SPARED_DAYS} days, or pinned. These stay.`;
    if (told === null) log.warn(problem);
  };

  const finish = ({ reason, before, gone }: Sweep) => {
    if (Object.values(gone).every((rows) => rows === 0)) return;
    log.info('old memories were let go', { reason, before: new Date(before).toISOString(), ...gone });
  };

  return {
    problem: () => problem,
    tidy() {
      const started = performance.now();
      const { keepDays, keepRecords, keepMegabytes } = config();
      const now = clock();
      const setting = `${keepDays}:${keepRecords}:${keepMegabytes}`;
      // Other settings count at once, and a sweep by the old ones ends.
      if (setting !== stamp) {
        [stamp, sweep, nextLook, nextAge, nextRecords] = [setting, null, now, now, now];
        [sweptUntil, problem] = [0, null];
      }
      if (!sweep && now < nextLook) return false;
      return db
        .transaction(() => {
          sweep ??= look();
          if (!sweep) {
            nextLook = now + LOOK_MS;
            return false;
          }
          const before = { ...sweep.gone };
          while (sweep && performance.now() - started < SLICE_MS) {
            if (goOn(db, sweep)) continue;
            finish(sweep);
            countGone(db, sweep, before, now);
            sweep = null;
          }
          if (sweep) countGone(db, sweep, before, now);
          return true;
        })
        .immediate();
    },
  };
}

/** Memories only: a session without any is nothing to miss. */
function countGone(db: Database, { reason, gone }: Sweep, before: Sweep['gone'], now: number): void {
  const more = gone.observations + gone.summaries - before.observations - before.summaries;
  if (more > 0) count(db, `expired:${reason}`, now, more);
  const records = gone.records - before.records;
  if (records > 0) count(db, 'expired:records', now, records);
}

/** A small piece of it; false when it is done. */
function goOn(db: Database, sweep: Sweep): boolean {
  switch (sweep.step) {
    case 'observations':
      if (!dropSome(db, sweep, 'observations')) sweep.step = 'summaries';
      return true;
    case 'summaries':
      if (!dropSome(db, sweep, 'summaries')) sweep.step = 'records';
      return true;
    case 'records':
      if (!dropRecords(db, sweep)) sweep.step = sweep.reason === 'records' ? 'words' : 'sessions';
      return true;
    case 'sessions':
      if (!dropSessions(db, sweep)) sweep.step = 'words';
      return true;
    case 'words':
      // Their room comes back only when the pages they stood on are written anew: not worth it where no room is asked for.
      return sweep.reason === 'size' && !scourWords(db, PAGES);
  }
}

function dropSome(db: Database, sweep: Sweep, table: ExpiringTable): boolean {
  const ids = listExpired(db, table, sweep.before, ROWS);
  for (const id of ids) dropMemory(db, table, id);
  sweep.gone[table] += ids.length;
  return ids.length > 0;
}

function dropRecords(db: Database, sweep: Sweep): boolean {
  const gone = expireRecords(db, sweep.before, RECORDS);
  sweep.gone.records += gone;
  return gone > 0;
}

function dropSessions(db: Database, sweep: Sweep): boolean {
  const sessions = lookAtSessions(db, sweep.lastSession, sweep.before, SESSIONS);
  const empty = sessions.find(({ isEmpty }) => isEmpty === 1);
  if (!empty) {
    sweep.lastSession = sessions.at(-1)?.id ?? sweep.lastSession;
    return sessions.length > 0;
  }
  sweep.lastSession = empty.id - 1;
  if (dropSessionPart(db, empty.id)) sweep.gone.sessions++;
  return true;
}

const megabytes = (bytes: number) => (bytes / 1e6).toFixed(1);
