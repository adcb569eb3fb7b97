// The errors that a memory answers: what it fixes, what ruled something out, what it explains.
import type { EvidenceSource } from '../../core/evidence.ts';
import type { ObservationDraft } from '../../core/observation.ts';
import { findAttempt } from '../local/given-up.ts';
import { findRepairs, type Repair } from '../local/repairs.ts';
import { contentWords } from '../local/text/tokens.ts';
import { readTurn, type Step, type Turn } from '../local/turn.ts';

/** What the failed tools said. None for work that answers no error, whatever failed on the way. */
export function listAnsweredErrors(draft: ObservationDraft, from: EvidenceSource): string[] {
  const sources = new Set([...draft.sources, ...draft.facts.flatMap((fact) => fact.sources)]);
  if (!mayAnswer(draft, from, sources)) return [];
  const { root, events, earlier = [] } = from;
  const turn = readTurn({ project: { name: '', root }, session: { firstPrompt: null, title: null }, events, earlier });
  const named = turn.steps.filter((step) => hasFailed(step) && sources.has(step.id) && isToldOf(step, draft));
  const answered = [...answeredByFix(turn, draft, sources), ...answeredByGivingUp(turn, draft), ...named];
  return [...new Set(answered)].slice(0, MOST_ERRORS).map(textOf);
}

/** A fix answers what was red before it; anything else only what it names. */
function mayAnswer(
  { type, outcome }: ObservationDraft,
  { events, earlier = [] }: EvidenceSource,
  sources: Set<string>,
) {
  if (type !== 'bugfix' && type !== 'discovery' && outcome !== 'ruled-out') return false;
  const isAny = type === 'bugfix' || outcome === 'ruled-out';
  return [...earlier, ...events].some(
    (event) =>
      event.kind === 'tool' &&
      (isAny || sources.has(event.id)) &&
      (event.error !== null || event.action.type === 'command'),
  );
}

function answeredByFix(turn: Turn, draft: ObservationDraft, sources: Set<string>): Step[] {
  if (draft.type !== 'bugfix') return [];
  return findRepairs(turn, () => true).flatMap((repair) => answeredBy(repair, draft, sources));
}

/** What went red between the attempt and its end. */
function answeredByGivingUp(turn: Turn, draft: ObservationDraft): Step[] {
  const attempt = draft.outcome === 'ruled-out' ? findAttempt(turn) : null;
  const files = [...draft.filesModified, ...draft.filesRead];
  return attempt?.failure && attempt.undone.some(({ file }) => files.includes(file)) ? [attempt.failure] : [];
}

const MOST_ERRORS = 4;

const hasFailed = ({ run, event }: Step) =>
  run ? run.failed : event.action.type !== 'command' && event.error !== null;
const textOf = ({ run, event }: Step) => event.error ?? run?.output ?? '';

/** The red runs that its own edits came after, up to the green one. */
function answeredBy({ failure, again, success, edits }: Repair, draft: ObservationDraft, sources: Set<string>): Step[] {
  if (success === null) return [];
  const cited = edits.filter((edit) => sources.has(edit.id));
  const own = (cited.length > 0 ? cited : edits).filter((edit) => draft.filesModified.includes(edit.file));
  const red = [failure, ...again];
  return red.filter((step, at) => {
    const next = red[at + 1]?.index ?? success.index;
    return own.some((edit) => edit.index > step.index && edit.index < next);
  });
}

/** Words that both the error and the memory have: a model names more sources than it speaks of. */
const SHARED_WORDS = 3;

function isToldOf(step: Step, draft: ObservationDraft): boolean {
  const told = contentWords(
    [draft.title, draft.subtitle, draft.narrative, ...draft.facts.map(({ text }) => text)].filter(Boolean).join(' '),
  );
  const said = contentWords(
    [step.run?.error, ...(step.run?.tests?.failing ?? []), step.run ? '' : step.event.error].join(' '),
  );
  const shared = [...said].filter((word) => told.has(word)).length;
  return shared >= Math.min(SHARED_WORDS, said.size) && shared > 0;
}
