// Decisions: an answered question, a plan approved or refused, and what the user laid down in a prompt that the turn then followed.
import { PLAN_APPROVED } from '../core/observation.ts';
import { repeats } from '../search/alike.ts';
import type { Step } from '../turns/record.ts';
import { valueChanges } from './changes.ts';
import { at, type Draft, makeDraft, PROMPT } from './draft.ts';
import { findRules, isCarriedOut } from './rules.ts';
import { contentWords, countWords, plainText, sentencesOf } from './sentences.ts';
import { makeTitle } from './title.ts';
import {
  closingStatements,
  type Edited,
  netEdits,
  type ObservedTurn,
  promptStatements,
  reasonsFor,
  sectionsOf,
  subjectOf,
} from './turn.ts';
import { begins, countUses, ends, uses, withoutLead } from './words.ts';

/** `before`: the turn that came right before it, if any. */
export function observeDecisions(turn: ObservedTurn, before: ObservedTurn | null): Draft[] {
  const edits = netEdits(turn.record);
  const atSteps = turn.record.steps.flatMap((step, number) => {
    if (step.kind === 'asked') return answered(step, number, edits);
    if (step.kind === 'planned' && step.isApproved) return approved(step, number, edits);
    return step.kind === 'planned' || step.kind === 'refused' ? refused(step, number, edits) : [];
  });
  const users = [...atSteps, ...laidDown(turn, before, edits)];
  return [...users, ...chosenByAgent(turn, edits).filter((one) => !users.some((other) => isSaidBack(one, other)))];
}

/** The agent repeats what the user laid down: it is told with that, among its facts. */
const isSaidBack = (one: Draft, users: Draft) => {
  const asked = users.facts.flatMap((fact) => (fact.at === PROMPT ? [fact.text] : []));
  return repeats([users.title, ...asked].join(' '), one.title);
};

type Said = Omit<Parameters<typeof makeDraft>[0], 'type'>;
const decision = (said: Said): Draft[] => makeDraft({ type: 'decision', by: 'user', ...said });

/** The edits carry it out: it rests on them, too, and they go with it when it is forgotten. */
const carriedOutBy = (edits: Edited[], first: number) => ({
  filesModified: edits.map(({ file }) => file),
  steps: [first, ...edits.map((edit) => edit.at)],
});

/** The answer is the decision, the other options are rejected. */
function answered({ question, options, answer }: Extract<Step, { kind: 'asked' }>, number: number, edits: Edited[]): Draft[] {
  if (answer.trim() === '') return [];
  const rejected = options.filter((option) => !answer.includes(option)).map((option) => `Rejected: ${option}`);
  return decision({
    title: makeTitle(`${question.replace(/[?？]\s*$/, '')} → ${answer}`, null, 'user'),
    facts: [`${question} The user chose: ${answer}`, ...rejected].map(at(number)),
    ...carriedOutBy(edits, number),
  });
}

/** Its words are the agent's, the approval is the user's. */
function approved({ text }: Extract<Step, { kind: 'planned' }>, number: number, edits: Edited[]): Draft[] {
  const points = sentencesOf(text).filter((one) => countWords(one) >= 4);
  const [title] = [headingOf(text), ...points].flatMap((one) => (one === null ? [] : (makeTitle(one, null) ?? [])));
  const facts = points.slice(0, 8).map(at(number));
  return decision({ title: title ? `${PLAN_APPROVED} ${title}` : null, facts, ...carriedOutBy(edits, number) });
}

/** What the user said instead of approving is worth more than the plan. */
function refused(step: Extract<Step, { kind: 'planned' | 'refused' }>, number: number, edits: Edited[]): Draft[] {
  const title = makeTitle(step.feedback, step.kind === 'planned' ? headingOf(step.text) : step.tool, 'user');
  return decision({ title, facts: [{ text: step.feedback, at: number }], ...carriedOutBy(edits, number) });
}

const headingOf = (plan: string) => /^#{1,6}\s+(.{3,60})$/m.exec(plan)?.[1] ?? null;

/** Sentences of the prompt that choose: one thing rather than another, a value, a rule. Only what the agent then took up. */
function laidDown(turn: ObservedTurn, before: ObservedTurn | null, edits: Edited[]): Draft[] {
  const sentences = promptStatements(turn.prompt);
  const forGood = findRules(turn.prompt, sentences);
  const rules = forGood.filter((one) => !isCarriedOut(one, edits));
  const echo = echoOf(turn, before?.record.closing ?? '');
  const chosen = sentences.filter((one) => !rules.includes(one) && (forGood.includes(one) || decides(one, echo)));
  const isBare = sentences.length === 0 && turn.prompt.length < SHORTEST;
  const picks = (isBare ? [turn.prompt] : sentences).flatMap((one) => pickedBy(one, before?.record.closing ?? ''));
  const asked = sentences.map(at(PROMPT));
  const asRule = rules.flatMap((rule) =>
    decision({
      title: makeTitle(rule, null, 'user') ?? withoutEnd(rule),
      facts: [{ text: rule, at: PROMPT }, ...asked],
      isRule: true,
      steps: [PROMPT],
    }),
  );
  const sentence = (text: string) => (withoutEnd(text) === text ? `${text};` : text);
  const title = makeTitle(picks.length > 0 ? picks.join('; ') : chosen.map(sentence).join(' '), subjectOf(edits), 'user');
  // Mostly nothing is laid down: what would be told with it is looked for only then.
  if (title === null) return asRule;
  const facts = [
    ...[...picks, ...chosen].map(at(PROMPT)),
    ...valueChanges(edits).filter(({ isChange }) => isChange),
    ...reasonsFor(turn.record, edits).slice(0, 3),
    ...closingStatements(turn.record).slice(0, 3),
    ...asked.slice(0, 8),
  ];
  return [...asRule, ...decision({ title, facts, ...carriedOutBy(edits, PROMPT) })];
}

/** "2 and 3 please": of the list that the agent ended with, these. A number that counts something picks nothing. */
function pickedBy(sentence: string, list: string): string[] {
  const items = new Map([...list.matchAll(/^\s*(\d{1,2})[.)]\s+(.+)$/gm)].map(([, number = '', text = '']) => [number, plainText(text)]));
  const numbers = [...sentence.matchAll(PICK)].map(([, number = '', next = '']) => (isBeside(next) ? items.get(number) : undefined));
  const isPick = numbers.length > 0 && contentWords(sentence).length <= MOST_BESIDE;
  const picked = numbers.filter((one) => one !== undefined);
  return isPick && picked.length === numbers.length ? [`${withoutEnd(sentence)} → ${picked.map(withoutEnd).join('; ')}`] : [];
}

const PICK = /(?<![\p{L}\d_.,:#/-])(\d{1,2})(?![\p{L}\d%:/_]|[.,]\d)(?:\s+(\p{L}+))?/gu;
const MOST_BESIDE = 4;
/** A prompt of a number alone is no sentence. */
const SHORTEST = 10;
const isBeside = (word: string) => contentWords(word).length === 0 || begins(word, 'lead');

const MOST_CHOICES = 4;

/** One thing rather than another, with the reason, or what stands under a heading for decisions: each is told by itself. */
function chosenByAgent({ record }: ObservedTurn, edits: Edited[]): Draft[] {
  const headed = new Set(
    sectionsOf(record.closing).flatMap(({ heading, text }) => (heading !== null && uses(heading, 'decided') ? sentencesOf(text) : [])),
  );
  return closingStatements(record)
    .filter(({ text }) => (headed.has(text) || (uses(text, 'contrast') && uses(text, 'because'))) && !uses(text, 'dead'))
    .slice(0, MOST_CHOICES)
    .flatMap((said) =>
      decision({ title: makeTitle(said.text, subjectOf(edits)), facts: [said], by: 'agent', ...carriedOutBy(edits, said.at) }),
    );
}

const withoutEnd = (text: string) => text.replace(/[.。!！;；,，\s]+$/u, '');

/** What the agent did after the prompt, in which a decision that it took up comes back, and what it had proposed: talk proves nothing. */
function echoOf({ prompt, record: { steps, closing } }: ObservedTurn, proposed: string): string {
  const texts = steps.flatMap((step) => {
    if (step.kind === 'ran') return [step.command];
    if (step.kind === 'edited') return [step.file, step.diff.replace(/^-.*$/gm, '')];
    return step.kind === 'committed' ? [step.message] : [];
  });
  // To whom only "Noted." is answered, all of it was taken up.
  const isNoted = texts.length === 0 && countWords(closing) < 6;
  return [proposed, ...texts, isNoted ? prompt : ''].join('\n').toLowerCase();
}

/**
 * A value that the agent then used; or a word of choice in a sentence of whose telling words every fourth comes back in what the agent
 * made of it. One thing and not another is enough; a single such word in what tells how things are is not.
 */
function decides(sentence: string, echo: string): boolean {
  if (isReport(sentence)) return false;
  const values = [...sentence.matchAll(VALUE)].filter(({ index }) => !ends(sentence.slice(0, index), 'numbered'));
  if (values.some(([value]) => hasWord(echo, value))) return true;
  const choices = countUses(sentence, 'choose');
  if (choices === 0 || uses(sentence, 'ask')) return false;
  const isTold = uses(sentence, 'report');
  if (choices > 1 && !isTold) return true;
  if ((isTold && choices === 1) || tellsOfSelf(sentence)) return false;
  const words = [...new Set(contentWords(sentence))];
  const back = words.filter((word) => echo.includes(word)).length;
  return back > 0 && back >= words.length / 4;
}

/** A number of its own: not one in a path, a branch, an address, a hash or the name of a ticket. */
const VALUE = /(?<![A-Za-z\d_#/@.-])(?:\d[\d.,:]*\d|\d)(?![\d/_]|[A-Za-z]+\d)/g;

/** It tells how things are, and asks for nothing: a complaint, a result. */
const isReport = (sentence: string) => uses(sentence, 'fail') || (begins(sentence, 'confirm') && countWords(sentence) < 8);

/** What somebody sees or does, not how they want it. */
const tellsOfSelf = (sentence: string) => begins(withoutLead(sentence), 'point') && !uses(sentence, 'taste');

const hasWord = (text: string, word: string) =>
  new RegExp(`(?<![\\p{L}\\p{N}])${word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\p{N}])`, 'u').test(text);
