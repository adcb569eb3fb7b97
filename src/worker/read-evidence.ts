// What speaks for a memory when it is stored: the code as it is, the errors behind it, and whom it rests on.
import { markError } from '../core/error-mark.ts';
import type { ReadEvidence } from '../core/evidence.ts';
import { readsLikeInstructions } from '../core/instruction-like.ts';
import type { ObservationDraft } from '../core/observation.ts';
import { INJECTED_TRUST } from '../core/trust.ts';
import { citeFiles } from '../git/cite.ts';
import { trustOf } from '../observer/rests-on.ts';

export const readEvidence: ReadEvidence = (draft, from) => {
  const trust = trustOf(draft, from.events);
  const sources = new Set(draft.sources);
  const errors = from.events.flatMap((event) =>
    event.kind === 'tool' && event.error !== null && sources.has(event.id) ? [event.error] : [],
  );
  return {
    ...citeFiles(draft, from),
    errorMarks: [...new Set(errors.flatMap(markError))],
    trust,
    isQuarantined: trust < INJECTED_TRUST && readsLikeInstructions(textOf(draft)),
  };
};

const textOf = ({ title, subtitle, narrative, facts }: ObservationDraft) =>
  [title, subtitle, narrative, ...facts.map(({ text }) => text)].filter(Boolean).join('\n');
