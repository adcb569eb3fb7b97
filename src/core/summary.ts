// A summary: what one turn of a session was about, in eight fields, and what it is called where it stands as one line.
import { COMMON_WORDS } from './same-words.ts';
import type { Line } from './shapes/export.ts';

export type SummaryWords = Pick<Line<'summary'>, 'request' | 'investigated' | 'learned' | 'completed' | 'nextSteps' | 'notes'>;

/** `at`: epoch ms of the event that ended the turn. */
export type SummaryDraft = SummaryWords & Pick<Line<'summary'>, 'filesRead' | 'filesEdited'> & { at: number };

/** A summary without any words is no memory, whoever brings it. */
export const saysSomething = ({ request, investigated, learned, completed, nextSteps, notes }: SummaryWords) =>
  [request, investigated, learned, completed, nextSteps, notes].some((text) => text?.trim());

/** What was asked is kept as a prompt: of a turn, a summary has to say what came of it. */
export const tellsMore = (summary: SummaryDraft) =>
  saysSomething({ ...summary, request: null }) || (saysSomething(summary) && summary.filesRead.length + summary.filesEdited.length > 0);

/** Null when it has no words at all. */
export function titleSummary({ request, completed, learned, investigated, nextSteps, notes }: SummaryWords): string | null {
  const asked = request?.trim() ?? '';
  if (countTelling(asked) >= TELLING_NEEDED) return asked;
  const came = [completed, learned].map(firstLine).find((text) => countTelling(text) > countTelling(asked));
  if (came || asked) return came ?? asked;
  return [completed, learned, investigated, nextSteps, notes].map(firstLine).find((text) => text !== '') ?? null;
}

/** "commit!" and "are you able to try it" name nothing. */
const TELLING_NEEDED = 3;

function countTelling(text: string): number {
  const words =
    text
      .slice(0, 2000)
      .toLowerCase()
      .match(/[\p{L}\p{N}_]+(?:[.'-][\p{L}\p{N}_]+)*/gu) ?? [];
  const telling = new Set(words.filter((word) => word.length > 2 && !COMMON_WORDS.has(word)));
  // Scripts without spaces: a character says about as much as half a word.
  const unspaced = text.match(/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]/gu)?.length ?? 0;
  return telling.size + Math.floor(unspaced / 2);
}

/** Of a list its first item. */
const firstLine = (text: string | null): string =>
  (text ?? '')
    .split('\n')
    .map((line) => line.replace(/^\s*(?:[-*•]|\d+[.)])\s+/, '').trim())
    .find((line) => line !== '') ?? '';
