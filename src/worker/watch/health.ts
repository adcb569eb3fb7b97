// Whether all is well: a list of named checks, each of a fact that is cheap to look up. None of them is "the port answers".
import type { Database } from 'bun:sqlite';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../config.ts';
import { sayCount } from '../../core/say-count.ts';
import type { Paths } from '../../paths.ts';
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
  /** Why the last event could not be stored; null when it was. */
  writeError: () => string | null;
  model: { status: () => ModelStatus };
  clock: () => number;
};

/** What is wrong, in a sentence with what to do; null when all is well. */
type Check = (facts: HealthFacts) => string | null;

/** A worker that runs takes in what waits at once. */
const SPOOL_MS = 60_000;
/** One failed question is put again: a model that is there has answered by then. */
const ANSWER_MS = 10_000;

const CHECKS: Record<string, Check> = {
  database: ({ paths, isOurs }) => {
    if (!isOurs())
      return `${paths.database} was deleted or replaced while it was open. Put it back, or restore a backup.`;
    try {
      probeStore(paths.database);
      return null;
    } catch (error) {
      return `${paths.database} cannot be read (${sayError(error)}). If that lasts, restore a backup.`;
    }
  },
  writing: ({ writeError }) => {
    const error = writeError();
    return error === null ? null : `The last event could not be stored (${error}); it waits in the spool.`;
  },
  turns: ({ db, clock }) =>
    isStuck(db, clock()) ? 'Turns that ended are not processed: see `claude-mem logs`.' : null,
  events: ({ db, clock }) => {
    const { quarantined } = readQueue(db, clock());
    return quarantined > 0
      ? `${sayCount(quarantined, 'events')} could not be processed: see \`claude-mem status\`.`
      : null;
  },
  spool: ({ paths, clock }) => {
    const old = listFiles(paths.spool).filter((file) => clock() - modifiedAt(file) > SPOOL_MS);
    return old.length > 0 ? `${sayCount(old.length, 'events')} wait in ${paths.spool} for over a minute.` : null;
  },
  'bad input': ({ paths }) => {
    const folder = join(paths.spool, 'bad');
    const count = listFiles(folder).length;
    return count > 0 ? `${sayCount(count, 'events')} could not be read and lie in ${folder}.` : null;
  },
  settings: ({ config, settingProblems }) => {
    // Read anew when the file has changed: what is wrong with it is known after that.
    config();
    return settingProblems().join(' ') || null;
  },
  model: ({ db, model, clock }) => {
    const { pause, waiting } = model.status();
    if (!pause) return null;
    const since = listWaitingBatches(db)[0]?.createdAt ?? clock();
    const isPassing = ['transient', 'rate-limited'].includes(pause.kind) && pause.times === 1;
    if (isPassing && clock() - since < ANSWER_MS) return null;
    return `The model does not answer (${pause.kind}: ${pause.message}); ${sayCount(waiting, 'turns')} wait for it. Memories are made by rules until then.`;
  },
};

export type Problem = { check: string; problem: string };

/** Empty when all is well. A check that fails is a problem, too. */
export function findProblems(facts: HealthFacts): Problem[] {
  return Object.entries(CHECKS).flatMap(([check, look]) => {
    const problem = tryTo(() => look(facts));
    return problem === null ? [] : [{ check, problem }];
  });
}

function tryTo(look: () => string | null): string | null {
  try {
    return look();
  } catch (error) {
    // A damaged database, a folder that cannot be read: that is what the check is for.
    return `It cannot be looked up: ${sayError(error)}.`;
  }
}

const sayError = (error: unknown) => (error instanceof Error ? error.message : String(error));

function listFiles(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
      entry.isFile() ? join(folder, entry.name) : [],
    );
  } catch {
    // There is none yet: nothing waits.
    return [];
  }
}

const modifiedAt = (file: string) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY;
