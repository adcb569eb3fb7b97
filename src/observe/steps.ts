// Open steps: what is announced or listed and not done; and by what a later turn closes them.
import { isInjection } from '../core/instruction-like.ts';
import type { TodoItem, TurnRecord } from '../turns/record.ts';
import { isUntrustedAt } from '../turns/untrusted.ts';
import { refusedWord } from './replaces.ts';
import { contentWords, countWords, isQuestion, isSpecific, sentencesOf } from './sentences.ts';
import { netEdits, type ObservedTurn, promptStatements } from './turn.ts';
import { begins, uses } from './words.ts';
import { outcomeOf } from './work.ts';

/** `key`: a todo item is known by its words. */
export type OpenStep = { text: string; from: 'todo' | 'closing' | 'user' | 'model' };

const MOST = 8;

/** An offer is none: it becomes one when the user takes it up, and then it is work. Nor is what may be words from outside. */
export function findOpenSteps({ prompt, record }: ObservedTurn): OpenStep[] {
  const { steps } = record;
  const isOwnAt = (at: number) => !isUntrustedAt(steps, at);
  const listed = isOwnAt(steps.findLastIndex((step) => step.kind === 'todo')) ? lastTodo(record) : [];
  const todo = listed
    .filter(({ text, status }) => (status === 'pending' || status === 'in_progress') && !isInjection(text))
    .map(({ text }): OpenStep => ({ text, from: 'todo' }));
  const closing = (isOwnAt(steps.length) ? announced(record.closing) : [])
    .filter((text) => !isInjection(text))
    .map((text): OpenStep => ({ text, from: 'closing' }));
  const user = promptStatements(prompt)
    .filter((sentence) => uses(sentence, 'later') && isAnnounced(sentence) && !uses(sentence, 'rule'))
    .flatMap(splitList)
    .map((text): OpenStep => ({ text, from: 'user' }));
  return [...todo, ...closing, ...user]
    .slice(0, MOST)
    .map((step) => ({ ...step, text: step.text.replace(/[.。]$/, '') }));
}

const lastTodo = ({ steps }: TurnRecord): TodoItem[] => {
  const last = steps.findLast((step) => step.kind === 'todo');
  return last?.kind === 'todo' ? last.items : [];
};

/** Under a heading for what is left, or in the last words of the message. */
function announced(closing: string): string[] {
  const lines = closing.split('\n');
  const heading = lines.findIndex((line) => isHeading(line) && (uses(line, 'open') || uses(line, 'label')));
  if (heading >= 0) {
    const end = lines.findIndex((line, at) => at > heading && isHeading(line));
    const listed = sentencesOf(lines.slice(heading + 1, end < 0 ? undefined : end).join('\n'));
    return listed.filter((sentence) => isAnnounced(sentence, 2));
  }
  return sentencesOf(closing)
    .slice(-3)
    .filter((sentence) => (uses(sentence, 'open') || isLabelled(sentence)) && isAnnounced(sentence))
    .flatMap(splitList);
}

/** No question, no offer, nothing that is asked of the user, or that holds only in some case. */
const isAnnounced = (sentence: string, fewest = 4) =>
  !isQuestion(sentence) &&
  !uses(sentence, 'offer') &&
  !uses(sentence, 'you') &&
  !IF.test(sentence) &&
  countWords(sentence) >= fewest;

/** "Open: …", "Still to do when I'm back: …" */
const isLabelled = (sentence: string) => {
  const [, head] = /^([^:：]{2,40})[:：]\s*\S/.exec(sentence) ?? [];
  return head !== undefined && (uses(head, 'open') || uses(head, 'label'));
};

const IF = /(?:^|[\s,(])(?:if|wenn|falls|si|se|cuando|quando)\s|如果|要是|もし|場合/iu;

const isHeading = (line: string) => /^\s*(?:#{1,6}\s|\*\*[^*]{2,60}\*\*:?\s*$)|^[^.。]{2,40}[:：]\s*$/.test(line);

/** "Still open: X, Y and Z" are three. */
function splitList(sentence: string): string[] {
  const [head = '', ...rest] = sentence.split(/[:：]\s*/);
  if (rest.length === 0 || !(uses(head, 'open') || uses(head, 'label'))) return [sentence];
  const items = rest
    .join(': ')
    .split(/\s*(?:[,;、，；]|\bund\b|\band\b|\bet\b|\by\b|\be\b)\s+|[、，；]/u)
    .map((item) => item.replace(/[.。]$/, '').trim());
  return items.length > 1 && items.every((item) => countWords(item) >= 2) ? items : [rest.join(': ')];
}

/** Ticked off, carried out, or refused in the next prompt. What a closing message says is no proof: it repeats what is left. */
export function isClosedBy(
  step: OpenStep,
  later: ObservedTurn,
  { isNext, isOwn, fresh }: { isNext: boolean; isOwn: boolean; fresh: OpenStep[] },
): 'ticked' | 'done' | 'refused' | 'said again' | 'not taken up' | null {
  const ticked = lastTodo(later.record).some(
    ({ text, status }) => text === step.text && (status === 'completed' || status === 'deleted'),
  );
  if (ticked) return 'ticked';
  // A list of the same session takes the place of the one before; what is announced again is told by its newest words.
  if (isOwn && step.from === 'todo' && lastTodo(later.record).length > 0) return 'said again';
  if (fresh.some((other) => other.text === step.text || isSameStep(other.text, step.text))) return 'said again';
  if (isNext && step.from === 'closing' && begins(later.prompt, 'refuse') && !isAsked(step, later.prompt))
    return 'refused';
  if (promptStatements(later.prompt).some((sentence) => refusedWord(sentence, { title: step.text }) !== null))
    return 'refused';
  if (isCarriedOut(step, later)) return 'done';
  // "I'll add tests next" is an offer: whoever goes on with something else has not taken it up.
  return isNext && step.from === 'closing' && uses(step.text, 'will') && !isAsked(step, later.prompt)
    ? 'not taken up'
    : null;
}

/** Nearly all of their words are the same. */
function isSameStep(one: string, other: string): boolean {
  const [first, second] = [new Set(contentWords(one)), new Set(contentWords(other))];
  const shared = [...first].filter((word) => second.has(word)).length;
  return shared > 1 && shared >= Math.max(first.size, second.size) * 0.75;
}

const isAsked = ({ text }: OpenStep, prompt: string) =>
  contentWords(text).some((word) => contentWords(prompt).includes(word));

/** A commit, an edit or a command has half of its words, and every name in it; what is red in the end is not done. */
function isCarriedOut({ text }: OpenStep, turn: ObservedTurn): boolean {
  if (outcomeOf({ turn, before: [], next: null }) === 'failed') return false;
  const { prompt, record } = turn;
  const edits = netEdits(record);
  const runs = record.steps.flatMap((step) => (step.kind === 'ran' && step.isOk !== false ? [step.command] : []));
  const commits = record.steps.flatMap((step) => (step.kind === 'committed' ? [step.message] : []));
  if (edits.length === 0 && commits.length === 0 && runs.length === 0) return false;
  const deeds = [prompt, ...commits, ...runs, ...edits.map(({ file, diff }) => `${file}\n${diff}`)]
    .join('\n')
    .toLowerCase();
  const words = [...new Set(contentWords(text))];
  const done = words.filter((word) => deeds.includes(word));
  const names = (text.match(/[\w./-]*[\w][._/][\w./-]+|[a-z]+[A-Z]\w+|[A-Z]{2,}\w*/g) ?? []).map((name) =>
    name.toLowerCase(),
  );
  return (
    words.length > 0 &&
    done.length >= words.length / 2 &&
    names.every((name) => deeds.includes(name)) &&
    (edits.length > 0 || isSpecific(text))
  );
}
