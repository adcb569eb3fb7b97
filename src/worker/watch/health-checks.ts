// The checks of health: each a fact that is cheap to look up, and a sentence with what to do. None of them is "the port answers".
import type { Database } from 'bun:sqlite';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describeDamage, readDamage } from '../../backup/damage.ts';
import type { Config } from '../../config.ts';
import type { Facts, Problem } from '../../core/health.ts';
import { sayCount } from '../../core/say-count.ts';
import { RESERVED_BYTES, readRoom } from '../../own-files.ts';
import type { Paths } from '../../paths.ts';
import type { ClockWatch } from '../../server/clock-watch.ts';
import type { StoreState } from '../../server/store-guard.ts';
import type { WalWatch } from '../../server/wal-watch.ts';
import { readCounterAt } from '../../store/counters.ts';
import { listWaitingBatches } from '../../store/events/batches.ts';
import { isStuck, readQueue } from '../../store/events/queue.ts';
import { probeStore } from '../../store/probe.ts';
import type { ModelStatus } from '../observing/model-observer.ts';

export type HealthFacts = {
  db: Database;
  paths: Paths;
  config: () => Config;
  /** What is wrong with the settings, or with what they ask for. */
  settingProblems: () => string[];
  /** False when the database on the disk is not the one that is open. */
  isOurs: () => boolean;
  store: () => StoreState;
  /** Whether hooks and commands find their sockets. */
  sockets: () => Facts['sockets'];
  wal: Pick<WalWatch, 'bytes' | 'isTooLarge'>;
  clockWatch: Pick<ClockWatch, 'read'>;
  lastSuccessAt: () => number | null;
  model: { status: () => ModelStatus };
  clock: () => number;
};

/** What is wrong, in a sentence with what to do; null when all is well. */
export type Check = {
  name: string;
  level: Problem['level'];
  /** A starting session says it: the user loses something by it. */
  isForUser?: (facts: HealthFacts) => boolean;
  look: (facts: HealthFacts) => string | null;
};

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

const always = () => true;

/** The gravest first: so they are shown. */
export const CHECKS: Check[] = [
  { name: 'database', level: 'damaged', isForUser: always, look: findDamage },
  {
    name: 'disk',
    level: 'degraded',
    isForUser: always,
    look: ({ store, paths }) => {
      if (!store().isFull) return null;
      return `The disk is full (${sayRoom(paths)}): nothing new is kept until ${megabytes(RESERVED_BYTES)} are free where ${paths.dataDir} lies. What is kept already is safe. Delete something there; it goes on by itself.`;
    },
  },
  {
    name: 'not kept',
    level: 'degraded',
    isForUser: always,
    look: ({ db, store, clock }) => {
      const counted = readCounterAt(db, 'not-kept');
      const recent = counted && clock() - counted.at < DAY_MS ? counted.value : 0;
      const lost = store().notKept + recent;
      return lost === 0
        ? null
        : `${sayCount(lost, 'events')} could not be kept because the disk was full. What the agent's transcript has of them is read when their session goes on, or by \`claude-mem import\`.`;
    },
  },
  {
    name: 'writing',
    level: 'degraded',
    isForUser: ({ store, clock }) => clock() - (store().failingSince ?? clock()) > FAILING_MS,
    look: ({ store, clock }) => {
      const { failingSince, error, isFull } = store();
      if (failingSince === null || isFull) return null;
      const seconds = Math.round((clock() - failingSince) / 1000);
      return `memory.db cannot be written since ${seconds} s (${error}). Events wait in the offline queue; nothing is lost. If that lasts, end the program that holds it open, or \`claude-mem restart\`.`;
    },
  },
  {
    name: 'turns',
    level: 'degraded',
    isForUser: always,
    look: ({ db, clock }) =>
      isStuck(db, clock()) ? 'Turns that ended are not processed: see `claude-mem logs`.' : null,
  },
  {
    name: 'events',
    level: 'degraded',
    look: ({ db, clock }) => {
      const { quarantined } = readQueue(db, clock());
      return quarantined > 0
        ? `${sayCount(quarantined, 'events')} could not be processed. \`claude-mem doctor --fix\` tries them again.`
        : null;
    },
  },
  {
    name: 'spool',
    level: 'degraded',
    look: ({ paths, clock }) => {
      const old = listEvents(paths.spool).filter((name) => clock() - arrivedAt(name) > SPOOL_MS);
      return old.length > 0 ? `${sayCount(old.length, 'events')} wait in ${paths.spool} for over a minute.` : null;
    },
  },
  {
    name: 'bad input',
    level: 'degraded',
    look: ({ paths }) => {
      const folder = join(paths.spool, 'bad');
      const count = listEvents(folder).length;
      return count > 0
        ? `${sayCount(count, 'events')} could not be read and lie in ${folder}. \`claude-mem doctor --fix\` tries them again.`
        : null;
    },
  },
  {
    name: 'low disk',
    level: 'degraded',
    look: ({ paths, store }) => {
      const { bytes, files } = readRoom(paths.dataDir);
      if (store().isFull || (bytes > LOW_BYTES && files > LOW_FILES)) return null;
      return `The disk is nearly full (${sayRoom(paths)}). Below ${megabytes(RESERVED_BYTES)} nothing is kept: make room.`;
    },
  },
  {
    name: 'log of the database',
    level: 'degraded',
    look: ({ paths, wal }) =>
      wal.isTooLarge()
        ? `${paths.database}-wal has grown to ${megabytes(wal.bytes())}: a program reads memory.db for long. End it; the file shrinks by itself then.`
        : null,
  },
  {
    name: 'sockets',
    level: 'degraded',
    look: ({ sockets, paths }) =>
      Object.values(sockets()).every(Boolean)
        ? null
        : `A socket in ${paths.dataDir} is gone and could not be made again. \`claude-mem restart\``,
  },
  {
    name: 'clock',
    level: 'degraded',
    look: ({ clockWatch }) => {
      const { backMs } = clockWatch.read();
      return backMs > 0
        ? `The clock was set back by ${Math.round(backMs / 60_000)} min: the times of what is kept may be out of order.`
        : null;
    },
  },
  {
    name: 'settings',
    level: 'degraded',
    look: ({ config, settingProblems }) => {
      // Read anew when the file has changed: what is wrong with it is known after that.
      config();
      return settingProblems().join(' ') || null;
    },
  },
  {
    name: 'model',
    level: 'degraded',
    look: ({ db, model, clock }) => {
      const { pause, waiting } = model.status();
      if (!pause) return null;
      const since = listWaitingBatches(db)[0]?.createdAt ?? clock();
      const isPassing = ['transient', 'rate-limited'].includes(pause.kind) && pause.times === 1;
      if (isPassing && clock() - since < ANSWER_MS) return null;
      return `The model does not answer (${pause.kind}: ${pause.message}); ${sayCount(waiting, 'turns')} wait for it. Memories are made by rules until then.`;
    },
  },
];

function findDamage({ paths, isOurs }: HealthFacts): string | null {
  const damage = readDamage(paths);
  if (damage !== null) return describeDamage(damage);
  if (!isOurs())
    return `${paths.database} was deleted or replaced while it was open. Put it back, or restore a backup.`;
  try {
    probeStore(paths.database);
    return null;
  } catch (error) {
    return `${paths.database} cannot be read (${sayError(error)}). If that lasts, restore a backup.`;
  }
}

export const sayError = (error: unknown) => (error instanceof Error ? error.message : String(error));
const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;

function sayRoom({ dataDir }: Paths): string {
  const { bytes, files } = readRoom(dataDir);
  return files > LOW_FILES ? `${megabytes(bytes)} free` : `${megabytes(bytes)} and room for ${files} files free`;
}

/** The events in a folder of the spool, by name. */
export function listEvents(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
      entry.isFile() && entry.name.endsWith('.json') ? [entry.name] : [],
    );
  } catch {
    // There is none yet: nothing waits.
    return [];
  }
}

/** Its name begins with it; of one that does not nobody knows, and it is set aside at once. */
const arrivedAt = (name: string) => Number(/^\d+/.exec(name)?.[0] ?? Number.POSITIVE_INFINITY);
