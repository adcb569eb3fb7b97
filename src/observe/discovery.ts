// Discoveries: a question that was answered without an edit (the answer's headline and its facts; the whole answer is in the record), and what did not help.

import { isUntrustedAt } from '../turns/untrusted.ts';
import { type Draft, gatherFacts, makeDraft, type Statement } from './draft.ts';
import { countWords, isSpecific } from './sentences.ts';
import { makeTitle, standsAlone, subjectOfFile } from './title.ts';
import {
  closingStatements,
  isLeft,
  netEdits,
  type ObservedTurn,
  promptStatements,
  sectionsOf,
  statementsAt,
  type TurnInPlace,
} from './turn.ts';
import { uses } from './words.ts';

/** `told`: what other memories of the turn say already. */
export function observeDiscovery({ turn }: TurnInPlace, told: Draft[]): Draft[] {
  const { steps, closing } = turn.record;
  if (isUntrustedAt(steps, steps.length)) return [];
  const sections = sectionsOf(closing).filter(({ heading }) => heading === null || !isLeft(heading));
  const found = sections.length > 1 ? sections : [{ heading: null, text: closing }];
  const answers = found
    .flatMap(({ heading, text }) => answerOf(turn, heading, text))
    .filter((draft) => !isTold(draft, told));
  if (answers.length > 0 || told.length > 0) return answers.slice(0, MOST);
  return foundOnTheWay(turn);
}

/** A long answer has parts; more than a few of them nobody wants. */
const MOST = 4;

function answerOf(turn: ObservedTurn, heading: string | null, text: string): Draft[] {
  const { steps } = turn.record;
  const looked = steps.some((step) => ['read', 'ran', 'searched', 'agent'].includes(step.kind));
  const said = closingStatements({ steps, closing: text });
  const weight = said.reduce((sum, one) => sum + countWords(one.text), 0);
  if (weight < (looked ? 8 : 18)) return [];
  const best = said.find((one) => isSpecific(one.text) && standsAlone(one.text)) ?? said[0];
  return best ? discovery(turn, best.text, heading, said) : [];
}

/** Without a telling end: what it said while it looked, the latest last. */
function foundOnTheWay(turn: ObservedTurn): Draft[] {
  const { steps } = turn.record;
  const said = steps
    .flatMap((_, at) => statementsAt(steps, at))
    .filter(({ text }) => isSpecific(text))
    .slice(-4);
  const best = said.findLast(({ text }) => standsAlone(text));
  return best && netEdits(turn.record).length === 0 ? discovery(turn, best.text, null, said) : [];
}

function discovery(turn: ObservedTurn, best: string, heading: string | null, found: Statement[]): Draft[] {
  const asked = promptStatements(turn.prompt)[0] ?? turn.prompt.split('\n')[0] ?? '';
  const title = makeTitle(best, heading ?? (countWords(asked) >= 3 ? asked.slice(0, 60) : null));
  if (title === null) return [];
  const { steps } = turn.record;
  const filesRead = [...new Set(steps.flatMap((step) => (step.kind === 'read' ? [step.file] : [])))].slice(0, 10);
  const rests = [...new Set(found.map(({ at }) => at))];
  return [makeDraft({ type: 'discovery', title, facts: gatherFacts(found), filesRead, steps: rests })];
}

/** Most of its facts stand in what was made of the turn already. */
function isTold(draft: Draft, told: Draft[]): boolean {
  const known = told.flatMap(({ title, facts }) => [title, ...facts.map(({ text }) => text)]);
  const again = draft.facts.filter(({ text }) => known.some((other) => other.includes(text)));
  return again.length > draft.facts.length / 2;
}

const MOST_ATTEMPTS = 2;

/** What was said to have been tried without help: nobody has to try it again. */
export function observeAttempts({ turn: { record } }: TurnInPlace): Draft[] {
  const said = [...record.steps.flatMap((_, at) => statementsAt(record.steps, at)), ...closingStatements(record)];
  const filesRead = [...new Set(netEdits(record).map(({ file }) => file))].slice(0, 10);
  return said
    .filter(({ text }) => uses(text, 'dead'))
    .slice(-MOST_ATTEMPTS)
    .flatMap((one) => {
      const title = makeTitle(one.text, filesRead[0] ? subjectOfFile(filesRead[0]) : null);
      const facts = gatherFacts([one]);
      if (title === null) return [];
      return [makeDraft({ type: 'discovery', title, facts, filesRead, outcome: 'ruled-out', steps: [one.at] })];
    });
}
