// How sync is doing, from what is stored: for status, health and the viewer, whoever runs it.
import type { Database } from 'bun:sqlite';
import type { SyncStatus } from '../core/shapes/sync.ts';
import { readCounterAt } from '../store/counters.ts';
import { exists, readFirst } from '../store/read.ts';
import { type Account, readAccount, readPublished, readState, writeState } from './state.ts';

type Outcome = { lastAt: number | null; error: string | null; kind: string; failingSince: number | null };
const NO_OUTCOME: Outcome = { lastAt: null, error: null, kind: '', failingSince: null };
const readOutcome = (db: Database): Outcome => ({ ...NO_OUTCOME, ...JSON.parse(readState(db, 'outcome') ?? '{}') });

export function writeOutcome(db: Database, outcome: Partial<Outcome> & { error: string | null }, now: number): void {
  const before = readOutcome(db);
  const failingSince = outcome.error === null ? null : (before.failingSince ?? now);
  writeState(db, 'outcome', JSON.stringify({ ...before, ...outcome, failingSince }));
}

const HOUR_MS = 3_600_000;

/** What a person should know: a hub may be away for a while. Null mostly. */
export function findSyncProblem(db: Database, path: string, now: number): string | null {
  const unreadable = readCounterAt(db, 'sync:unreadable');
  if (unreadable && now - unreadable.at < 24 * HOUR_MS)
    return 'A record from the hub was not applied: it was sealed with another key, changed on the way, or not for its author to say.';
  const { state } = readSyncStatus(db, path, now);
  const { error, kind, failingSince } = readOutcome(db);
  if (state !== 'failed' || (kind !== 'refused' && now - (failingSince ?? now) < HOUR_MS)) return null;
  const said = error ?? 'the account cannot be read.';
  return `Sync fails: ${said} Nothing is lost; what changed here waits. \`claude-mem sync status\` says more.`;
}

export function readSyncStatus(db: Database, path: string, now: number): SyncStatus {
  const nothing = { hub: null, name: null, pending: 0, lagMs: 0, lastAt: null, error: null, published: [] };
  let account: Account | null;
  try {
    account = readAccount(path);
  } catch {
    return { ...nothing, state: 'failed', error: `${path} cannot be read. Run \`claude-mem sync login\` again.` };
  }
  if (!account) return { ...nothing, state: 'off' };
  const { pending, since } = readFirst<{ pending: number; since: number | null }>(db, WAITING) ?? { pending: 0, since: null };
  const { lastAt, error } = readOutcome(db);
  const isNoted = exists(db, 'SELECT 1 FROM sync_changes LIMIT 1');
  const state = account.isPaused ? 'paused' : error ? 'failed' : pending > 0 || isNoted ? 'waiting' : 'up to date';
  const published = [...readPublished(db)].map(([space, { project, kinds }]) => ({ space, project: project.name, kinds }));
  const lagMs = Math.max(0, now - (since ?? now));
  return { state, hub: account.hub, name: account.name, pending, lagMs, lastAt, error, published };
}

const WAITING = 'SELECT count(*) AS pending, min(pending_at) AS since FROM sync_records WHERE pending IS NOT NULL';
