// Discoveries: a question that was answered without an edit (the answer's headline and its facts; the whole answer is
// in the record), and what did not help.
import { isUntrustedAt } from '../turns/record.ts';
import { type Draft, makeDraft, type Statement } from './draft.ts';
import { countWords, isQuestion, isSpecific, sentencesOf } from './sentences.ts';
import { makeTitle, standsAlone } from './title.ts';
import {
  asksToKnow,
  closingStatements,
  isLeft,
  netEdits,
  type ObservedTurn,
  sectionsOf,
  spokenStatements,
  subjectOf,
  triedInVain,
  wasInterrupted,
} from './turn.ts';
import { uses } from './words.ts';
import { outcomeOf } from './work.ts';

const MOST_FILES = 10;

/** `told`: what other memories of the turn say already. */
export function observeDiscovery(turn: ObservedTurn, told: Draft[]): Draft[] {
  const { steps } = turn.record;
  if (isUntrustedAt(steps, steps.length) || !isAnswer(turn, told)) return [];
  // What is said of work that is still red is a guess, whatever its words.
  if (!sentencesOf(turn.prompt).some(isQuestion) && outcomeOf(turn.record) === 'failed') return [];
  const answer = answerOf(turn, told).filter((draft) => !isTold(draft, told));
  return answer.length > 0 || told.length > 0 ? answer : foundOnTheWay(turn);
}

/** What was done tells itself: beside it only a question has an answer, and not a request in the form of one. */
const isAnswer = ({ prompt }: ObservedTurn, told: Draft[]): boolean =>
  asksToKnow(prompt) || !told.some(({ type }) => type !== 'decision' && type !== 'discovery');

/** One for the whole answer: its headline and what no decision says already, or it would stay when that is forgotten. */
function answerOf(turn: ObservedTurn, told: Draft[]): Draft[] {
  const { steps, closing } = turn.record;
  const sections = sectionsOf(closing).filter(({ heading }) => heading === null || !isLeft(heading));
  const text = sections.map((section) => section.text).join('\n');
  const decided = told.flatMap(({ type, facts }) => (type === 'decision' ? facts.map((fact) => fact.text) : []));
  // What was committed tells itself, with the work.
  const committed = steps.flatMap((step) => (step.kind === 'committed' ? [step.hash.slice(0, 7), step.message] : []));
  const isNew = (one: Statement) => !decided.includes(one.text) && !committed.some((part) => one.text.includes(part));
  const said = closingStatements({ steps, closing: text }).filter(isNew);
  const isLooked = steps.some(({ kind }) => ['read', 'ran', 'searched', 'agent'].includes(kind));
  const weight = said.reduce((sum, one) => sum + countWords(one.text), 0);
  const least = !isLooked ? 18 : asksToKnow(turn.prompt) ? 5 : 9;
  if (weight < least) return [];
  return discovery(turn, said.find((one) => standsAlone(one.text)) ?? said[0], sections[0]?.heading ?? null, said);
}

const MOST_SAID = 4;

/** Without a telling end: what it said while it looked, the latest last. What the user stopped was announced, and did not come of it. */
function foundOnTheWay(turn: ObservedTurn): Draft[] {
  if (netEdits(turn.record).length > 0 || wasInterrupted(turn.record)) return [];
  const said = spokenStatements(turn.record)
    .filter(({ text }) => isSpecific(text))
    .slice(-MOST_SAID);
  const best = said.findLast(({ text }) => standsAlone(text));
  return discovery(turn, best, null, said);
}

function discovery({ prompt, record }: ObservedTurn, best: Statement | undefined, heading: string | null, facts: Statement[]): Draft[] {
  const asked = sentencesOf(prompt).findLast(isQuestion);
  const title = best
    ? (makeTitle(best.text, heading) ?? (asked ? makeTitle(`${asked.replace(/[?？]$/, '')} → ${best.text}`, null) : null))
    : null;
  const read = record.steps.flatMap((step) => (step.kind === 'read' ? [step.file] : []));
  const filesRead = [...new Set(read)].slice(0, MOST_FILES);
  return makeDraft({ type: 'discovery', title, facts, filesRead, steps: facts.map(({ at }) => at) });
}

/** Most of its facts stand in what was made of the turn already. */
function isTold(draft: Draft, told: Draft[]): boolean {
  const known = told.flatMap(({ title, facts }) => [title, ...facts.map(({ text }) => text)]);
  const again = draft.facts.filter(({ text }) => known.some((other) => other.includes(text)));
  return again.length > draft.facts.length / 2;
}

const MOST_ATTEMPTS = 2;

/** What was tried without help, by what was said of it or by what failed again: nobody has to try it again. */
export function observeAttempts({ record }: ObservedTurn): Draft[] {
  const said = [...spokenStatements(record), ...closingStatements(record)];
  const edits = netEdits(record);
  const filesRead = edits.map(({ file }) => file).slice(0, MOST_FILES);
  return [...triedInVain(record), ...said.filter(({ text }) => uses(text, 'dead'))].slice(-MOST_ATTEMPTS).flatMap((one) => {
    const title = makeTitle(one.text, subjectOf(edits));
    return makeDraft({ type: 'discovery', title, facts: [one], filesRead, outcome: 'ruled-out', steps: [one.at] });
  });
}
