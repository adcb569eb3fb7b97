// The record of a turn in small pieces: a sentence, an item of a list, a command, a line that was printed or changed. And a document in
// parts that an embedder reads whole.
import type { DocumentText } from '../store/documents.ts';
import { isUntrustedAt, type Step, type TurnRecord } from '../turns/record.ts';
import { MAX_PARTS } from './index-db.ts';

export type Piece = {
  text: string;
  /** Said before it, unless the piece before has the same: the name of the file of a changed line. */
  head: string;
  /** The number of its step; what was asked stands before all of them, the closing message behind. */
  at: number;
  isUntrusted: boolean;
  /** Printed, or a new line of code: one of many, and only of use to whoever asks for it. */
  isDetail: boolean;
  /** Of a changed line: its file, and how it is after the change. */
  line?: { file: string; text: string };
};

/** What is longer is several pieces: sentences, or parts of a sentence that has no end. */
const LONG = 180;
const LONGEST_COMMAND = 240;

/** In the order it happened. What was asked is no answer; what a person laid down in a prompt is. */
export function listPieces({ steps, closing }: TurnRecord, prompt: string): Piece[] {
  const lastTodo = steps.findLastIndex(({ kind }) => kind === 'todo');
  const at = (texts: string[], place: number, head = '', more: Partial<Piece> = {}): Piece[] =>
    texts.flatMap((text) => {
      const piece = { text: text.trim(), head, at: place, isUntrusted: isUntrustedAt(steps, place), isDetail: false, ...more };
      return piece.text === '' ? [] : piece;
    });
  return [
    ...at(
      splitLong(prompt).filter((text) => !isQuestion(text)),
      -1,
      'Asked',
    ),
    ...steps.flatMap((step, place) => {
      if (step.kind === 'ran')
        return [
          ...at(commandPieces(step), place),
          ...at(printedPieces(step), place, '', { isUntrusted: isUntrustedAt(steps, place + 1), isDetail: true }),
        ];
      if (step.kind === 'edited') {
        const head = step.file.slice(step.file.lastIndexOf('/') + 1);
        return changedPieces(step.diff).flatMap(({ text, line, isDetail }) =>
          at([text], place, head, { isDetail, ...(line === null ? {} : { line: { file: step.file, text: line } }) }),
        );
      }
      return step.kind === 'todo' && place !== lastTodo ? [] : at(wordsOf(step), place);
    }),
    ...at(splitWords(closing), steps.length),
  ];
}

const isQuestion = (text: string) => /[?？]["')]?$/.test(text);

function wordsOf(step: Step): string[] {
  switch (step.kind) {
    case 'said':
      return splitWords(step.text);
    case 'agent':
      return splitWords(step.report);
    case 'planned':
      if (step.isApproved) return splitWords(step.text);
      return [step.feedback && `Plan refused: ${step.feedback}`, ...splitWords(step.text).map((text) => `(refused) ${text}`)];
    case 'asked':
      return [`${step.question} → ${step.answer}`];
    case 'refused':
      return step.feedback ? [`Refused ${step.tool}: ${step.feedback}`] : [];
    case 'committed':
      return [step.message];
    case 'todo':
      return step.items
        .filter(({ status }) => status !== 'deleted')
        .map(({ status, text }) => `[${status === 'completed' ? 'x' : ' '}] ${text}`);
    default:
      return [];
  }
}

/** What goes into the history says its message, which is a step of its own. */
const HISTORY = /^\s*(?:cd [^&;|]+&&\s*)?git (?:add|commit|status|diff|log|push|stash|checkout|show|branch|fetch|pull)\b/;

/** A text that is handed to the command follows it line by line. */
function commandPieces({ command }: Extract<Step, { kind: 'ran' }>): string[] {
  const [first = '', ...text] = /<</.test(command) ? command.split('\n') : [command];
  return HISTORY.test(command)
    ? text.map((line) => cut(line, LONG))
    : [`$ ${cut(first, LONGEST_COMMAND)}`, ...text.map((line) => cut(line, LONG))];
}

const printedPieces = ({ command, output }: Extract<Step, { kind: 'ran' }>): string[] =>
  HISTORY.test(command) ? [] : output.split('\n').map((line) => cut(line, LONG));

/** Each changed line with what stood there before. */
function changedPieces(diff: string): { text: string; line: string | null; isDetail: boolean }[] {
  const pieces: { text: string; line: string | null; isDetail: boolean }[] = [];
  let before = '';
  for (const line of [...diff.split('\n'), '']) {
    const text = line.slice(1).trim();
    if (line.startsWith('-')) before ||= cut(text, LONG / 2);
    else {
      const shown = before === '' ? cut(text, LONG) : `${before} → ${cut(text, LONG / 2)}`;
      if (line.startsWith('+')) pieces.push({ text: shown, line: text, isDetail: before === '' });
      else if (before !== '') pieces.push({ text: `removed ${before}`, line: null, isDetail: false });
      before = '';
    }
  }
  return pieces;
}

/** Without the signs of Markdown that only lay it out, and without the path behind a link that names its file. */
const splitWords = (text: string): string[] =>
  text
    .replace(/\[([^\]\n]{1,200})\]\((?!\w+:)[^)\s]{1,500}\)/g, '$1')
    .split('\n')
    .map((line) => line.replace(/^\s*(?:```.*|#+ |\|?[\s:|-]+\|?$)/, '').replaceAll('**', ''))
    .flatMap((line) => (line.length > LONG ? splitLong(line) : [line]));

const splitLong = (text: string): string[] =>
  text.split(/(?<=[.!?;…])\s+|(?<=[。！？；])|\n+/).flatMap((sentence) => (sentence.length > LONG * 1.5 ? chop(sentence) : [sentence]));

function chop(text: string): string[] {
  const end = text.lastIndexOf(' ', LONG);
  const length = end > LONG / 2 ? end : LONG;
  return text.length <= LONG * 1.5 ? [text] : [text.slice(0, length).toWellFormed(), ...chop(text.slice(length).toWellFormed())];
}

export function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const end = text.lastIndexOf(' ', most - 1);
  return `${text.slice(0, end > most * 0.6 ? end : most - 1).toWellFormed()}…`;
}

/** About what a model of 256 tokens reads; what is longer would be cut off unseen. */
const PART_LENGTH = 900;
const TITLE_LENGTH = 120;

/** A long text in parts, each under its title; of one that has too many its beginning. English keywords are a part of their own. */
export function splitDocument(document: Omit<DocumentText, 'id'> | undefined): string[] {
  const { text = '', keywords } = document ?? {};
  const whole = text.trim();
  const most = keywords ? MAX_PARTS - 1 : MAX_PARTS;
  const title = (whole.split('\n', 1)[0] ?? '').slice(0, TITLE_LENGTH).toWellFormed();
  const parts: string[] = [];
  for (let rest = whole; rest !== '' && parts.length < most; ) {
    const prefix = parts.length === 0 ? '' : `${title}\n`;
    const end = findEnd(rest, PART_LENGTH - prefix.length);
    parts.push(`${prefix}${rest.slice(0, end).trim()}`.toWellFormed());
    rest = rest.slice(end).trimStart();
  }
  return keywords ? [...parts, keywords] : parts;
}

/** The last end of a paragraph, else a line, a sentence or a word, in the second half of what fits. */
function findEnd(text: string, length: number): number {
  if (text.length <= length) return text.length;
  const room = text.slice(0, length);
  for (const mark of [/\n\s*\n/g, /\n/g, /[.!?。！？]["')\]]?(?=\s|[^\x00-\x7f])/g, /\s/g]) {
    let end = 0;
    for (const match of room.matchAll(mark)) end = match.index + match[0].length;
    if (end > length / 2) return end;
  }
  return length;
}
