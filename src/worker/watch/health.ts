// Whether all is well, and the facts that say so.
import { join } from 'node:path';
import type { Facts, HealthStatus, Problem } from '../../core/health.ts';
import { readRoom } from '../../own-files.ts';
import { readCounterAt } from '../../store/counters.ts';
import { lastDistilledAt } from '../../store/events/batches.ts';
import { readQueue } from '../../store/events/queue.ts';
import { readSchema } from '../../store/open.ts';
import { CHECKS, type Check, type HealthFacts, listEvents, sayError } from './health-checks.ts';

/** The gravest first; empty when all is well. A check that fails is a problem, too. */
export function findProblems(facts: HealthFacts): Problem[] {
  return CHECKS.flatMap((check) => look(check, facts));
}

export function judge(problems: Problem[]): HealthStatus {
  return problems.some(({ level }) => level === 'damaged') ? 'damaged' : problems.length > 0 ? 'degraded' : 'ok';
}

/** The gravest that a person loses something by, for a session that starts; null when there is none. */
export function findWarning(facts: HealthFacts): string | null {
  for (const check of CHECKS) {
    const [found] = check.isForUser?.(facts) ? look(check, facts) : [];
    if (found) return found.problem;
  }
  return null;
}

/** The facts that the checks look at, as numbers. */
export function readFacts(facts: HealthFacts): Facts {
  const { db, paths, store, sockets, wal, clockWatch, lastSuccessAt, clock } = facts;
  const { bytes, files } = readRoom(paths.dataDir);
  const { failedWrites, failingSince, error, isFull, hasBallast, notKept } = store();
  const queue = readQueue(db, clock());
  const success = lastSuccessAt() ?? lastDistilledAt(db);
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

function look({ name: check, level, look: find }: Check, facts: HealthFacts): Problem[] {
  try {
    const problem = find(facts);
    return problem === null ? [] : [{ check, level, problem }];
  } catch (error) {
    // A damaged database, a folder that cannot be read: that is what the check is for.
    return [{ check, level, problem: `It cannot be looked up: ${sayError(error)}.` }];
  }
}
