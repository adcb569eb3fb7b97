// How far an observation may be believed: as far as the least trusted of what it was made of.
import { readsLikeInstructions } from '../core/instruction-like.ts';
import type { Fact, ObservationDraft, Origin } from '../core/observation.ts';
import { splitSentences } from '../core/sentences.ts';
import { INJECTED_TRUST, TRUST } from '../core/trust.ts';
import { isOutside, speakerOf } from './outside/speaker.ts';
import { type Hearing, readSaidOutside, type SaidOutside } from './said-outside.ts';

export function trustOf(draft: ObservationDraft, hearing: Hearing): number {
  const { lowest, isTold } = restOf(draft, hearing);
  if (lowest < INJECTED_TRUST || !isTold) return lowest;
  return repeatsOutside(draft, hearing) ? TRUST.web : lowest;
}

function restOf(draft: ObservationDraft, { events }: Hearing): { lowest: number; isTold: boolean } {
  const ids = new Set([...draft.sources, ...draft.facts.flatMap((fact) => fact.sources)]);
  const sources = events.filter(({ id }) => ids.has(id));
  const speakers = sources.flatMap((event) => speakerOf(event) ?? []);
  return {
    lowest: Math.min(TRUST[draft.origin], ...speakers.map((speaker) => TRUST[speaker])),
    // Whatever the agent says of what it read outside is still what was read there.
    isTold: draft.origin === 'agent' || speakers.includes('agent') || sources.some(isOutside),
  };
}

/** In this turn or a later one; in this turn also in other words, which nothing that was asked or done here bears out. */
export function repeatsOutside(draft: ObservationDraft, hearing: Hearing): boolean {
  const said = readSaidOutside(hearing);
  return said !== null && (takesOver(draft, hearing, said) || isMadeOf(draft, said) || !isBorneOut(draft, said));
}

/** All of it, not only a sentence. */
export function isWhollyOutside(draft: ObservationDraft, hearing: Hearing, said: SaidOutside): boolean {
  const { lowest, isTold } = restOf(draft, hearing);
  return lowest < INJECTED_TRUST || (isTold && isMadeOf(draft, said));
}

function takesOver(
  draft: ObservationDraft,
  hearing: Hearing,
  { hasOrder, hasQuote, isBorrowed }: SaidOutside,
): boolean {
  const facts = draft.facts.filter((fact) => !isWork(draft) || !isShownByWork(fact, hearing));
  const sentences = piecesOf({ ...draft, facts }).flatMap((piece) => piece.split('\n').flatMap(splitSentences));
  if (sentences.some(hasOrder)) return true;
  // Work may follow a manual word for word, but not be named by it.
  if (draft.filesModified.length > 0) return draft.title !== null && isBorrowed(draft.title);
  return sentences.some((sentence) => hasQuote(sentence) || isBorrowed(sentence));
}

const isBorneOut = (draft: ObservationDraft, said: SaidOutside): boolean =>
  isWork(draft) ? said.isBorneOut([draft.title ?? ''], true) : said.isBorneOut(piecesOf(draft), false);

/** Work shows in the files that it changed. */
export const isWork = ({ filesModified, type }: ObservationDraft): boolean =>
  filesModified.length > 0 && type !== 'decision' && type !== 'discovery';

/** Edits and commands of this turn show it, whatever anybody says. */
export function isShownByWork({ sources }: Fact, { events }: Hearing): boolean {
  const shown = events.filter(({ id }) => sources.includes(id));
  return shown.length > 0 && shown.every((event) => !isOutside(event) && SHOWN.includes(speakerOf(event) ?? 'agent'));
}

const SHOWN: Origin[] = ['file', 'command'];

/** By most of its words, or by those of a piece that would steer an agent. */
function isMadeOf(draft: ObservationDraft, said: SaidOutside): boolean {
  const pieces = piecesOf(draft);
  return (
    said.isMadeOf(pieces.join('\n')) || pieces.some((piece) => readsLikeInstructions(piece) && said.isMadeOf(piece))
  );
}

export const piecesOf = ({ title, subtitle, narrative, facts }: ObservationDraft) =>
  [title, subtitle, narrative, ...facts.map(({ text }) => text)].filter((text) => text !== null);
