// Whether all is well: a list of named checks, each of a fact that is cheap to look up. None of them is "the port answers".
import type { Database } from 'bun:sqlite';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../config.ts';
import { sayCount } from '../../core/say-count.ts';
import type { Paths } from '../../paths.ts';
import { isStuck, readQueue } from '../../store/events/queue.ts';

export type HealthFacts = { db: Database; paths: Paths; config: () => Config; clock: () => number };

/** What is wrong, in a sentence with what to do; null when all is well. */
type Check = (facts: HealthFacts) => string | null;

/** A worker that runs takes in what waits at once. */
const SPOOL_MS = 60_000;

const CHECKS: Record<string, Check> = {
  database: ({ db }) => {
    db.query('SELECT 1 FROM sessions LIMIT 1').get();
    return null;
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
  settings: ({ config }) => {
    const { doubt } = config();
    return doubt === null ? null : `${doubt}. Until then nothing is kept or told.`;
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
    return `It cannot be looked up: ${error instanceof Error ? error.message : String(error)}.`;
  }
}

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
