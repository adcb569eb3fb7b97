// One waiting batch put to a model: asked once, the answer kept before it is read, what is believed of it stored in one transaction.

import type { Database } from 'bun:sqlite';
import { placeDrafts } from '../capture/other-repositories.ts';
import { listBatchEvents } from '../capture/queue.ts';
import { getSession } from '../capture/sessions.ts';
import type { Evidence } from '../core/evidence.ts';
import type { Observed } from '../core/observation.ts';
import { estimateTokens } from '../core/text.ts';
import { listOutcomes, type Recorded, readRecorded } from '../memory/observations.ts';
import { findProjectBy } from '../projects/projects.ts';
import { scrubSecrets } from '../secrets/scrub.ts';
import { dropProvisional, finishBatch, getBatch, noteTrial, type StoredBatch } from '../store/batches.ts';
import { count, dropNotice, refusalNotice } from '../store/counters.ts';
import * as calls from '../store/model-calls.ts';
import { hasRequest, readAllEvidence, storeObserved } from '../turns/store-turn.ts';
import { type ParsedAnswer, parseAnswer } from './answer.ts';
import { believe } from './believe.ts';
import { writeInstructions } from './instructions.ts';
import { type Answer, ModelError } from './providers/contract.ts';
import { writeRepair } from './question.ts';
import { givenUpReason, keepLocal, MAX_FAILURES, type Summarised } from './rules-stand.ts';
import { type OpenBatch, openBatch, type SummariseDeps } from './turn.ts';

export async function summariseBatch(deps: SummariseDeps, batchId: number): Promise<Summarised> {
  const stored = getBatch(deps.db, batchId);
  if (stored?.status !== 'waiting') return { kind: 'gone' };
  // Before it is opened: what cannot be read must not wait for ever.
  const reason = givenUpReason(stored, deps.clock());
  if (reason) return keepLocal(deps.db, batchId, reason);
  const open = openBatch(deps, stored);
  if (!open) return keepLocal(deps.db, batchId, 'its events are forgotten');
  if (calls.findAnswer(deps.db, stored.id, open.key)) return readAnswer(deps, open);
  if (!deps.isWanted()) return { kind: 'waits', reason: 'the settings have changed' };
  const asked = await ask(deps, open);
  if (asked.kind === 'over-budget') return keepLocal(deps.db, batchId, asked.reason);
  if (asked.kind === 'failed') return decideAfter(deps, open, asked.error);
  if (asked.kind === 'stopped') return { kind: 'waits', reason: 'the worker stops' };
  // A private prompt that came meanwhile took events away, or a memory was forgotten: what the model said may rest on it.
  return hasLostEvents(deps.db, open) ? forgetAnswers(deps.db, batchId) : readAnswer(deps, open);
}

function hasLostEvents(db: Database, { stored, turn }: OpenBatch): boolean {
  if (getBatch(db, stored.id)?.status !== 'waiting') return true;
  const there = new Set(listBatchEvents(db, stored.id).map(({ seq }) => seq));
  return turn.some(({ seq }) => !there.has(seq));
}

function forgetAnswers(db: Database, batchId: number): Summarised {
  calls.dropAnswers(db, batchId);
  return { kind: 'waits', reason: 'some of its events were forgotten meanwhile' };
}

/** The answer is on disk: whatever happens from here on, nobody is asked twice. */
function readAnswer(deps: SummariseDeps, open: OpenBatch): Summarised {
  const { db, log } = deps;
  const answer = calls.findAnswer(db, open.stored.id, open.key);
  if (!answer) return { kind: 'waits', reason: 'its answer was forgotten' };
  // Secrets were scrubbed before it was stored.
  log.debug('the model answered', { turn: open.name, part: open.key, answer: answer.text });
  const parsed = parseAnswer(answer.text);
  if (parsed.isReadable) return { kind: 'done', observer: 'model', ...storeAnswer(deps, open, parsed) };
  calls.rejectAnswer(db, answer.id);
  return decideAfter(deps, open, 'unreadable');
}

// The question about a batch: within the budget, written down before it is asked, its answer before it is read.

type Asked = { kind: 'answered' } | { kind: 'over-budget'; reason: string } | { kind: 'failed'; error: ModelError } | { kind: 'stopped' };

/** Eight observations and a summary fit into it; an endless answer does not. */
const MAX_OUTPUT_TOKENS = 4096;

async function ask(deps: SummariseDeps, open: OpenBatch): Promise<Asked> {
  const instructions = writeInstructions(deps.prompt);
  const { stored, question, key } = open;
  const prompt = stored.isRepaired ? writeRepair(question, calls.lastUnreadable(deps.db, stored.id, key) ?? '') : question.text;
  const callId = reserve(deps, open, estimateTokens(instructions + prompt));
  if (typeof callId === 'object') return { kind: 'over-budget', ...callId };
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
      onRun: (run) => calls.noteRun(deps.db, callId, run),
    });
    keepAnswer(deps, { callId, batchId: stored.id, answer, durationMs: durationMs() });
    deps.log.info('asked the model', { turn: open.name, ms: durationMs(), ...answer.usage });
    return { kind: 'answered' };
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    const message = `${error.kind}: ${error.message}`;
    const { usage } = error;
    calls.endCall(deps.db, callId, { status: 'failed', answer: null, error: message, usage, durationMs: durationMs() });
    if (deps.signal.aborted) return { kind: 'stopped' };
    deps.log.warn('the model failed', { turn: open.name, ms: durationMs(), error: message });
    return { kind: 'failed', error };
  }
}

/** Looks at what was spent and counts this call in the same transaction: two at once cannot both take the last of it. */
function reserve({ db, access, budget, clock }: SummariseDeps, open: OpenBatch, inputTokens: number): number | { reason: string } {
  const { provider, model } = access;
  const call = { batchId: open.stored.id, sessionId: open.session.id, part: open.key, listed: open.listed, provider, model };
  return db
    .transaction(() => {
      const at = clock();
      const reason = calls.findExhausted(db, budget, { at, costTokens: inputTokens + MAX_OUTPUT_TOKENS, sessionId: call.sessionId });
      return reason ? { reason } : calls.startCall(db, { ...call, inputTokens, outputTokens: MAX_OUTPUT_TOKENS, at });
    })
    .immediate();
}

type Kept = { callId: number; batchId: number; answer: Answer; durationMs: number };

function keepAnswer({ db, access }: SummariseDeps, { callId, batchId, answer, durationMs }: Kept): void {
  // A model can put together what was never in one piece before it.
  const { text } = scrubSecrets(answer.text);
  db.transaction(() => {
    // Its session, or a memory of it, was forgotten meanwhile: then so are the words about it.
    const kept = getBatch(db, batchId)?.status === 'waiting' ? text : null;
    calls.endCall(db, callId, { status: 'answered', answer: kept, error: null, usage: answer.usage, durationMs });
    calls.clearPause(db, access.id);
    dropNotice(db, refusalNotice(access.id));
  }).immediate();
}

// The answer to a batch, believed as far as our own events bear it out, in the place of what the rules had made.

function storeAnswer(
  { db, clock, log, observe, settle, readEvidence, placeOf }: SummariseDeps,
  open: OpenBatch,
  parsed: ParsedAnswer,
): { reason: string | null; observations: number } {
  const { stored, session, turn, batch, question } = open;
  const local = asSettled(db, stored.id, observe(batch));
  const believed = believe(parsed, { batch, events: question.events, local });
  const placed = placeDrafts(believed, session, placeOf);
  const { observed, places } = placed;
  const seen = readAllEvidence(placed, batch, readEvidence);
  const reason = [parsed.nothingToRecord, parsed.skippedSummary].filter(Boolean).join('; ') || null;
  db.transaction(() => {
    // While the model was asked, its project may have become part of another.
    const projectId = getSession(db, session.id)?.projectId ?? session.projectId;
    const evidence = seen.map((one, at) => {
      const place = places[at];
      const recorded = readRecorded(db, stored.id, place ? findProjectBy(db, place)?.id : projectId);
      return recorded ? keepRecorded(one, recorded) : one;
    });
    // Where the model said nothing whole that is believed, what the rules made stays: an answer adds words, it takes none away.
    dropProvisional(db, stored.id, believed.isInPlace ? [] : local.observations);
    const owner = { sessionId: session.id, projectId, promptNumber: stored.promptNumber };
    storeObserved(db, { ...owner, batchId: stored.id, isProvisional: false }, { observed, places, evidence }, turn);
    calls.dropAnswers(db, stored.id, { part: open.key });
    finishBatch(db, stored.id, { status: 'done', observer: 'model', reason });
    settle?.(db, owner);
    if (believed.dropped > 0) count(db, 'forged-observation', clock(), believed.dropped);
    if (!parsed.isWhole) count(db, 'partial-answer', clock());
  }).immediate();
  if (!observed.summary && hasRequest(turn)) log.info('NO SUMMARY', { turn: open.name, reason });
  return { reason, observations: observed.observations.length };
}

/** With the outcomes that later turns have given it meanwhile: a model's words come late. Before what the rules had stored is replaced. */
function asSettled(db: SummariseDeps['db'], batchId: number, local: Observed): Observed {
  const known = listOutcomes(db, batchId);
  const observations = local.observations.map((draft) => {
    const stored = known.find(({ type, title }) => type === draft.type && title === draft.title);
    return stored ? { ...draft, outcome: stored.outcome } : draft;
  });
  return { ...local, observations };
}

/** The files may have moved on while the model was asked: what was seen of them right after the turn counts. */
function keepRecorded(evidence: Evidence, { head, branch, citations }: Recorded): Evidence {
  if (head === null && citations.size === 0) return evidence;
  return {
    ...evidence,
    head,
    branch,
    citations: evidence.citations.map((now) => {
      const then = citations.get(now.path);
      // The lines are those of its own edits, as long as both saw the same file.
      return then && then.blob !== null && then.blob !== now.blob ? { ...then, did: now.did } : now;
    }),
  };
}

// What follows a failed question: wait, ask smaller, ask once more, or let the local result stand.

/** An account or a model that is refused is looked at again this seldom, should the user have changed it elsewhere. */
const REFUSED_PAUSES = 120;
/** So many batches in a row that the model refuses are not the batches' fault. */
const REFUSALS_IN_A_ROW = 3;
const LONGEST_RETRY = 60;
const LONGEST_RATE_LIMIT = 120;

const decideAfter = (deps: SummariseDeps, { stored }: OpenBatch, failure: ModelError | 'unreadable'): Summarised =>
  deps.db
    .transaction((): Summarised => {
      if (failure === 'unreadable') return askOnceMore(deps, stored, 'the answer was not in the form that was asked for');
      const reason = `${failure.kind}: ${failure.message}`;
      if (failure.kind === 'bad-answer') return askOnceMore(deps, stored, reason);
      if (failure.kind === 'unrecoverable') return askSmaller(deps, stored, failure, reason);
      if (failure.kind === 'transient') return tryLater(deps, stored, failure);
      const isFull = failure.kind === 'rate-limited';
      pauseAll(deps, failure, (times) => (isFull ? untilFreeMs(deps, failure, times) : deps.retryMs * REFUSED_PAUSES));
      return { kind: 'waits', reason };
    })
    .immediate();

function askOnceMore({ db }: SummariseDeps, stored: StoredBatch, reason: string): Summarised {
  if (stored.isRepaired) return keepLocal(db, stored.id, reason);
  noteTrial(db, stored.id, { isRepaired: true, reason });
  return { kind: 'waits', reason };
}

function askSmaller(deps: SummariseDeps, stored: StoredBatch, failure: ModelError, reason: string): Summarised {
  if (stored.isShrunk) {
    pauseAll(deps, failure, (times) => (times >= REFUSALS_IN_A_ROW ? deps.retryMs * REFUSED_PAUSES : 0));
    return keepLocal(deps.db, stored.id, reason, 'quarantined');
  }
  // What was said of its parts is not about the whole.
  calls.dropAnswers(deps.db, stored.id);
  noteTrial(deps.db, stored.id, { isShrunk: true, reason });
  return { kind: 'waits', reason };
}

/** A model that fails for one fails for all: every batch waits, and one of them is the next to look. */
function tryLater(deps: SummariseDeps, stored: StoredBatch, failure: ModelError): Summarised {
  const failures = stored.failures + 1;
  const isGivenUp = failures >= MAX_FAILURES;
  // It may have been this batch alone: the next one need not wait long to see.
  const nextTryAt = pauseAll(deps, failure, (times) => deps.retryMs * Math.min(10 ** (isGivenUp ? 0 : times - 1), LONGEST_RETRY));
  noteTrial(deps.db, stored.id, { failures, nextTryAt, reason: failure.message });
  if (!isGivenUp) return { kind: 'waits', reason: failure.message };
  return keepLocal(deps.db, stored.id, `the model failed ${failures} times: ${failure.message}`);
}

/** A server that says "soon" again and again is not asked again and again. */
function untilFreeMs({ retryMs, clock }: SummariseDeps, { until }: ModelError, times: number): number {
  const delayMs = (count: number) => retryMs * Math.min(2 ** count, LONGEST_RATE_LIMIT);
  return until === null ? delayMs(times) : Math.max(until - clock(), times > 1 ? delayMs(times - 1) : 0);
}

/** `delayMs`: after so many of the same kind in a row. */
function pauseAll({ db, access, clock }: SummariseDeps, failure: ModelError, delayMs: (times: number) => number): number {
  // A bad answer pauses nobody.
  const kind = failure.kind as calls.Pause['kind'];
  const at = clock();
  const before = calls.getPause(db, access.id, at);
  const times = before?.kind === kind ? before.times + 1 : 1;
  const until = Math.ceil(at + delayMs(times));
  calls.setPause(db, access.id, { kind, until, times, message: failure.message, at });
  return until;
}
