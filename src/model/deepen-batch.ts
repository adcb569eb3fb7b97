// One waiting batch put to a model: asked once, the answer kept before it is read, what is believed of it stored in one transaction.
import type { Database } from 'bun:sqlite';
import type { Log } from '../log.ts';
import { getBatch } from '../store/events/batches.ts';
import { listBatchEvents } from '../store/events/events.ts';
import { dropAnswers, listAnswers, rejectAnswer, type StoredAnswer } from '../store/spending/model-calls.ts';
import { type After, decideAfter } from './after-failure.ts';
import { ask } from './ask.ts';
import { givenUpReason } from './given-up.ts';
import { type Deepened, keepLocal } from './keep-local.ts';
import { type DeepenDeps, type OpenBatch, openBatch } from './open-batch.ts';
import { parseAnswer } from './parse-answer.ts';
import { storeAnswer } from './store-answer.ts';

export async function deepenBatch(deps: DeepenDeps, batchId: number): Promise<Deepened> {
  const stored = getBatch(deps.db, batchId);
  if (stored?.status !== 'waiting') return { kind: 'gone' };
  // Before it is opened: what cannot be read must not wait for ever.
  const reason = givenUpReason(stored, deps.clock());
  if (reason) return keepLocal(deps.db, batchId, reason);
  const open = openBatch(deps, stored);
  if (!open) return keepLocal(deps.db, batchId, 'its events are forgotten');
  if (findAnswer(deps.db, open)) return readAnswer(deps, open);
  if (!deps.isWanted()) return { kind: 'waits', reason: 'the settings have changed' };
  const asked = await ask(deps, open);
  if (asked.kind === 'over-budget') return keepLocal(deps.db, batchId, asked.reason);
  if (asked.kind === 'failed') return settle(deps, open, decideAfter(deps, open, asked.error));
  if (asked.kind === 'stopped') return { kind: 'waits', reason: 'the worker stops' };
  // A private prompt that came meanwhile took events away, or a memory was forgotten: what the model said may rest on it.
  return hasLostEvents(deps.db, open) ? forgetAnswers(deps.db, batchId) : readAnswer(deps, open);
}

const findAnswer = (db: Database, { stored, key }: OpenBatch): StoredAnswer | undefined =>
  listAnswers(db, stored.id).findLast(({ part }) => part === key);

function hasLostEvents(db: Database, { stored, turn }: OpenBatch): boolean {
  if (getBatch(db, stored.id)?.status !== 'waiting') return true;
  const there = new Set(listBatchEvents(db, stored.id).map(({ seq }) => seq));
  return turn.some(({ seq }) => !there.has(seq));
}

function forgetAnswers(db: Database, batchId: number): Deepened {
  dropAnswers(db, batchId);
  return { kind: 'waits', reason: 'some of its events were forgotten meanwhile' };
}

/** The answer is on disk: whatever happens from here on, nobody is asked twice. */
function readAnswer(deps: DeepenDeps, open: OpenBatch): Deepened {
  const { db, log } = deps;
  const answer = findAnswer(db, open);
  if (!answer) return { kind: 'waits', reason: 'its answer was forgotten' };
  logAnswer(log, open.name, answer);
  const parsed = parseAnswer(answer.answer);
  if (parsed.isReadable) return { kind: 'done', observer: 'model', ...storeAnswer(deps, open, parsed) };
  rejectAnswer(db, answer.id);
  return settle(deps, open, decideAfter(deps, open, 'unreadable'));
}

/** Secrets were scrubbed before it was stored. */
const logAnswer = (log: Log, turn: string, { part, answer }: StoredAnswer) =>
  log.debug('the model answered', { turn, part, answer });

function settle(deps: DeepenDeps, open: OpenBatch, after: After): Deepened {
  if (after.kind === 'waits') return after;
  return keepLocal(deps.db, open.stored.id, after.reason, after.isQuarantined ? 'quarantined' : 'done');
}
