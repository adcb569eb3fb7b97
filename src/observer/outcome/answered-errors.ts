// The errors that a memory answers: what it fixes, what ruled something out, what it explains.
import type { EvidenceSource } from '../../core/evidence.ts';
import type { ObservationDraft } from '../../core/observation.ts';
import { findAttempt } from '../local/given-up.ts';
import { findRepairs, type Repair } from '../local/repairs.ts';
import { contentWords } from '../local/text/tokens.ts';
import { readTurn, type Step } from '../local/turn.ts';

/** What the failed tools said. None for work that answers no error, whatever failed on the way. */
export function listAnsweredErrors(draft: ObservationDraft, from: EvidenceSource): string[] {
  const isAnswer = draft.type === 'bugfix' || draft.type === 'discovery' || draft.outcome === 'ruled-out';
  const { root, events, earlier = [] } = from;
  if (!isAnswer || ![...earlier, ...events].some((event) => event.kind === 'tool' && isCommandOrFailed(event)))
    return [];
  const turn = readTurn({ project: { name: '', root }, session: { firstPrompt: null, title: null }, events, earlier });
  const red = turn.steps.filter(hasFailed);
  if (red.length === 0) return [];
  const sources = new Set([...draft.sources, ...draft.facts.flatMap((fact) => fact.sources)]);
  const answered = new Set<Step>();
  if (draft.type === 'bugfix')
    for (const repair of findRepairs(turn, () => true))
      for (const step of answeredBy(repair, draft, sources)) answered.add(step);
  const attempt = draft.outcome === 'ruled-out' ? findAttempt(turn) : null;
  if (attempt?.failure && attempt.undone.some(({ file }) => filesOf(draft).includes(file)))
    answered.add(attempt.failure);
  const named = red.filter((step) => sources.has(step.id) && isToldOf(step, draft));
  return [...new Set([...answered, ...named])].slice(0, MOST_ERRORS).map(textOf);
}

const MOST_ERRORS = 4;

const isCommandOrFailed = (event: { error: string | null; action: { type: string } }) =>
  event.error !== null || event.action.type === 'command';

const hasFailed = ({ run, event }: Step) =>
  run ? run.failed : event.action.type !== 'command' && event.error !== null;
const textOf = ({ run, event }: Step) => event.error ?? run?.output ?? '';
const filesOf = (draft: ObservationDraft) => [...draft.filesModified, ...draft.filesRead];

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
