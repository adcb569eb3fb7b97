// Whether all is well: checks, each a fact that is cheap to look up and a sentence with what to do. None of them is "the port answers".
import type { Database } from 'bun:sqlite';
import { join } from 'node:path';
import { describeDamage, readDamage, sayRepaired } from '../backup/damage.ts';
import { readRepaired } from '../backup/swap.ts';
import { isStuck, readQueue } from '../capture/queue.ts';
import { countSessions } from '../capture/sessions.ts';
import type { Config } from '../config.ts';
import type { Facts, Health, HealthStatus, ModelStatus, Problem } from '../core/shapes/worker.ts';
import { sayCount } from '../core/text.ts';
import { listFolder, RESERVED_BYTES, readRoom } from '../own-files.ts';
import type { Paths } from '../paths.ts';
import { lastObservedAt, listWaitingBatches } from '../store/batches.ts';
import { readCounterAt } from '../store/counters.ts';
import { probeStore, readSchema } from '../store/open.ts';
import { findSyncProblem } from '../sync/status.ts';
import type { SelfFacts } from './self-watch.ts';

export type HealthFacts = SelfFacts & {
  db: Database;
  paths: Paths;
  config: () => Config;
  version: string;
  startedAt: number;
  /** Of the viewer; null while there is none. */
  port: () => number | null;
  /** What is wrong with the settings, or with what they ask for. */
  settingProblems: () => string[];
  /** False when the database on the disk is not the one that is open. */
  isOurs: () => boolean;
  /** Throws when the database on the disk cannot be read. Left out: it is read whenever it is asked for. */
  probe?: () => void;
  lastSuccessAt: () => number | null;
  spooled: () => string[];
  model: { status: () => ModelStatus };
  queue: { read: () => NonNullable<Health['queue']> };
  clock: () => number;
};

/** With what is wrong for whom the worker trusts. A database that cannot be read is among the problems, and its figures are left out. */
export function readHealth(facts: HealthFacts, isTrusted: boolean): Health {
  const problems = findProblems(facts);
  const status = judge(problems);
  if (!isTrusted) return { status };
  const { version, startedAt, port, clock } = facts;
  const own = { port: port(), pid: process.pid, version, uptimeMs: clock() - startedAt, rss: process.memoryUsage().rss };
  try {
    const { initialized = 0, active = 0, summarizing = 0 } = countSessions(facts.db);
    const counts = { activeSessions: initialized + active + summarizing, queue: facts.queue.read(), facts: readFacts(facts) };
    return { status, problems, ...own, ...counts };
  } catch {
    return { status, problems, ...own };
  }
}

/** The gravest first; empty when all is well. A check that fails is a problem, too. */
export function findProblems(facts: HealthFacts): Problem[] {
  return CHECKS.flatMap((one) => look(one, facts));
}

export function judge(problems: Problem[]): HealthStatus {
  return problems.some(({ level }) => level === 'damaged') ? 'damaged' : problems.length > 0 ? 'degraded' : 'ok';
}

/** The gravest that a person loses something by, for a session that starts; null when there is none. */
export function findWarning(facts: HealthFacts): string | null {
  for (const one of CHECKS) {
    const [found] = one.isForUser(facts) ? look(one, facts) : [];
    if (found) return found.problem;
  }
  return null;
}

export function readFacts(facts: HealthFacts): Facts {
  const { db, paths, store, sockets, wal, clockWatch, lastSuccessAt, clock } = facts;
  const { bytes, files } = readRoom(paths.dataDir);
  const { failedWrites, failingSince, error, isFull, hasBallast, notKept } = store();
  const queue = readQueue(db, clock());
  const success = lastSuccessAt() ?? lastObservedAt(db);
  return {
    freeBytes: bytes,
    freeFiles: Number.isFinite(files) ? files : null,
    isFull,
    hasBallast,
    failedWrites,
    failingSince: iso(failingSince),
    writeError: error,
    notKept: notKept + (readCounterAt(db, 'not-kept')?.value ?? 0),
    oldestMs: queue.oldestMs,
    setAside: queue.quarantined + listEvents(join(paths.spool, 'bad')).length,
    lastSuccessAt: iso(success),
    sockets: sockets(),
    walBytes: wal.bytes(),
    schema: readSchema(db),
    clockJumps: clockWatch.read().jumps,
  };
}

const iso = (at: number | null) => (at === null ? null : new Date(at).toISOString());

function look({ name, level, look: find }: Check, facts: HealthFacts): Problem[] {
  try {
    const problem = find(facts);
    return problem === null ? [] : [{ check: name, level, problem }];
  } catch (error) {
    // A damaged database, a folder that cannot be read: that is what the check is for.
    return [{ check: name, level, problem: `It cannot be looked up: ${sayError(error)}.` }];
  }
}

type Check = {
  name: string;
  level: Problem['level'];
  /** A starting session says it: the user loses something by it. */
  isForUser: (facts: HealthFacts) => boolean;
  /** What is wrong, in a sentence with what to do; null when all is well. */
  look: (facts: HealthFacts) => string | null;
};

const check = (name: string, look: Check['look'], more: Partial<Check> = {}): Check => ({
  ...{ name, level: 'degraded', isForUser: () => false, look },
  ...more,
});
const FOR_USER = { isForUser: () => true };

/** A worker that runs takes in what waits at once. */
const SPOOL_MS = 60_000;
/** One failed question is put again: a model that is there has answered by then. */
const ANSWER_MS = 10_000;
/** A lock that lasts longer is nobody's transaction. */
const FAILING_MS = 30_000;
const DAY_MS = 86_400_000;
/** From here on it is said, long before nothing is kept. */
const LOW_BYTES = 100 * 1024 * 1024;
const LOW_FILES = 100;
const TRY_AGAIN = '`claude-mem doctor --fix` tries them again.';

export const CHECKS: Check[] = [
  check('database', findDamage, { level: 'damaged', ...FOR_USER }),
  // Until a session or `repair` has said it.
  check(
    'repaired',
    ({ paths }) =>
      readRepaired(paths)
        .flatMap((report) => (report.isWhole ? [] : sayRepaired(report)))
        .join(' ') || null,
  ),
  check(
    'disk',
    ({ store, paths }) => {
      if (!store().isFull) return null;
      const needed = `until ${megabytes(RESERVED_BYTES)} are free where ${paths.dataDir} lies`;
      return (
        `The disk is full (${sayRoom(paths)}): nothing new is kept ${needed}. ` +
        'What is kept already is safe. Delete something there; it resumes automatically.'
      );
    },
    FOR_USER,
  ),
  check(
    'not kept',
    ({ db, store, clock }) => {
      const counted = readCounterAt(db, 'not-kept');
      const lost = store().notKept + (counted && clock() - counted.at < DAY_MS ? counted.value : 0);
      if (lost === 0) return null;
      return (
        `${sayCount(lost, 'events')} could not be kept because the disk was full. ` +
        "What the agent's transcript has of them is read when their session goes on, or by `claude-mem import`."
      );
    },
    FOR_USER,
  ),
  check(
    'writing',
    ({ store, clock }) => {
      const { failingSince, error, isFull } = store();
      if (failingSince === null || isFull) return null;
      return (
        `memory.db cannot be written since ${Math.round((clock() - failingSince) / 1000)} s (${error}). Events wait in the offline ` +
        'queue; nothing is lost. If that lasts, end the program that holds it open, or `claude-mem restart`.'
      );
    },
    { isForUser: ({ store, clock }) => clock() - (store().failingSince ?? clock()) > FAILING_MS },
  ),
  check('turns', ({ db, clock }) => (isStuck(db, clock()) ? 'Turns that ended are not processed: see `claude-mem logs`.' : null), FOR_USER),
  check('events', ({ db, clock }) => {
    const { quarantined } = readQueue(db, clock());
    return quarantined > 0 ? `${sayCount(quarantined, 'events')} could not be processed. ${TRY_AGAIN}` : null;
  }),
  check('spool', ({ paths, spooled, clock }) => {
    const old = spooled().filter((name) => clock() - arrivedAt(name) > SPOOL_MS);
    return old.length > 0 ? `${sayCount(old.length, 'events')} wait in ${paths.spool} for over a minute.` : null;
  }),
  check('bad input', ({ paths }) => {
    const folder = join(paths.spool, 'bad');
    const count = listEvents(folder).length;
    return count > 0 ? `${sayCount(count, 'events')} could not be read and lie in ${folder}. ${TRY_AGAIN}` : null;
  }),
  check('low disk', ({ paths, store }) => {
    const { bytes, files } = readRoom(paths.dataDir);
    if (store().isFull || (bytes > LOW_BYTES && files > LOW_FILES)) return null;
    return `The disk is nearly full (${sayRoom(paths)}). Below ${megabytes(RESERVED_BYTES)} nothing is kept: make room.`;
  }),
  check('log of the database', ({ paths, wal }) => {
    if (!wal.isTooLarge()) return null;
    const grown = `${paths.database}-wal has grown to ${megabytes(wal.bytes())}`;
    return `${grown}: a program reads memory.db for long. End it; the file shrinks automatically then.`;
  }),
  check('sockets', ({ sockets, paths }) => {
    const isGone = Object.values(sockets()).includes(false);
    return isGone ? `A socket in ${paths.dataDir} is gone and could not be made again. \`claude-mem restart\`` : null;
  }),
  check('clock', ({ clockWatch }) => {
    const minutes = Math.round(clockWatch.read().backMs / 60_000);
    return minutes > 0 ? `The clock was set back by ${minutes} min: the times of what is kept may be out of order.` : null;
  }),
  check('settings', ({ config, settingProblems }) => {
    // Read again when the file has changed: what is wrong with it is known after that.
    config();
    return settingProblems().join(' ') || null;
  }),
  check('model', ({ db, model, clock }) => {
    const { pause, waiting } = model.status();
    if (!pause) return null;
    const since = listWaitingBatches(db)[0]?.createdAt ?? clock();
    const isPassing = ['transient', 'rate-limited'].includes(pause.kind) && pause.times === 1;
    if (isPassing && clock() - since < ANSWER_MS) return null;
    const why = `${pause.kind}: ${pause.message}`;
    return `The model does not answer (${why}); ${sayCount(waiting, 'turns')} wait for it. Memories are made by rules until then.`;
  }),
  check('sync', ({ db, paths, clock }) => findSyncProblem(db, paths.sync, clock())),
];

function findDamage({ paths, isOurs, probe = () => probeStore(paths.database) }: HealthFacts): string | null {
  const damage = readDamage(paths);
  if (damage !== null) return describeDamage(damage);
  if (!isOurs()) return `${paths.database} was deleted or replaced while it was open. Put it back, or restore a backup.`;
  try {
    probe();
    return null;
  } catch (error) {
    return `${paths.database} cannot be read (${sayError(error)}). If that lasts, restore a backup.`;
  }
}

const sayError = (error: unknown) => (error instanceof Error ? error.message : String(error));
const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;

function sayRoom({ dataDir }: Paths): string {
  const { bytes, files } = readRoom(dataDir);
  return files > LOW_FILES ? `${megabytes(bytes)} free` : `${megabytes(bytes)} and room for ${files} files free`;
}

const FEW = 500;
const KEPT_MS = 1000;

/** What lies in the offline queue: of very many as it was a moment ago, or whoever asks again and again would hold them up. */
export function createSpoolList(folder: string): () => string[] {
  let [names, at]: [string[], number] = [[], 0];
  return () => {
    if (names.length <= FEW || performance.now() - at > KEPT_MS) [names, at] = [listEvents(folder), performance.now()];
    return names;
  };
}

const listEvents = (folder: string) => listFolder(folder).filter((name) => name.endsWith('.json'));

/** Its name begins with it; of one that does not nobody knows, and it is set aside at once. */
const arrivedAt = (name: string) => Number(/^\d+/.exec(name)?.[0] ?? Number.POSITIVE_INFINITY);
