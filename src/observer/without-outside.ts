// A summary and the names of a session have no trust that could hold them back, and work is told for its own sake: none of them says what was only read outside.
import type { Batch, Distilled } from '../core/batch.ts';
import type { ObservationDraft } from '../core/observation.ts';
import { keepSentences } from '../core/sentences.ts';
import type { SummaryDraft } from '../core/summary.ts';
import { INJECTED_TRUST } from '../core/trust.ts';
import { contentWords } from './content-words.ts';
import { isShownByWork, isWhollyOutside, isWork, piecesOf, trustOf } from './rests-on.ts';
import { type Hearing, hearingOf, readSaidOutside, type SaidOutside } from './said-outside.ts';

type IsKept = (sentence: string) => boolean;

/** The observations still say it, with little trust; those of work, and of what the user said, tell nothing else. */
export function withoutOutside(distilled: Distilled, batch: Batch): Distilled {
  const hearing = hearingOf(batch);
  const said = readSaidOutside(hearing);
  if (!said) return distilled;
  const { summary, title, subtitle } = distilled;
  const observations = distilled.observations.map((draft) => cleanDraft(draft, hearing, said));
  const isForeign = createRepetition(observations.filter((one) => isWhollyOutside(one, hearing, said)));
  const isOurs = createRepetition(observations.filter((one) => trustOf(one, hearing) >= INJECTED_TRUST));
  const isFree = (sentence: string) => isFreeOf(said, sentence) && (isOurs(sentence) || !isForeign(sentence));
  const isOwn = (sentence: string) => isFree(sentence) && !said.hasQuote(sentence);
  const isShown = (isOfEdits: boolean) => (sentence: string) =>
    isOurs(sentence) || said.isBorneOut([sentence], isOfEdits);
  return {
    ...distilled,
    observations,
    summary: summary && cleanSummary(summary, { said, isFree, isOwn, isShown }),
    title: keep(title, (sentence) => isOwn(sentence) && isShown(false)(sentence)),
    subtitle: keep(subtitle, (sentence) => isOwn(sentence) && isShown(false)(sentence)),
  };
}

/** The work, or what the user asked for, is true whatever the agent says beside it: of that only what is borne out, sentence by sentence. */
function cleanDraft(draft: ObservationDraft, hearing: Hearing, said: SaidOutside): ObservationDraft {
  if (!isWork(draft) && draft.origin !== 'user') return draft;
  const isKept = (sentence: string) => isFreeOf(said, sentence) && said.isBorneOut([sentence], isWork(draft));
  const subtitle = keep(draft.subtitle, isKept);
  const shown = draft.facts.filter((fact) => isShownByWork(fact, hearing));
  const isNamed = draft.title !== null && isKept(draft.title);
  return {
    ...draft,
    // What nothing here bears out does not name the work either.
    title: isNamed ? draft.title : (subtitle ?? shown[0]?.text ?? draft.title),
    subtitle: isNamed ? subtitle : null,
    narrative: keep(draft.narrative, isKept),
    facts: draft.facts.filter((fact) => shown.includes(fact) || keepSentences(fact.text, isKept) === fact.text),
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
  const isEdited = summary.filesEdited.length > 0;
  const isDone = (sentence: string) => (isEdited ? isFree : isOwn)(sentence) && isShown(isEdited)(sentence);
  const isLearned = (sentence: string) => isOwn(sentence) && isShown(false)(sentence);
  return {
    ...summary,
    investigated: keep(summary.investigated, (sentence) => !said.isSteering(sentence)),
    learned: keep(summary.learned, isLearned),
    completed: keep(summary.completed, isDone),
    nextSteps: keep(summary.nextSteps, isLearned),
    notes: keep(summary.notes, isLearned),
  };
}

const keep = (text: string | null, isKept: IsKept) => (text === null ? null : keepSentences(text, isKept));
