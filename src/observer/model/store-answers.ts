// The answers to a batch, believed as far as our own events bear them out, in the place of what the rules had made.
import type { Distilled } from '../../core/batch.ts';
import type { Evidence } from '../../core/evidence.ts';
import type { ObservationDraft } from '../../core/observation.ts';
import { count } from '../../store/counters.ts';
import { dropProvisional, finishBatch } from '../../store/events/batches.ts';
import { type Recorded, readRecorded } from '../../store/memories/citations.ts';
import { listOutcomes } from '../../store/memories/outcomes.ts';
import { findProjectBy } from '../../store/projects/projects.ts';
import { getSession } from '../../store/sessions/sessions.ts';
import { dropAnswers } from '../../store/spending/model-calls.ts';
import { hasRequest, readAllEvidence, storeDistilled } from '../distil-turn.ts';
import { placeDrafts } from '../place-drafts.ts';
import { withoutOutside } from '../without-outside.ts';
import { believe } from './believe.ts';
import type { DeepenDeps, OpenBatch, Part } from './open-batch.ts';
import type { ParsedAnswer } from './parsed-answer.ts';

export type StoredAnswers = { reason: string | null; observations: number };

export function storeAnswers(
  { db, clock, log, observe, settle, readEvidence, placeOf }: DeepenDeps,
  open: OpenBatch,
  read: { part: Part; parsed: ParsedAnswer }[],
): StoredAnswers {
  const { stored, session, turn } = open;
  const local = asSettled(db, stored.id, observe(open.batch));
  const parsed = read.map((one) => one.parsed);
  const believed = read.map(({ part, parsed }) => believe(parsed, { batch: open.batch, events: part.events, local }));
  const placed = placeDrafts(withoutOutside(merge(believed, local), open.batch), session, placeOf);
  const { distilled, places } = placed;
  const seen = readAllEvidence(placed, open.batch, readEvidence);
  const reason = reasonOf(parsed);
  const parts = read.map(({ part }) => part);
  const isInPlace = (_: Part, at: number) => believed[at]?.isInPlace === true;
  const standing = parts.every(isInPlace) ? [] : listStanding(local, parts.filter(isInPlace));
  const dropped = believed.reduce((sum, one) => sum + one.dropped, 0);
  db.transaction(() => {
    // While the model was asked, its project may have become part of another.
    const projectId = getSession(db, session.id)?.projectId ?? session.projectId;
    const evidence = seen.map((one, at) => {
      const place = places[at];
      const recorded = readRecorded(db, stored.id, place ? findProjectBy(db, place)?.id : projectId);
      return recorded ? keepRecorded(one, recorded) : one;
    });
    dropProvisional(db, stored.id, standing);
    const owner = { sessionId: session.id, projectId, promptNumber: stored.promptNumber };
    storeDistilled(db, { ...owner, batchId: stored.id, isProvisional: false }, { distilled, places, evidence }, turn);
    finishBatch(db, stored.id, { status: 'done', observer: 'model', reason });
    settle?.(db, owner);
    dropAnswers(db, stored.id);
    if (dropped > 0) count(db, 'forged-observation', clock(), dropped);
    if (parsed.some((answer) => answer.isPartial)) count(db, 'partial-answer', clock());
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

/** Where the model said nothing whole that is believed, what the rules made of the same events stays: an answer adds words, it takes none away. */
function listStanding(local: Distilled, spoken: Part[]): ObservationDraft[] {
  const covered = new Set(spoken.flatMap(({ events }) => events.map(({ id }) => id)));
  return local.observations.filter(({ sources }) => !sources.some((id) => covered.has(id)));
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

/** Of several parts the last one saw how it ended. */
function merge(believed: Distilled[], local: Distilled): Distilled {
  const last = believed.at(-1) ?? local;
  const seen = new Set<string | null>();
  const observations = believed
    .flatMap((one) => one.observations)
    .filter(({ title }) => title === null || (!seen.has(title) && seen.add(title)));
  return { ...last, observations };
}

function reasonOf(parsed: ParsedAnswer[]): string | null {
  const reasons = parsed.flatMap(({ nothingToRecord, skippedSummary }) => [nothingToRecord, skippedSummary]);
  return reasons.filter(Boolean).join('; ') || null;
}
