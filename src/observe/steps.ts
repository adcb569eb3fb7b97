// Open steps: what is announced or listed and not done; and by what a later turn closes them.
import { isInjection } from '../core/instruction-like.ts';
import type { Step, TodoItem, TurnRecord } from '../turns/record.ts';
import { isUntrustedAt } from '../turns/untrusted.ts';
import { isRefused } from './replaces.ts';
import { contentWords, countWords, isQuestion, isSpecific, sentencesOf } from './sentences.ts';
import { pointsBack } from './title.ts';
import { isLeft, netEdits, type ObservedTurn, promptStatements } from './turn.ts';
import { begins, uses } from './words.ts';
import { outcomeOf } from './work.ts';

export type OpenStep = {
  text: string;
  from: 'todo' | 'closing' | 'user' | 'model';
  /** It waits for the user: a request without an answer ends with the next prompt, a proposal with one that does not take it up. */
  offer?: Offer;
};

export type Offer = 'unanswered' | 'proposal';

const MOST = 8;

/** What may be words from outside is none. */
export function findOpenSteps({ prompt, record }: ObservedTurn): OpenStep[] {
  const { steps } = record;
  const isOwnAt = (at: number) => !isUntrustedAt(steps, at);
  const listed = isOwnAt(steps.findLastIndex((step) => step.kind === 'todo')) ? lastTodo(record) : [];
  // What is in progress when the work of a turn ends well is done: only its tick was forgotten.
  const isEnded = record.closing !== '' && netEdits(record).length > 0;
  const todo = listed
    .filter(({ status }) => status === 'pending' || (status === 'in_progress' && !isEnded))
    .map(({ text }): OpenStep => ({ text, from: 'todo' }));
  const closing = isOwnAt(steps.length) ? announced(record.closing) : [];
  const user = [...promptStatements(prompt), ...steps.flatMap(answersOf)]
    .filter((sentence) => uses(sentence, 'later') && isAnnounced(sentence) && !uses(sentence, 'rule'))
    .flatMap(splitList)
    .map((text): OpenStep => ({ text, from: 'user' }));
  const found: OpenStep[] = [];
  for (const step of [...todo, ...closing, ...user, ...unanswered({ prompt, record })]) {
    const text = step.text.replace(/[.。]$/, '');
    if (isInjection(text) || found.some((other) => isSameStep(other.text, text))) continue;
    found.push({ ...step, text });
  }
  return found.slice(0, MOST);
}

const lastTodo = ({ steps }: TurnRecord): TodoItem[] => {
  const last = steps.findLast((step) => step.kind === 'todo');
  return last?.kind === 'todo' ? last.items : [];
};

/** What the user answered to a question, or said instead of allowing something. */
const answersOf = (step: Step): string[] => {
  if (step.kind === 'asked') return uses(step.answer, 'later') ? [`${step.question} ${step.answer}`] : [];
  return step.kind === 'planned' || step.kind === 'refused' ? sentencesOf(step.feedback) : [];
};

/** Under a heading for what is left, as a box without a tick, or in the last words of the message. */
function announced(closing: string): OpenStep[] {
  const sentences = sentencesOf(closing).filter((sentence) => !isQuestion(sentence) && countWords(sentence) >= 4);
  const spoken = sentences.filter((sentence) => !uses(sentence, 'offer'));
  const labelled = sentences.slice(-LAST_WORDS).filter((sentence) => splitList(sentence)[0] !== sentence);
  const last = [...labelled, ...spoken.slice(-1).filter(isLeft)]
    .filter((sentence) => isAnnounced(sentence))
    .flatMap((sentence) => splitList(sentence).map((text) => announce(text, isProposal(sentence))));
  return [...underHeadings(closing), ...last];
}

/** Whatever has a label may be followed by a word or two. */
const LAST_WORDS = 3;

/** "I'll add tests", "Next step: add tests": whoever goes on with something else has not taken it up. */
const isProposal = (sentence: string) =>
  uses(sentence, 'will') || (begins(sentence, 'next') && !uses(sentence, 'open'));

const announce = (text: string, isProposed: boolean): OpenStep => ({
  text,
  from: 'closing',
  ...(isProposed ? { offer: 'proposal' } : {}),
});

/** Its list, where it has one; else what stands there up to the next heading. */
function underHeadings(closing: string): OpenStep[] {
  const lines = closing.split('\n');
  return lines.flatMap((line, at) => {
    if (/^\s*[-*]\s+\[ \]\s/.test(line)) return sentencesOf(line).map((text) => announce(text, false));
    const heading = headingOf(line);
    if (heading === null || !isOpenHeading(heading)) return [];
    const end = lines.findIndex((other, later) => later > at && headingOf(other) !== null);
    const part = lines.slice(at + 1, end < 0 ? undefined : end).filter((other) => !BOX.test(other));
    const items = part.filter((other) => ITEM.test(other));
    return (items.length > 0 ? items : part)
      .flatMap(sentencesOf)
      .filter((sentence) => isAnnounced(sentence, 2))
      .map((text) => announce(text, uses(heading, 'next') && !uses(heading, 'open')));
  });
}

const BOX = /^\s*[-*]\s+\[[ xX]\]\s/;
const ITEM = /^(?:[-*+•]|\d{1,2}[.)])\s/;

/** A heading, a line in bold, or the last words before a colon at the end of a line. */
const headingOf = (line: string): string | null =>
  /^\s*#{1,6}\s+(.+)$/.exec(line)?.[1] ??
  /^\s*\*\*([^*]{2,60})\*\*:?\s*$/.exec(line)?.[1] ??
  (ITEM.test(line.trimStart()) ? null : (/(?:^|[.。!]\s*)([^.。!]{2,60})[:：]\s*$/.exec(line)?.[1] ?? null));

const isOpenHeading = (heading: string) => isLeft(heading) || (uses(heading, 'label') && countWords(heading) <= 3);

const LABEL = /^([^:：]{2,40})(?::\s|：)\s*(.+)$/su;

/** No question, no offer, nothing that is asked of the user unless it is said to be open, or that holds only in some case. */
const isAnnounced = (sentence: string, fewest = 4) =>
  !isQuestion(sentence) &&
  !uses(sentence, 'offer') &&
  (!uses(sentence, 'you') || uses(sentence, 'open')) &&
  !begins(sentence, 'none') &&
  !IF.test(sentence) &&
  countWords(sentence) >= fewest;

const IF = /(?:^|[\s,(])(?:if|wenn|falls|si|se|cuando|quando)\s|如果|要是|もし|場合/iu;

/** "Still open: X, Y and Z" are three, "Still to do when I'm back: …" is one. */
function splitList(sentence: string): string[] {
  const [, head = '', rest = ''] = LABEL.exec(sentence) ?? [];
  if (!(isLeft(head) || uses(head, 'label'))) return [sentence];
  const items = rest
    .split(/\s*(?:[,;、，；]|\bund\b|\band\b|\bet\b|\by\b|\be\b)\s+|[、，；]/u)
    .map((item) => item.replace(/[.。]$/, '').trim());
  return items.length > 1 && items.every((item) => countWords(item) >= 2 && !pointsBack(item)) ? items : [rest];
}

/** A request that nobody answered or did anything for. */
function unanswered({ prompt, record }: ObservedTurn): OpenStep[] {
  if (record.closing !== '' || netEdits(record).length > 0) return [];
  const [first] = promptStatements(prompt).filter((sentence) => countWords(sentence) >= 5);
  return first ? [{ text: first, from: 'user', offer: 'unanswered' }] : [];
}

/** `fresh`: what the later turn announces itself. */
type Later = { announcedIn: ObservedTurn | null; isNext: boolean; isOwn: boolean; fresh: OpenStep[] };

/** Ticked off, carried out, or refused in the next prompt. What a closing message says is no proof: it repeats what is left. */
export function isClosedBy(
  step: OpenStep,
  later: ObservedTurn,
  { announcedIn, isNext, isOwn, fresh }: Later,
): 'ticked' | 'done' | 'refused' | 'said again' | 'not taken up' | null {
  const ticked = lastTodo(later.record).some(
    ({ text, status }) => text === step.text && (status === 'completed' || status === 'deleted'),
  );
  if (ticked) return 'ticked';
  // A list of the same session takes the place of the one before; what is announced again is told by its newest words.
  if (isOwn && step.from === 'todo' && lastTodo(later.record).length > 0) return 'said again';
  if (fresh.some((other) => isSameStep(other.text, step.text))) return 'said again';
  if (isNext && step.from === 'closing' && begins(later.prompt, 'refuse') && !isAsked(step, later.prompt))
    return 'refused';
  if (promptStatements(later.prompt).some((sentence) => isRefused(step.text, sentence))) return 'refused';
  if (isCarriedOut(step, later, announcedIn)) return 'done';
  if (!isNext || !announcedIn) return null;
  const announced = findOpenSteps(announcedIn);
  const offer = announced.find(({ text }) => text === step.text)?.offer;
  // Of a list that the user takes up in part the rest stays.
  const isTakenUp = announced.some((one) => isAsked(one, later.prompt));
  const isDropped = offer === 'unanswered' || (offer === 'proposal' && !isTakenUp);
  return isDropped ? 'not taken up' : null;
}

/** Most words of the shorter one stand in the other. */
function isSameStep(one: string, other: string): boolean {
  if (one === other) return true;
  const [first, second] = [new Set(contentWords(one)), new Set(contentWords(other))];
  const shared = [...first].filter((word) => second.has(word)).length;
  return shared > 1 && shared >= Math.min(first.size, second.size) * 0.75;
}

const isAsked = ({ text }: OpenStep, prompt: string) =>
  contentWords(text).some((word) => contentWords(prompt).includes(word));

/**
 * A prompt, a commit, a command or the name of a file has half of its words, and every name in it; what is red in the end is not done. Words
 * that the turn which announced it was full of tell nothing.
 */
function isCarriedOut({ text }: OpenStep, turn: ObservedTurn, announcedIn: ObservedTurn | null): boolean {
  if (outcomeOf({ turn, before: [], next: null }) === 'failed') return false;
  const { named, lines, isEdited } = deedsOf(turn);
  if (named === '') return false;
  const asked = `${turn.prompt.toLowerCase()}\n${named}`;
  const common = announcedIn ? deedsOf(announcedIn).named : '';
  const all = [...new Set(contentWords(text))];
  const telling = all.filter((word) => !common.includes(word));
  const share = (said: string) => {
    const words = telling.length > 0 ? telling : all;
    const found = words.filter((word) => said.includes(word)).length;
    return found > 1 || found === words.length ? found / words.length : 0;
  };
  const names = text.match(/[\w./-]*[\w][._/][\w./-]+|[a-z]+[A-Z]\w+|[A-Z]{2,}\w*/g) ?? [];
  return (
    all.length > 0 &&
    (share(asked) >= 0.5 || share(`${asked}\n${lines}`) >= 0.8) &&
    names.every((name) => asked.includes(name.toLowerCase()) || lines.includes(name.toLowerCase())) &&
    (isEdited || isSpecific(text))
  );
}

/** By what it goes: messages of commits, commands and names of files; and the lines it changed. */
function deedsOf({ record }: ObservedTurn): { named: string; lines: string; isEdited: boolean } {
  const edits = netEdits(record);
  const told = record.steps.flatMap((step) => {
    if (step.kind === 'ran') return step.isOk === false ? [] : [step.command];
    return step.kind === 'committed' ? [step.message] : [];
  });
  return {
    named: [...told, ...edits.map(({ file }) => file)].join('\n').toLowerCase(),
    lines: edits
      .map(({ diff }) => diff)
      .join('\n')
      .toLowerCase(),
    isEdited: edits.length > 0,
  };
}
