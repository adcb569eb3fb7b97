// One waiting batch put to a model: asked part by part, each answer kept before it is read, all of it stored in one transaction.
import type { Database } from 'bun:sqlite';
import type { Log } from '../../log.ts';
import { getBatch } from '../../store/events/batches.ts';
import { listBatchEvents } from '../../store/events/events.ts';
import { dropAnswers, listAnswers, rejectAnswer, type StoredAnswer } from '../../store/spending/model-calls.ts';
import { type After, decideAfter } from './after-failure.ts';
import { askPart } from './ask-part.ts';
import { givenUpReason } from './given-up.ts';
import { type Deepened, keepLocal } from './keep-local.ts';
import { type DeepenDeps, type OpenBatch, openBatch } from './open-batch.ts';
import { parseAnswer } from './parse-answer.ts';
import { storeAnswers } from './store-answers.ts';

export async function deepenBatch(deps: DeepenDeps, batchId: number): Promise<Deepened> {
  const stored = getBatch(deps.db, batchId);
  if (stored?.status !== 'waiting') return { kind: 'gone' };
  // Before it is opened: what cannot be read must not wait for ever.
  const reason = givenUpReason(stored, deps.clock());
  if (reason) return keepLocal(deps.db, batchId, reason);
  const open = openBatch(deps, stored);
  if (!open) return keepLocal(deps.db, batchId, 'its events are forgotten');
  for (const part of open.parts) {
    if (listAnswers(deps.db, batchId).some((answer) => answer.part === part.key)) continue;
    if (!deps.isWanted()) return { kind: 'waits', reason: 'the settings have changed' };
    const asked = await askPart(deps, open, part);
    if (asked.kind === 'over-budget') return keepLocal(deps.db, batchId, asked.reason);
    if (asked.kind === 'failed') return settle(deps, open, decideAfter(deps, open, asked.error));
    if (asked.kind === 'stopped') return { kind: 'waits', reason: 'the worker stops' };
    // A private prompt that came meanwhile took events away, or a memory was forgotten: what the model said may rest on it.
    if (hasLostEvents(deps.db, open)) return forgetAnswers(deps.db, batchId);
  }
  return readAnswers(deps, open);
}

function hasLostEvents(db: Database, { stored, turn }: OpenBatch): boolean {
  if (getBatch(db, stored.id)?.status !== 'waiting') return true;
  const there = new Set(listBatchEvents(db, stored.id).map(({ seq }) => seq));
  return turn.some(({ seq }) => !there.has(seq));
}

function forgetAnswers(db: Database, batchId: number): Deepened {
  dropAnswers(db, batchId);
  return { kind: 'waits', reason: 'some of its events were forgotten meanwhile' };
}

/** The answers are on disk: whatever happens from here on, no part is asked for twice. */
function readAnswers(deps: DeepenDeps, open: OpenBatch): Deepened {
  const { db, log } = deps;
  const answers = listAnswers(db, open.stored.id);
  const read = open.parts.flatMap((part) => {
    const answer = answers.findLast((one) => one.part === part.key);
    return answer ? [{ part, answer, parsed: parseAnswer(answer.answer) }] : [];
  });
  const unreadable = read.filter(({ parsed }) => !parsed.isReadable);
  if (unreadable.length > 0) {
    for (const { answer } of unreadable) logAnswer(log, open.name, answer);
    db.transaction(() => {
      for (const { answer } of unreadable) rejectAnswer(db, answer.id);
    }).immediate();
    return settle(deps, open, decideAfter(deps, open, 'unreadable'));
  }
  for (const { answer } of read) logAnswer(log, open.name, answer);
  return { kind: 'done', observer: 'model', ...storeAnswers(deps, open, read) };
}

/** Secrets were scrubbed before it was stored. */
const logAnswer = (log: Log, turn: string, { part, answer }: StoredAnswer) =>
  log.debug('the model answered', { turn, part, answer });

function settle(deps: DeepenDeps, open: OpenBatch, after: After): Deepened {
  if (after.kind === 'waits') return after;
  return keepLocal(deps.db, open.stored.id, after.reason, after.isQuarantined ? 'quarantined' : 'done');
}
