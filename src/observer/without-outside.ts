// A summary and the names of a session have no trust that could hold them back: they do not say what was only read outside.
import type { Batch, Distilled } from '../core/batch.ts';
import type { ObservationDraft } from '../core/observation.ts';
import type { SummaryDraft } from '../core/summary.ts';
import { INJECTED_TRUST } from '../core/trust.ts';
import { contentWords } from './local/text/tokens.ts';
import { keepSentences } from './model/believe/borne-out.ts';
import { isWhollyOutside, piecesOf, trustOf } from './rests-on.ts';
import { hearingOf, readSaidOutside, type SaidOutside } from './said-outside.ts';

type IsKept = (sentence: string) => boolean;

/** The observations still say it, with little trust. */
export function withoutOutside(distilled: Distilled, batch: Batch): Distilled {
  const hearing = hearingOf(batch);
  const said = readSaidOutside(hearing);
  if (!said) return distilled;
  const { summary, title, subtitle, observations } = distilled;
  const isForeign = createRepetition(observations.filter((one) => isWhollyOutside(one, hearing, said)));
  const isOurs = createRepetition(observations.filter((one) => trustOf(one, hearing) >= INJECTED_TRUST));
  const isFree = (sentence: string) => isFreeOf(said, sentence) && (isOurs(sentence) || !isForeign(sentence));
  const isOwn = (sentence: string) => isFree(sentence) && !said.hasQuote(sentence);
  const isShown = (isOfEdits: boolean) => (sentence: string) =>
    isOurs(sentence) || said.isBorneOut([sentence], isOfEdits);
  return {
    ...distilled,
    summary: summary && cleanSummary(summary, { said, isFree, isOwn, isShown }),
    title: keep(title, (sentence) => isOwn(sentence) && isShown(false)(sentence)),
    subtitle: keep(subtitle, (sentence) => isOwn(sentence) && isShown(false)(sentence)),
  };
}

const isFreeOf = ({ hasOrder, isBorrowed, isSteering }: SaidOutside, sentence: string) =>
  !hasOrder(sentence) && !isBorrowed(sentence) && !isSteering(sentence);

/** Whether a sentence has most of its words from one text of them. */
function createRepetition(drafts: ObservationDraft[]): (sentence: string) => boolean {
  const pieces = drafts.flatMap(piecesOf).map(contentWords);
  return (sentence) => {
    const words = [...contentWords(sentence)];
    return pieces.some((piece) => words.filter((word) => piece.has(word)).length >= Math.max(2, words.length * SAME));
  };
}

const SAME = 0.7;

type Kept = { said: SaidOutside; isFree: IsKept; isOwn: IsKept; isShown: (isOfEdits: boolean) => IsKept };

/** The request is the user's. What was looked up is a deed, whatever its name. */
function cleanSummary(summary: SummaryDraft, { said, isFree, isOwn, isShown }: Kept): SummaryDraft {
  // Work may follow a manual word for word, but not bring its commands along.
  const isWork = summary.filesEdited.length > 0;
  const isDone = (sentence: string) => (isWork ? isFree : isOwn)(sentence) && isShown(isWork)(sentence);
  const isLearned = (sentence: string) => isOwn(sentence) && isShown(false)(sentence);
  return {
    ...summary,
    investigated: keep(summary.investigated, (sentence) => !said.isSteering(sentence)),
    learned: keep(summary.learned, isLearned),
    completed: keep(summary.completed, isDone),
    // What is left to do after work is of that work.
    nextSteps: keep(summary.nextSteps, isWork ? isOwn : isLearned),
    notes: keep(summary.notes, isLearned),
  };
}

const keep = (text: string | null, isKept: IsKept) => (text === null ? null : keepSentences(text, isKept));
