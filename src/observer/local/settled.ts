// What a conversation has come to: the agent says back what the user decided, and nothing else would keep these words.
import type { ObservationDraft } from '../../core/observation.ts';
import { conceptsFor } from './concepts.ts';
import { fact, makeDraft } from './draft.ts';
import { sharedWords } from './text/tokens.ts';
import { type Line, newSteps, type Turn } from './turn.ts';
import { isQuestion } from './words/finding.ts';
import { proseOf } from './words/repeats.ts';
import {
  acknowledges,
  announcesResult,
  isStatement,
  resultWeight,
  statesRule,
  titleWeight,
  withoutLabel,
} from './words/settled.ts';

const SENTENCES = 6;
/** A longer sentence would be cut as a fact: the narrative has it whole. */
const FACT_LENGTH = 320;

/** At most one of a turn. Where tools were used, what was done tells more than what was said of it. */
export function observeSettled(turn: Turn): ObservationDraft[] {
  if (!turn.closing || newSteps(turn).length > 0) return [];
  const lines = turn.closing.statements;
  const whole = announced(lines);
  const settled = whole.length > 0 ? whole : saidBack(turn, lines);
  const main = settled.reduce<Line | null>(
    (best, line) => (best && titleWeight(best) >= titleWeight(line) ? best : line),
    null,
  );
  return main ? [settledDraft(main, settled.slice(0, SENTENCES))] : [];
}

/** The sentence that announces it, and what follows in its paragraph. Of two such paragraphs the last is the last word. */
function announced(lines: Line[]): Line[] {
  const opening = lines.findLast(({ text }) => announcesResult(text));
  if (!opening) return [];
  const block = lines.filter(({ block }) => block === opening.block);
  const first = block.findIndex(({ text }) => announcesResult(text));
  return block.slice(first).filter((line, at) => at === 0 || isStatement(line));
}

/** What the user laid down, in the words of the agent: of a question or a report of trouble nothing is laid down yet. */
function saidBack(turn: Turn, lines: Line[]): Line[] {
  const [first] = lines;
  if (!first || !acknowledges(first.text) || turn.prompts.length === 0) return [];
  if (turn.prompts.some(({ text }) => /\?\s*$/.test(text) || isQuestion(text))) return [];
  const asked = turn.prompts.map(({ text }) => text).join('\n');
  const isResult = (line: Line) => statesRule(line) && (resultWeight(line) > 0 || sharedWords(line.text, asked) >= 2);
  const goesOn = (line: Line, before: Line | undefined) =>
    statesRule(line) && before?.block === line.block && isResult(before);
  return lines.filter((line, at) => isResult(line) || goesOn(line, lines[at - 1]));
}

function settledDraft(main: Line, settled: Line[]): ObservationDraft {
  return makeDraft({
    type: 'decision',
    title: withoutLabel(main.text),
    subtitle: 'Settled in conversation',
    narrative: proseOf(settled),
    facts: settled
      .filter(({ text }) => text.length <= FACT_LENGTH && text !== main.text)
      .map((line) => fact(line.text, line.id)),
    concepts: conceptsFor('decision', [], 'agreement'),
    origin: 'agent',
    sources: [main.id],
    at: main.time,
  });
}
