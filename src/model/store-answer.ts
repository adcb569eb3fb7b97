// The answer to a batch, believed as far as our own events bear it out, in the place of what the rules had made.
import type { Distilled } from '../core/batch.ts';
import type { Evidence } from '../core/evidence.ts';
import { hasRequest, readAllEvidence, storeDistilled } from '../observer/distil-turn.ts';
import { placeDrafts } from '../observer/place-drafts.ts';
import { withoutOutside } from '../observer/without-outside.ts';
import { count } from '../store/counters.ts';
import { dropProvisional, finishBatch } from '../store/events/batches.ts';
import { type Recorded, readRecorded } from '../store/memories/citations.ts';
import { listOutcomes } from '../store/memories/outcomes.ts';
import { findProjectBy } from '../store/projects/projects.ts';
import { getSession } from '../store/sessions/sessions.ts';
import { dropAnswers } from '../store/spending/model-calls.ts';
import { believe } from './believe.ts';
import type { DeepenDeps, OpenBatch } from './open-batch.ts';
import type { ParsedAnswer } from './parsed-answer.ts';

export type Stored = { reason: string | null; observations: number };

export function storeAnswer(
  { db, clock, log, observe, settle, readEvidence, placeOf }: DeepenDeps,
  open: OpenBatch,
  parsed: ParsedAnswer,
): Stored {
  const { stored, session, turn, batch, question } = open;
  const local = asSettled(db, stored.id, observe(batch));
  const believed = believe(parsed, { batch, events: question.events, local });
  const placed = placeDrafts(withoutOutside(believed, batch), session, placeOf);
  const { distilled, places } = placed;
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
    storeDistilled(db, { ...owner, batchId: stored.id, isProvisional: false }, { distilled, places, evidence }, turn);
    dropAnswers(db, stored.id, { part: open.key });
    finishBatch(db, stored.id, { status: 'done', observer: 'model', reason });
    settle?.(db, owner);
    if (believed.dropped > 0) count(db, 'forged-observation', clock(), believed.dropped);
    if (parsed.isPartial) count(db, 'partial-answer', clock());
  }).immediate();
  if (!distilled.summary && hasRequest(turn)) log.info('NO SUMMARY', { turn: open.name, reason });
  return { reason, observations: distilled.observations.length };
}

/** With the outcomes that later turns have given it meanwhile: a model's words come late. Before what the rules had stored is replaced. */
function asSettled(db: DeepenDeps['db'], batchId: number, local: Distilled): Distilled {
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
