// A summary and the names of a session have no trust that could hold them back: they do not say what was only read outside.
import type { Batch, Distilled } from '../core/batch.ts';
import type { SummaryDraft } from '../core/summary.ts';
import { keepSentences } from './model/believe/borne-out.ts';
import { readSaidOutside, type SaidOutside } from './said-outside.ts';

/** The observations say it, with little trust. */
export function withoutOutside(distilled: Distilled, { events, earlier, session }: Batch): Distilled {
  const asked = session.firstPrompt === null ? [] : [session.firstPrompt];
  const said = readSaidOutside({ events, earlier, asked });
  if (!said) return distilled;
  const { summary, title, subtitle } = distilled;
  const isName = (sentence: string) => isOwn(sentence, said);
  return {
    ...distilled,
    summary: summary && cleanSummary(summary, said),
    title: keep(title, isName),
    subtitle: keep(subtitle, isName),
  };
}

/** The request is the user's. What was looked up is a deed, whatever its name. */
function cleanSummary(summary: SummaryDraft, said: SaidOutside): SummaryDraft {
  const own = (sentence: string) => isOwn(sentence, said);
  // Work may follow a manual word for word, but not bring its commands along.
  const isWork = summary.filesEdited.length > 0;
  const done = (sentence: string) => (isWork ? isFree(sentence, said) : own(sentence));
  return {
    ...summary,
    investigated: keep(summary.investigated, (sentence) => !said.isSteering(sentence)),
    learned: keep(summary.learned, own),
    completed: keep(summary.completed, done),
    nextSteps: keep(summary.nextSteps, own),
    notes: keep(summary.notes, own),
  };
}

const isFree = (sentence: string, { hasOrder, isBorrowed, isSteering }: SaidOutside) =>
  !hasOrder(sentence) && !isBorrowed(sentence) && !isSteering(sentence);

const isOwn = (sentence: string, said: SaidOutside) => isFree(sentence, said) && !said.hasQuote(sentence);

const keep = (text: string | null, isKept: (sentence: string) => boolean) =>
  text === null ? null : keepSentences(text, isKept);
