// The question about a batch: within the budget, written down before it is asked, its answer before it is read.

import { estimateTokens } from '../core/tokens.ts';
import { findExhausted, startOfDay } from '../llm/budget.ts';
import type { Answer } from '../llm/model.ts';
import { ModelError } from '../llm/model-error.ts';
import { scrubSecrets } from '../secrets/scrub.ts';
import { getBatch } from '../store/events/batches.ts';
import { dropNotice, refusalNotice } from '../store/notices.ts';
import { endCall, lastUnreadable, noteRun, startCall } from '../store/spending/model-calls.ts';
import { clearPause } from '../store/spending/model-pauses.ts';
import { spentBySession, spentSince } from '../store/spending/spend.ts';
import { writeInstructions } from './instructions.ts';
import type { DeepenDeps, OpenBatch } from './open-batch.ts';
import { writeRepair } from './question.ts';

export type Asked =
  | { kind: 'answered' }
  | { kind: 'over-budget'; reason: string }
  | { kind: 'failed'; error: ModelError }
  /** We ended it ourselves. */
  | { kind: 'stopped' };

/** Eight observations and a summary fit into it; an endless answer does not. */
const MAX_OUTPUT_TOKENS = 4096;

export async function ask(deps: DeepenDeps, open: OpenBatch): Promise<Asked> {
  const instructions = writeInstructions(deps.prompt);
  const prompt = open.stored.isRepaired ? repairOf(deps, open) : open.question.text;
  const reserved = reserve(deps, open, estimateTokens(instructions + prompt));
  if (reserved.kind === 'over-budget') return reserved;
  const { callId } = reserved;
  const startedAt = performance.now();
  const durationMs = () => Math.round(performance.now() - startedAt);
  try {
    const answer = await deps.access.ask({
      instructions,
      // Made of many pieces: looked at once more as the one text that leaves.
      prompt: scrubSecrets(prompt).text,
      maxOutputTokens: MAX_OUTPUT_TOKENS,
      deadlineMs: deps.answerMs,
      signal: deps.signal,
      onRun: (run) => noteRun(deps.db, callId, run),
    });
    keepAnswer(deps, { callId, batchId: open.stored.id, answer, durationMs: durationMs() });
    deps.log.info('asked the model', { turn: open.name, ms: durationMs(), ...answer.usage });
    return { kind: 'answered' };
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    const message = `${error.kind}: ${error.message}`;
    const end = {
      status: 'failed',
      answer: null,
      error: message,
      usage: error.usage,
      durationMs: durationMs(),
    } as const;
    endCall(deps.db, callId, end);
    if (deps.signal.aborted) return { kind: 'stopped' };
    deps.log.warn('the model failed', { turn: open.name, ms: durationMs(), error: message });
    return { kind: 'failed', error };
  }
}

const repairOf = ({ db }: DeepenDeps, { stored, question, key }: OpenBatch): string =>
  writeRepair(question, lastUnreadable(db, stored.id, key) ?? '');

type Reserved = { kind: 'over-budget'; reason: string } | { kind: 'reserved'; callId: number };

/** Looks at what was spent and counts this call in the same transaction: two at once cannot both take the last of it. */
function reserve(deps: DeepenDeps, open: OpenBatch, inputTokens: number): Reserved {
  const { db, access, budget } = deps;
  const at = deps.clock();
  const sessionId = open.session.id;
  return db
    .transaction((): Reserved => {
      const costTokens = inputTokens + MAX_OUTPUT_TOKENS;
      const spending = { today: spentSince(db, startOfDay(at)), session: spentBySession(db, sessionId), costTokens };
      const reason = findExhausted(spending, budget);
      if (reason) return { kind: 'over-budget', reason };
      const callId = startCall(db, {
        batchId: open.stored.id,
        sessionId,
        part: open.key,
        listed: open.listed,
        provider: access.provider,
        model: access.model,
        inputTokens,
        outputTokens: MAX_OUTPUT_TOKENS,
        at,
      });
      return { kind: 'reserved', callId };
    })
    .immediate();
}

type Kept = { callId: number; batchId: number; answer: Answer; durationMs: number };

function keepAnswer({ db, access }: DeepenDeps, { callId, batchId, answer, durationMs }: Kept): void {
  // A model can put together what was never in one piece before it.
  const { text } = scrubSecrets(answer.text);
  db.transaction(() => {
    // Its session, or a memory of it, was forgotten meanwhile: then so are the words about it.
    const kept = getBatch(db, batchId)?.status === 'waiting' ? text : null;
    endCall(db, callId, { status: 'answered', answer: kept, error: null, usage: answer.usage, durationMs });
    clearPause(db, access.id);
    dropNotice(db, refusalNotice(access.id));
  }).immediate();
}
