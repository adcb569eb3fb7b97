// Decisions: an answered question, a plan approved or refused, and what the user laid down in a prompt that the turn then followed.
import { PLAN_APPROVED } from '../core/observation.ts';
import type { Step } from '../turns/record.ts';
import { valueChanges } from './changes.ts';
import { at, type Draft, gatherFacts, makeDraft, PROMPT, type Statement } from './draft.ts';
import { findRules, isCarriedOut } from './rules.ts';
import { contentWords, countWords, sentencesOf } from './sentences.ts';
import { makeTitle, subjectOfFile } from './title.ts';
import {
  closingStatements,
  netEdits,
  type ObservedTurn,
  promptStatements,
  reasonsFor,
  sectionsOf,
  type TurnInPlace,
} from './turn.ts';
import { begins, countUses, uses } from './words.ts';

export function observeDecisions(place: TurnInPlace): Draft[] {
  return [...answered(place), ...plans(place), ...laidDown(place), ...chosenByAgent(place)];
}

/** The answer is the decision, the other options are rejected. */
function answered({ turn }: TurnInPlace): Draft[] {
  const edits = netEdits(turn.record);
  const filesModified = edits.map(({ file }) => file);
  return turn.record.steps.flatMap((step, number) => {
    if (step.kind !== 'asked' || step.answer.trim() === '') return [];
    const rejected = step.options.filter((option) => !step.answer.includes(option) && option !== step.answer);
    const title = makeTitle(`${step.question.replace(/[?？]\s*$/, '')} → ${step.answer}`, null);
    if (title === null) return [];
    const facts = gatherFacts(
      [`${step.question} The user chose: ${step.answer}`].map(at(number)),
      rejected.map((option) => `Rejected: ${option}`).map(at(number)),
    );
    return [draft({ title, facts, filesModified, steps: [number, ...edits.map((edit) => edit.at)] })];
  });
}

function plans({ turn }: TurnInPlace): Draft[] {
  return turn.record.steps.flatMap((step, number) => {
    if (step.kind === 'planned' && step.isApproved) return approvedPlan(step, number);
    return step.kind === 'planned' || step.kind === 'refused' ? refusedPlan(turn.record.steps, step, number) : [];
  });
}

/** Its words are the agent's, the approval is the user's. */
function approvedPlan(step: Extract<Step, { kind: 'planned' }>, number: number): Draft[] {
  const points = sentencesOf(step.text).filter((one) => countWords(one) >= 4);
  const title = makeTitle(headingOf(step.text) ?? points[0] ?? '', null);
  if (title === null) return [];
  return [
    draft({
      title: `${PLAN_APPROVED} ${title}`,
      facts: gatherFacts(points.slice(0, 8).map(at(number))),
      steps: [number],
    }),
  ];
}

/** What the user said instead of approving is worth more than the plan. */
function refusedPlan(steps: Step[], step: Extract<Step, { kind: 'planned' | 'refused' }>, number: number): Draft[] {
  if (step.feedback === '') return [];
  const title = makeTitle(step.feedback, step.kind === 'planned' ? headingOf(step.text) : step.tool);
  if (title === null) return [];
  const next = steps.findIndex((one, later) => later > number && one.kind === 'said');
  const answer = steps[next];
  const said = answer?.kind === 'said' && answer.text.length < 300 ? [{ text: answer.text, at: next }] : [];
  return [draft({ title, facts: gatherFacts([{ text: step.feedback, at: number }], said), steps: [number] })];
}

const headingOf = (plan: string) => /^#{1,6}\s+(.{3,60})$/m.exec(plan)?.[1] ?? null;

/** Sentences of the prompt that choose: one thing rather than another, a value, a rule. Only what the agent then took up. */
function laidDown({ turn, before }: TurnInPlace): Draft[] {
  const edits = netEdits(turn.record);
  const sentences = promptStatements(turn.prompt);
  const forGood = findRules(turn.prompt, sentences).certain;
  const rules = forGood.filter((one) => !isCarriedOut(one, edits));
  const echo = echoOf(turn, before.at(-1)?.record.closing ?? '');
  const chosen = sentences.filter((one) => !rules.includes(one) && (forGood.includes(one) || decides(one, echo)));
  const subject = edits[0] ? subjectOfFile(edits[0].file) : null;
  const asked = sentences.map(at(PROMPT));
  const asRule = rules.map((rule) =>
    draft({
      title: makeTitle(rule, null) ?? withoutEnd(rule),
      facts: gatherFacts([{ text: rule, at: PROMPT }], asked),
      isRule: true,
      steps: [PROMPT],
    }),
  );
  const title = chosen.length === 0 ? null : makeTitle(chosen.map(withoutEnd).join('; '), subject);
  if (title === null) return asRule;
  const changes = valueChanges(edits).flatMap(({ before, text, at }): Statement[] =>
    before === null ? [] : [{ text, at }],
  );
  const facts = gatherFacts(
    chosen.map(at(PROMPT)),
    changes,
    reasonsFor(turn.record, edits).slice(0, 3),
    closingStatements(turn.record).slice(0, 3),
    asked.slice(0, 8),
  );
  const filesModified = edits.map(({ file }) => file);
  return [...asRule, draft({ title, facts, filesModified, steps: [PROMPT, ...edits.map((edit) => edit.at)] })];
}

/** One thing rather than another, with the reason, or what stands under a heading for decisions: each is told by itself. */
function chosenByAgent({ turn: { record } }: TurnInPlace): Draft[] {
  const edits = netEdits(record);
  const filesModified = edits.map(({ file }) => file);
  const headed = new Set(
    sectionsOf(record.closing).flatMap(({ heading, text }) =>
      heading !== null && uses(heading, 'decided') ? sentencesOf(text) : [],
    ),
  );
  return closingStatements(record)
    .filter(({ text }) => headed.has(text) || (uses(text, 'contrast') && uses(text, 'because')))
    .filter(({ text }) => !uses(text, 'dead'))
    .slice(0, MOST_CHOICES)
    .flatMap((said) => {
      const title = makeTitle(said.text, edits[0] ? subjectOfFile(edits[0].file) : null);
      // The edits carry it out: it rests on them, too, and they go with it when it is forgotten.
      const steps = [said.at, ...edits.map((edit) => edit.at)];
      return title === null ? [] : [draft({ title, facts: [said], filesModified, by: 'agent', steps })];
    });
}

const MOST_CHOICES = 4;

const withoutEnd = (text: string) => text.replace(/[.。!！;；,，\s]+$/u, '');

/** What the agent said and did after the prompt, in which a decision that it took up comes back; and what it had proposed before. */
function echoOf({ prompt, record: { steps, closing } }: ObservedTurn, proposed: string): string {
  const texts = steps.flatMap((step) => {
    if (step.kind === 'said') return [step.text];
    if (step.kind === 'ran') return [step.command];
    if (step.kind === 'edited') return [step.file, step.diff.replace(/^-.*$/gm, '')];
    return step.kind === 'committed' ? [step.message] : [];
  });
  // To whom only "Noted." is answered, all of it was taken up.
  const isNoted = texts.length === 0 && countWords(closing) < 6;
  return [proposed, ...texts, closing, isNoted ? prompt : ''].join('\n').toLowerCase();
}

/** A value that the agent then used; or a word of choice in a sentence whose words come back in what the agent made of it. One thing and not another is enough. */
function decides(sentence: string, echo: string): boolean {
  if (isReport(sentence)) return false;
  if (countUses(sentence, 'choose') >= 2) return true;
  const values = sentence.match(/\d[\d.,:]*\d|\d/g) ?? [];
  if (values.some((value) => hasWord(echo, value))) return true;
  return uses(sentence, 'choose') && isEchoed(sentence, echo);
}

/** It tells how things are, and asks for nothing: a complaint, a result. */
const isReport = (sentence: string) =>
  uses(sentence, 'fail') || (begins(sentence, 'confirm') && countWords(sentence) < 8);

const hasWord = (text: string, word: string) =>
  new RegExp(`(?<![\\p{L}\\p{N}])${word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\p{N}])`, 'u').test(text);

/** Every fourth of its telling words, at least one. */
function isEchoed(sentence: string, echo: string): boolean {
  const words = [...new Set(contentWords(sentence))];
  const back = words.filter((word) => echo.includes(word));
  return back.length > 0 && back.length >= words.length / 4;
}

const draft = (said: Pick<Draft, 'title' | 'facts' | 'steps'> & Partial<Draft>): Draft =>
  makeDraft({ type: 'decision', by: 'user', ...said });
