// Open steps: what is announced or listed and not done; and by what a later turn closes them.
import { isInjection } from '../core/instruction-like.ts';
import { oncePer } from '../core/once.ts';
import { isUntrustedAt, type TodoItem, type TurnRecord } from '../turns/record.ts';
import { isRefused } from './replaces.ts';
import { contentWords, countWords, isQuestion, isSpecific, sentencesOf } from './sentences.ts';
import { isDocument, isLeft, netEdits, type ObservedTurn, promptStatements } from './turn.ts';
import { begins, until, uses, without } from './words.ts';
import { outcomeOf } from './work.ts';

export type OpenStep = {
  text: string;
  from: 'todo' | 'closing' | 'user' | 'model';
  /** It waits for the user: a request without an answer ends with the next prompt, a proposal with one that does not take it up. */
  offer?: Offer;
};

type Offer = 'unanswered' | 'proposal';

const MOST = 8;

/** What may be words from outside is none. */
export const findOpenSteps = oncePer(({ prompt, record }: ObservedTurn): OpenStep[] => {
  const { steps } = record;
  const isOwnAt = (at: number) => !isUntrustedAt(steps, at);
  const listed = isOwnAt(steps.findLastIndex((step) => step.kind === 'todo')) ? lastTodo(record) : [];
  // What is in progress when the work of a turn ends well is done: only its tick was forgotten.
  const isEnded = record.closing !== '' && netEdits(record).length > 0;
  const todo = listed.filter(({ status }) => status === 'pending' || (status === 'in_progress' && !isEnded));
  const asked = isDocument(prompt) ? [] : promptStatements(prompt);
  const user = asked.flatMap(putOff).filter((clause) => isAnnounced(clause));
  const all: OpenStep[] = [
    ...todo.map(({ text }): OpenStep => ({ text, from: 'todo' })),
    ...(isOwnAt(steps.length) ? announced(record) : []),
    ...user.map((text): OpenStep => ({ text, from: 'user' })),
    ...unanswered(asked, record),
  ];
  const found: OpenStep[] = [];
  for (const step of all) {
    const text = step.text.replace(/[.。]$/, '');
    if (!isInjection(text) && !found.some((other) => isSameStep(other.text, text))) found.push({ ...step, text });
  }
  return found.slice(0, MOST);
});

const lastTodo = ({ steps }: TurnRecord): TodoItem[] => steps.flatMap((step) => (step.kind === 'todo' ? [step.items] : [])).at(-1) ?? [];

/** What is for later: the part that says so, or all of it where that part says no more: "a credits screen, not to forget". */
function putOff(sentence: string): string[] {
  const clauses = sentence.split(/[,;，；]\s*/u);
  return clauses.flatMap((clause) => {
    const words = uses(clause, 'later') ? contentWords(without(clause, 'later')).length : -1;
    if (words >= 2 || (words === 1 && clauses.length === 1)) return [clause];
    return words === 0 && contentWords(sentence).length >= 2 ? [sentence] : [];
  });
}

/** What is listed as left, and what the last words say to be so: earlier ones tell how things are. */
function announced(record: TurnRecord): OpenStep[] {
  const last = sentencesOf(record.closing).slice(-1);
  return [...underHeadings(record.closing), ...last.flatMap((sentence) => leftBy(sentence, netEdits(record).length > 0))];
}

/**
 * Left is what is said to be so, what the work at hand lacks yet, what is put off, and what the user has to do, which ends with the next
 * prompt.
 */
function leftBy(sentence: string, isWork: boolean): OpenStep[] {
  if (!isAnnounced(sentence)) return [];
  const text = withoutLabel(sentence);
  if (uses(sentence, 'open') || text !== sentence) return [announce(text)];
  if (uses(sentence, 'you')) return [announce(text, 'unanswered')];
  const isLacking = isWork && uses(until(sentence, 'because'), 'undone');
  return isLacking || (uses(sentence, 'will') && uses(sentence, 'later')) ? [announce(text)] : [];
}

const announce = (text: string, offer?: Offer): OpenStep => ({ text, from: 'closing', ...(offer ? { offer } : {}) });

/** A box without a tick; under a heading its list, where it has one, else what stands there up to the next heading. */
function underHeadings(closing: string): OpenStep[] {
  const blocks: { heading: string | null; lines: string[] }[] = [{ heading: null, lines: [] }];
  for (const line of closing.split('\n')) {
    const heading = headingOf(line);
    if (heading === null) blocks.at(-1)?.lines.push(line);
    else blocks.push({ heading, lines: [] });
  }
  return blocks.flatMap(({ heading, lines }) => {
    const boxes = lines.filter((line) => /^\s*[-*]\s+\[ \]\s/.test(line)).flatMap(sentencesOf);
    const part = lines.filter((line) => !BOX.test(line));
    const items = part.filter((line) => ITEM.test(line));
    const isOpen = heading !== null && isOpenHeading(heading, items.length > 0);
    const left = isOpen ? (items.length > 0 ? items : part).flatMap(sentencesOf).filter((sentence) => isAnnounced(sentence, true)) : [];
    const offer = heading !== null && uses(heading, 'next') && !uses(heading, 'open') ? 'proposal' : undefined;
    return [...left.map((text) => announce(text, offer)), ...boxes.map((text) => announce(text))];
  });
}

const BOX = /^\s*[-*]\s+\[[ xX]\]\s/;
const ITEM = /^(?:[-*+•]|\d{1,2}[.)])\s/;

/** A heading, a line in bold, or the last words before a colon at the end of a line. */
const headingOf = (line: string): string | null =>
  /^\s*#{1,6}\s+(.+)$/.exec(line)?.[1] ??
  /^\s*\*\*([^*]{2,60})\*\*:?\s*$/.exec(line)?.[1] ??
  (ITEM.test(line.trimStart()) ? null : (/(?:^|[.。!]\s*)([^.。!]{2,60})[:：]\s*$/.exec(line)?.[1] ?? null));

const isOpenHeading = (heading: string, hasItems: boolean) =>
  isLeft(heading) || (uses(heading, 'label') && (hasItems || countWords(heading) <= 3));

const LABEL = /^([^:：]{2,40})(?::\s|：)\s*(.+)$/su;

/** It says what is to do; no question, no offer, no guess, nothing that holds only in some case, unless it stands in a list. */
const isAnnounced = (sentence: string, isListed = false) =>
  !/[:：]$/.test(sentence) &&
  !isQuestion(sentence) &&
  !uses(sentence, 'offer') &&
  !uses(sentence, 'guess') &&
  (!uses(sentence, 'you') || NAMED_AS_LEFT.some((use) => uses(sentence, use))) &&
  !begins(sentence, 'none') &&
  (isListed || !IF.test(sentence)) &&
  countWords(sentence) >= (isListed ? 2 : 4) &&
  contentWords(without(without(sentence, 'undone'), 'open')).length > 1;

const NAMED_AS_LEFT = ['open', 'undone', 'must'] as const;
const IF = /(?:^|[\s,(])(?:if|wenn|falls|si|cuando|quando)\s|(?:^|[,(]\s?)se\s|如果|要是|もし|場合/iu;

/** "Still to do when I'm back: …": what stands behind it. "The export is still missing: …" names what is missing itself. */
function withoutLabel(sentence: string): string {
  const [, head = '', rest = ''] = LABEL.exec(sentence) ?? [];
  const labels = (['open', 'next', 'label'] as const).filter((use) => uses(head, use));
  const named = contentWords(labels.reduce(without, head));
  return labels.length > 0 && named.length < 2 ? rest : sentence;
}

/** A request that nobody answered or did anything for. */
function unanswered(asked: string[], record: TurnRecord): OpenStep[] {
  if (record.closing !== '' || netEdits(record).length > 0) return [];
  const [first] = asked.filter((sentence) => countWords(sentence) >= 5);
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
  const todo = lastTodo(later.record);
  if (todo.some(({ text, status }) => text === step.text && (status === 'completed' || status === 'deleted'))) return 'ticked';
  // A list of the same session takes the place of the one before; what is announced again is told by its newest words.
  if (isOwn && step.from === 'todo' && later.record.steps.some(({ kind }) => kind === 'todo')) return 'said again';
  if (fresh.some((other) => isSameStep(other.text, step.text))) return 'said again';
  const said = sentencesOf(later.prompt).filter((sentence) => !uses(sentence, 'later'));
  if (said.some((sentence) => !isQuestion(sentence) && isRefused(step.text, sentence))) return 'refused';
  if (isCarriedOut(step, later, { announcedIn, isNext, said })) return 'done';
  if (!isNext || !announcedIn) return null;
  const announced = findOpenSteps(announcedIn);
  const offer = announced.find(({ text }) => text === step.text)?.offer;
  // Of a list that the user takes up in part the rest stays.
  const isTakenUp = announced.some((one) => isAsked(one, later.prompt));
  return offer === 'unanswered' || (offer === 'proposal' && !isTakenUp) ? 'not taken up' : null;
}

/** Most words of the shorter one stand in the other. */
function isSameStep(one: string, other: string): boolean {
  if (one === other) return true;
  const [first, second] = [new Set(contentWords(one)), new Set(contentWords(other))];
  const shared = [...first].filter((word) => second.has(word)).length;
  return shared > 1 && shared >= Math.min(first.size, second.size) * 0.75;
}

const isAsked = ({ text }: OpenStep, prompt: string) => {
  const asked = contentWords(prompt);
  return contentWords(text).some((word) => asked.some((one) => isAkin(one, word)));
};

type Since = Pick<Later, 'announcedIn' | 'isNext'> & { said: string[] };

/** Of its telling words, more than so many come back in what was asked or done. */
const ENOUGH = 1 / 3;

/** Of a file or of code. */
const NAME = /[\w/-]*(?:[a-z][A-Z]|_[a-z]|\w\.[a-z]\w{0,3}\b|\w\/\w)[\w./-]*/g;

/**
 * The user speaks of it, or what was done (commits, commands, files) has its words, and all the names in it. What is red in the end is
 * not done. Words that the turn which announced it was full of tell nothing.
 */
function isCarriedOut({ text: step, from }: OpenStep, { record }: ObservedTurn, { announcedIn, isNext, said }: Since): boolean {
  const all = [...new Set(contentWords(step))];
  if (all.length === 0 || outcomeOf(record) === 'failed') return false;
  const common = announcedIn ? deedsOf(announcedIn.record) : '';
  const telling = all.filter((word) => !common.includes(word));
  const words = telling.length > 0 ? telling : all;
  const edits = netEdits(record);
  const isNamed = (sentence: string) =>
    isNext && from === 'closing' && contentWords(sentence).some((word) => telling.some((one) => isAkin(one, word)));
  if (said.some((sentence) => !isQuestion(sentence) && isNamed(sentence))) return true;
  const deeds = deedsOf(record);
  if (deeds === '' || (edits.length === 0 && !isSpecific(step))) return false;
  if (!(step.match(NAME) ?? []).every((name) => deeds.includes(name.toLowerCase()))) return false;
  const asked = `${said.join('\n').toLowerCase()}\n${deeds}`;
  return words.filter((word) => asked.includes(word)).length > words.length * ENOUGH;
}

/** The same word, or another form of it: they begin alike. */
function isAkin(one: string, other: string): boolean {
  const stem = Math.max(4, Math.min(one.length, other.length) - 1);
  return one === other || one.slice(0, stem) === other.slice(0, stem);
}

/** By what it goes: messages of commits, commands and names of files. */
const deedsOf = oncePer((record: TurnRecord): string => {
  const told = record.steps.flatMap((step) => {
    if (step.kind === 'ran') return step.isOk === false ? [] : [step.command];
    return step.kind === 'committed' ? [`commit ${step.message}`] : [];
  });
  return [...told, ...netEdits(record).map(({ file }) => file)].join('\n').toLowerCase();
});
