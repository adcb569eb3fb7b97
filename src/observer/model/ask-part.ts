// One question of a batch: within the budget, written down before it is asked, its answer before it is read.
import { scrubSecrets } from '../../core/secrets/scrub.ts';
import { estimateTokens } from '../../core/tokens.ts';
import { findExhausted, startOfDay } from '../../llm/budget.ts';
import type { Answer, Usage } from '../../llm/model.ts';
import { ModelError } from '../../llm/model-error.ts';
import { endCall, lastUnreadable, noteRun, startCall } from '../../store/model-calls.ts';
import { clearPause } from '../../store/model-pauses.ts';
import { spentBySession, spentSince } from '../../store/spend.ts';
import { type PromptPart, writeInstructions, writeRepair } from '../prompt.ts';
import type { DeepenDeps, OpenBatch } from './open-batch.ts';

export type Asked =
  | { kind: 'answered' }
  | { kind: 'over-budget'; reason: string }
  | { kind: 'failed'; error: ModelError }
  /** We ended it ourselves. */
  | { kind: 'stopped' };

/** Eight observations and a summary fit into it; an endless answer does not. */
const MAX_OUTPUT_TOKENS = 4096;

export async function askPart(
  deps: DeepenDeps,
  open: OpenBatch,
  one: { at: number; part: PromptPart },
): Promise<Asked> {
  const instructions = writeInstructions(deps.prompt);
  const prompt = open.stored.isRepaired ? repairOf(deps, open, one) : one.part.text;
  const reserved = reserve(deps, open, { at: one.at, inputTokens: estimateTokens(instructions + prompt) });
  if (reserved.kind === 'over-budget') return reserved;
  const { callId } = reserved;
  const startedAt = performance.now();
  const durationMs = () => Math.round(performance.now() - startedAt);
  try {
    const answer = await deps.access.ask({
      instructions,
      prompt,
      maxOutputTokens: MAX_OUTPUT_TOKENS,
      deadlineMs: deps.answerMs,
      signal: deps.signal,
      onRun: (run) => noteRun(deps.db, callId, run),
    });
    keepAnswer(deps, callId, answer, durationMs());
    deps.log.info('asked the model', { turn: open.name, part: one.at, ms: durationMs(), ...answer.usage });
    return { kind: 'answered' };
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    const usage = error.usage ?? unbilled(error);
    const message = `${error.kind}: ${error.message}`;
    endCall(deps.db, callId, { status: 'failed', answer: null, error: message, usage, durationMs: durationMs() });
    if (deps.signal.aborted) return { kind: 'stopped' };
    deps.log.warn('the model failed', { turn: open.name, part: one.at, ms: durationMs(), error: message });
    return { kind: 'failed', error };
  }
}

const repairOf = ({ db }: DeepenDeps, { stored }: OpenBatch, { at, part }: { at: number; part: PromptPart }) =>
  writeRepair(part, lastUnreadable(db, stored.id, at) ?? '');

type Reserved = { kind: 'over-budget'; reason: string } | { kind: 'reserved'; callId: number };

/** Looks at what was spent and counts this call in the same transaction: two at once cannot both take the last of it. */
function reserve(deps: DeepenDeps, open: OpenBatch, call: { at: number; inputTokens: number }): Reserved {
  const { db, access, budget } = deps;
  const at = deps.clock();
  const sessionId = open.session.id;
  return db
    .transaction((): Reserved => {
      const costTokens = call.inputTokens + MAX_OUTPUT_TOKENS;
      const spending = { today: spentSince(db, startOfDay(at)), session: spentBySession(db, sessionId), costTokens };
      const reason = findExhausted(spending, budget);
      if (reason) return { kind: 'over-budget', reason };
      const callId = startCall(db, {
        batchId: open.stored.id,
        sessionId,
        part: call.at,
        provider: access.provider,
        model: access.model,
        inputTokens: call.inputTokens,
        outputTokens: MAX_OUTPUT_TOKENS,
        at,
      });
      return { kind: 'reserved', callId };
    })
    .immediate();
}

function keepAnswer({ db, access }: DeepenDeps, callId: number, answer: Answer, durationMs: number): void {
  // A model can put together what was never in one piece before it.
  const { text } = scrubSecrets(answer.text);
  db.transaction(() => {
    endCall(db, callId, { status: 'answered', answer: text, error: null, usage: answer.usage, durationMs });
    clearPause(db, access.id);
  }).immediate();
}

/** Refused requests cost nothing. One that may have been worked on keeps its reservation. */
function unbilled(error: ModelError): Usage | null {
  if (error.kind === 'transient' || error.kind === 'bad-answer') return null;
  return { inputTokens: 0, cachedTokens: 0, outputTokens: 0 };
}
