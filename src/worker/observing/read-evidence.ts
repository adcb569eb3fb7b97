// What speaks for a memory when it is stored: the code as it is, the errors behind it, and whom it rests on.
import { markError } from '../../core/error-mark.ts';
import type { Evidence, EvidenceSource, ReadEvidence } from '../../core/evidence.ts';
import { isInjection, readsLikeInstructions } from '../../core/instruction-like.ts';
import type { ObservationDraft } from '../../core/observation.ts';
import { INJECTED_TRUST } from '../../core/trust.ts';
import { type Cited, citeFiles, citeFromAfar } from '../../git/cite.ts';
import { trustOf } from '../../observer/rests-on.ts';
import { listAnsweredErrors } from './answered-errors.ts';

/** Of what happened just now. */
export const readEvidence: ReadEvidence = (draft, from) => judge(draft, from, citeFiles(draft, from));

/** Later than any turn is distilled in the ordinary way: the work tree has gone on. */
const LONG_AGO_MS = 3_600_000;

/** Of what happened at any time. */
export const createReadEvidence =
  (clock: () => number): ReadEvidence =>
  (draft, from) =>
    clock() - draft.at > LONG_AGO_MS ? judge(draft, from, citeFromAfar(draft, from)) : readEvidence(draft, from);

function judge(draft: ObservationDraft, from: EvidenceSource, cited: Cited): Evidence {
  const trust = trustOf(draft, from);
  return {
    ...cited,
    errorMarks: [...new Set(listAnsweredErrors(draft, from).flatMap(markError))],
    trust,
    isQuarantined: isSteering(draft, trust),
  };
}

/** People and agents tell each other what to do. Files and commands say it to people, too: of theirs only what is meant for an agent. */
function isSteering(draft: ObservationDraft, trust: number): boolean {
  if (trust < INJECTED_TRUST) return readsLikeInstructions(textOf(draft));
  return (draft.origin === 'file' || draft.origin === 'command') && isInjection(textOf(draft));
}

const textOf = ({ title, subtitle, narrative, facts }: ObservationDraft) =>
  [title, subtitle, narrative, ...facts.map(({ text }) => text)].filter(Boolean).join('\n');
