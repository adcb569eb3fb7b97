// How far an observation may be believed: as far as the least trusted of what it was made of.
import { readsLikeInstructions } from '../core/instruction-like.ts';
import type { ObservationDraft } from '../core/observation.ts';
import { splitSentences } from '../core/sentences.ts';
import { INJECTED_TRUST, TRUST } from '../core/trust.ts';
import { isOutside, speakerOf } from './model/believe/speaker.ts';
import { createStock, createWordReader } from './model/believe/words.ts';
import {
  distinct,
  FEW,
  type Hearing,
  insideText,
  MOST,
  outsideText,
  readSaidOutside,
  readTexts,
  type SaidOutside,
} from './said-outside.ts';

export function trustOf(draft: ObservationDraft, hearing: Hearing): number {
  const ids = new Set([...draft.sources, ...draft.facts.flatMap((fact) => fact.sources)]);
  const sources = hearing.events.filter(({ id }) => ids.has(id));
  const speakers = sources.flatMap((event) => speakerOf(event) ?? []);
  const lowest = Math.min(TRUST[draft.origin], ...speakers.map((speaker) => TRUST[speaker]));
  // Whatever the agent says of what it read outside is still what was read there.
  const isTold = draft.origin === 'agent' || speakers.includes('agent') || sources.some(isOutside);
  if (lowest < INJECTED_TRUST || !isTold) return lowest;
  return repeatsOutside(draft, hearing) ? TRUST.web : lowest;
}

/** In this turn or a later one. */
export function repeatsOutside(draft: ObservationDraft, hearing: Hearing): boolean {
  const said = recallSaid(hearing);
  return said !== null && (takesOver(draft, said) || isMadeOf(draft, hearing));
}

/** All the observations of a turn are asked about the same one after the other. */
const saidBy = new WeakMap<Hearing, SaidOutside | null>();

function recallSaid(hearing: Hearing): SaidOutside | null {
  const known = saidBy.get(hearing);
  if (known !== undefined) return known;
  const said = readSaidOutside(hearing);
  saidBy.set(hearing, said);
  return said;
}

function takesOver(draft: ObservationDraft, { hasOrder, hasQuote, isBorrowed }: SaidOutside): boolean {
  const sentences = piecesOf(draft).flatMap((piece) => piece.split('\n').flatMap(splitSentences));
  if (sentences.some(hasOrder)) return true;
  // Work may follow a manual word for word, but not be named by it.
  if (draft.filesModified.length > 0) return draft.title !== null && isBorrowed(draft.title);
  return sentences.some((sentence) => hasQuote(sentence) || isBorrowed(sentence));
}

/** Its words largely stand in what came from outside in this turn, wherever, and neither in what the user said nor in what files and commands showed. */
function isMadeOf(draft: ObservationDraft, { events }: Hearing): boolean {
  if (!events.some(isOutside)) return false;
  const readWords = createWordReader();
  const standsHere = createStock(readTexts(events, insideText), readWords);
  const standsThere = createStock(readTexts(events, outsideText), readWords);
  const isBorrowed = (text: string) => {
    const words = distinct(text, readWords);
    const borrowed = words.filter((word) => standsThere(word) && !standsHere(word)).length;
    return words.length >= FEW && borrowed > words.length * MOST;
  };
  const pieces = piecesOf(draft);
  return isBorrowed(pieces.join('\n')) || pieces.some((piece) => readsLikeInstructions(piece) && isBorrowed(piece));
}

const piecesOf = ({ title, subtitle, narrative, facts }: ObservationDraft) =>
  [title, subtitle, narrative, ...facts.map(({ text }) => text)].filter((text) => text !== null);
