// The summary of a turn: the words of the model where they are borne out, else those of the rules.
import type { SummaryDraft } from '../../core/summary.ts';
import { contentWords } from '../../observer/content-words.ts';
import type { ParsedSummary } from '../parsed-answer.ts';
import type { BorneOut } from './borne-out.ts';
import type { IsEcho } from './echo.ts';

/** Told to the next session as they are: a summary has no trust of its own that could hold them back. */
const FIELDS = ['request', 'investigated', 'learned', 'completed', 'nextSteps', 'notes'] as const;
type Field = (typeof FIELDS)[number];

/** The files and the time are what our events say. */
export type SummaryGrounds = Pick<SummaryDraft, 'filesRead' | 'filesEdited' | 'at'> & {
  /** That of the rules; null when none was asked for. */
  local: SummaryDraft | null;
  borneOut: BorneOut;
  isEcho: IsEcho;
  /** Words of what was asked, said and done in the turn. */
  wordsOfTurn: () => Set<string>;
};

export function believeSummary(
  said: ParsedSummary | null,
  { local, borneOut, isEcho, wordsOfTurn, ...ours }: SummaryGrounds,
): SummaryDraft | null {
  // The agent's closing message, which the rules tell of, may repeat what was read outside.
  const fromRules = (field: Field) => keep(local?.[field] ?? null, borneOut.keepOwn);
  const texts = FIELDS.map((field) => said?.[field] ?? null).filter((text) => text !== null);
  if (!said || texts.length === 0 || texts.some(isEcho)) return local && { ...local, ...chooseTexts(fromRules) };
  const choose = (field: Field) => {
    const isLeftOut = said[field] === null && field !== 'request';
    if (isLeftOut) return null;
    if (field === 'nextSteps') return keepSteps(keep(said[field], borneOut.keepBorneOut), wordsOfTurn, fromRules);
    return keep(said[field], borneOut.keepBorneOut) ?? fromRules(field);
  };
  return { ...ours, ...chooseTexts(choose) };
}

/**
 * A step is about the turn: an item of a list shares a word with it, a sentence some, or it names something exactly. "Nothing is open" does
 * none of this, in any language.
 */
function keepSteps(
  text: string | null,
  wordsOfTurn: SummaryGrounds['wordsOfTurn'],
  fromRules: (field: Field) => string | null,
): string | null {
  if (text === null) return fromRules('nextSteps');
  const known = wordsOfTurn();
  const steps = text.split('\n').filter((line) => {
    const shared = [...contentWords(line)].filter((word) => known.has(word)).length;
    return shared >= (ITEM.test(line) || NAMES.test(line) ? 1 : SENTENCE_SHARES);
  });
  return steps.map((line) => line.replace(ITEM, '')).join('\n') || null;
}

const SENTENCE_SHARES = 3;
const ITEM = /^\s*(?:[-*•]|\d{1,2}[.)])\s+/;
const NAMES = /\d|`|[a-z][A-Z]|\w[._/]\w/;

const keep = (text: string | null, keepPart: (text: string) => string | null) =>
  text === null ? null : keepPart(text);

const chooseTexts = (choose: (field: Field) => string | null): Pick<SummaryDraft, Field> => ({
  request: choose('request'),
  investigated: choose('investigated'),
  learned: choose('learned'),
  completed: choose('completed'),
  nextSteps: choose('nextSteps'),
  notes: choose('notes'),
});
