// Discoveries: a question that was answered without an edit (the answer's headline and its facts; the whole answer is
// in the record), and what did not help.
import { isUntrustedAt } from '../turns/record.ts';
import { type Draft, makeDraft, type Statement } from './draft.ts';
import { countWords, isSpecific } from './sentences.ts';
import { makeTitle, standsAlone } from './title.ts';
import {
  closingStatements,
  isLeft,
  netEdits,
  type ObservedTurn,
  promptStatements,
  sectionsOf,
  spokenStatements,
  subjectOf,
  triedInVain,
} from './turn.ts';
import { uses } from './words.ts';

/** A long answer has parts; more than a few of them nobody wants. */
const MOST = 4;
const MOST_FILES = 10;

/** `told`: what other memories of the turn say already. */
export function observeDiscovery(turn: ObservedTurn, told: Draft[]): Draft[] {
  const { steps, closing } = turn.record;
  if (isUntrustedAt(steps, steps.length)) return [];
  const sections = sectionsOf(closing).filter(({ heading }) => heading === null || !isLeft(heading));
  const found = sections.length > 1 ? sections : [{ heading: null, text: closing }];
  const answers = found.flatMap(({ heading, text }) => answerOf(turn, heading, text)).filter((draft) => !isTold(draft, told));
  return answers.length > 0 || told.length > 0 ? answers.slice(0, MOST) : foundOnTheWay(turn);
}

function answerOf(turn: ObservedTurn, heading: string | null, text: string): Draft[] {
  const { steps } = turn.record;
  const looked = steps.some((step) => ['read', 'ran', 'searched', 'agent'].includes(step.kind));
  const said = closingStatements({ steps, closing: text });
  const weight = said.reduce((sum, one) => sum + countWords(one.text), 0);
  if (weight < (looked ? 8 : 18)) return [];
  return discovery(turn, said.find((one) => isSpecific(one.text) && standsAlone(one.text)) ?? said[0], heading, said);
}

/** Without a telling end: what it said while it looked, the latest last. */
function foundOnTheWay(turn: ObservedTurn): Draft[] {
  if (netEdits(turn.record).length > 0) return [];
  const said = spokenStatements(turn.record)
    .filter(({ text }) => isSpecific(text))
    .slice(-MOST);
  const best = said.findLast(({ text }) => standsAlone(text));
  return discovery(turn, best, null, said);
}

function discovery({ prompt, record }: ObservedTurn, best: Statement | undefined, heading: string | null, facts: Statement[]): Draft[] {
  const asked = promptStatements(prompt)[0] ?? prompt.split('\n')[0] ?? '';
  const title = best ? makeTitle(best.text, heading ?? (countWords(asked) >= 3 ? asked.slice(0, 60) : null)) : null;
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
