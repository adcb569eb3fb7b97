// The local observer: a batch of events in, what is worth remembering out. Rules only: no model, no clock, no I/O.
import type { Batch, Distilled } from '../../core/batch.ts';
import type { SessionEvent } from '../../core/event.ts';
import type { ObservationDraft } from '../../core/observation.ts';
import { observeAttempts } from './attempts.ts';
import { observeDecisions } from './decisions.ts';
import { observeDeeds } from './deeds.ts';
import { observeDiscovery } from './discovery.ts';
import { editKey, findAttempt, givenUpEdits } from './given-up.ts';
import { observeMisuse } from './misuse.ts';
import { citeNamed } from './named-files.ts';
import { findRepairs, isOnlyRepairs, type Repair } from './repairs.ts';
import { sessionSubtitle, sessionTitle } from './session-title.ts';
import { summarize } from './summary.ts';
import { overlap } from './text/tokens.ts';
import { type Edit, newSteps, readTurn, type Turn } from './turn.ts';
import { askedFor } from './words/asked.ts';
import { observeWork } from './work.ts';

export function observeLocally(batch: Batch): Distilled {
  const observations = splitTurns(batch).flatMap((one) => observe(readTurn(one)));
  const turn = readTurn(batch);
  return {
    observations,
    summary: summarize(turn, observations),
    title: sessionTitle(batch, observations),
    subtitle: sessionSubtitle(turn, observations),
  };
}

/** A batch that waited may hold several turns: each is read by itself, with the ones before it as its past. */
function splitTurns(batch: Batch): Batch[] {
  const turns: Batch[] = [];
  let earlier = batch.earlier;
  let open: SessionEvent[] = [];
  batch.events.forEach((event, at) => {
    open.push(event);
    const isLast = at === batch.events.length - 1;
    if (!isLast && (event.kind !== 'stop' || batch.events[at + 1]?.kind === 'end')) return;
    turns.push({ ...batch, events: open, earlier });
    earlier = [...earlier, ...open.filter((one) => one.kind === 'tool')];
    open = [];
  });
  // The same one, so that what was read of it is known.
  return turns.length === 1 ? [batch] : turns;
}

function observe(turn: Turn): ObservationDraft[] {
  const attempt = findAttempt(turn);
  const givenUp = givenUpEdits(turn, attempt);
  const isKept = (edit: Edit) => !givenUp.has(editKey(edit));
  const repairs = findRepairs(turn, isKept);
  const work = observeWork(turn, repairs, isKept);
  const deeds = work.length === 0 || isBesides(turn, repairs, isKept) ? observeDeeds(turn, repairs) : [];
  const told = [...work, ...deeds, ...observeAttempts(turn, attempt), ...observeDecisions(turn)];
  const found = [...observeDiscovery(turn, told), ...observeMisuse(turn)];
  return citeNamed(withoutRepetition([...withoutOverruled(told), ...found]), turn);
}

/** The user asked for a deploy or an upgrade, and the only edits were to get it through: both are worth telling. */
function isBesides(turn: Turn, repairs: Repair[], isKept: (edit: Edit) => boolean): boolean {
  const asked = askedFor(turn.prompts.map((prompt) => prompt.text).join('\n'));
  const edits = newSteps(turn).flatMap((step) => step.edits.filter(isKept));
  return (asked === null || asked === 'change') && isOnlyRepairs(edits, repairs);
}

/** What the user asked for and the turn ruled out is no longer decided. */
function withoutOverruled(drafts: ObservationDraft[]): ObservationDraft[] {
  const ruledOut = drafts
    .filter((one) => one.outcome === 'ruled-out')
    .map((one) => `${one.title} ${one.narrative ?? ''}`);
  const isOverruled = (one: ObservationDraft) => ruledOut.some((text) => overlap(one.title ?? '', text) >= 0.7);
  return drafts.filter((one) => !(one.type === 'decision' && one.origin === 'user' && isOverruled(one)));
}

/** The same thing said twice is kept once, as the observation that was made first. */
function withoutRepetition(drafts: ObservationDraft[]): ObservationDraft[] {
  const kept: ObservationDraft[] = [];
  for (const one of drafts) {
    const isRepeated = kept.some(
      (other) =>
        (other.outcome === one.outcome || (one.type === 'decision' && other.outcome === 'ruled-out')) &&
        overlap(other.title ?? '', one.title ?? '') >= 0.85,
    );
    if (one.title && !isRepeated) kept.push(one);
  }
  return kept;
}
