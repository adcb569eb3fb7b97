// The turn that a memory is of, as far as it may be shown, and its record in plain words: all of it, or what matters most in a few lines.
import type { Database } from 'bun:sqlite';
import { formatRef, type MemoryKind, type MemoryRef, parseRef, RECORD_SHOWN } from '../core/memory.ts';
import { createJudge, findPieces } from '../core/same-words.ts';
import { listHiddenRefs } from '../memory/lists.ts';
import { readTexts } from '../memory/read.ts';
import { listTelling } from '../memory/repeats.ts';
import { readTurnKeys } from '../memory/turn-keys.ts';
import { readFirst } from '../store/read.ts';
import { isUntrustedAt, readRecord, type Step, type TurnRecord, writeRecord } from '../turns/record.ts';
import { takeOut } from '../turns/take-out.ts';
import { findTurn, type Turn, type TurnPlace } from '../turns/turns.ts';
import { cut } from './pieces.ts';

const TABLES: Record<MemoryKind, string> = { observation: 'observations', summary: 'summaries', prompt: 'prompts' };
const HIDDEN = '[hidden]';

/** With what was asked. Null when there is no record of it, or its prompt is hidden. `withHidden`: for whoever decides about it. */
export function readTurnOf(db: Database, { kind, id }: MemoryRef, { withHidden = false } = {}): (Turn & { prompt: string }) | null {
  const sql = `SELECT session_id AS sessionId, prompt_number AS promptNumber FROM ${TABLES[kind]} WHERE id = ?`;
  const place = readFirst<TurnPlace>(db, sql, id);
  const turn = place && findTurn(db, place);
  if (!turn) return null;
  const prompt = findPromptOf(db, place);
  if (prompt?.hiddenAt && !withHidden) return null;
  return { ...turn, record: withHidden ? turn.record : withoutHidden(db, turn), prompt: prompt?.text ?? '' };
}

const findPromptOf = (db: Database, { sessionId, promptNumber }: TurnPlace) => {
  const sql = 'SELECT text, hidden_at AS hiddenAt FROM prompts WHERE session_id = ? AND prompt_number = ?';
  return readFirst<{ text: string; hiddenAt: string | null }>(db, sql, sessionId, promptNumber);
};

/** A memory that waits for a person to decide is not told by the record of its turn either. */
function withoutHidden(db: Database, { sessionId, promptNumber, record }: Turn): string {
  const beside = listHiddenRefs(db).filter((ref) => ref.sessionId === sessionId);
  if (beside.length === 0) return record;
  const keys = readTurnKeys(db, beside);
  const own = beside.filter((ref) => keys.get(formatRef(ref)) === `${sessionId}:${promptNumber}`);
  const texts = readTexts(db, own).flatMap(({ title, texts: more }) => [...(title === null ? [] : [title]), ...more]);
  const telling = listTelling(db, findPieces(texts, MOST_PIECES).telling);
  return writeRecord(takeOut(readRecord(record), { isGone: createJudge({ texts, telling, words: [] }), mark: HIDDEN }).record);
}

const MOST_PIECES = 100;

/** `left`: how many characters more the whole has, with output and diffs. */
type Told = { text: string; left: number };

/** The record of a prompt's turn, as it is shown under its id. Null when there is none, or it is hidden. */
export function tellTurn(db: Database, id: string, { isFull = false, withHidden = false } = {}): Told | null {
  const ref = parseRef(id);
  const turn = ref && readTurnOf(db, ref, { withHidden });
  return turn ? tellRecord(readRecord(turn.record), { isFull }) : null;
}

const MOST_CLOSING = 1000;
const MOST_STEP = 450;
/** A beginning of a step that is shorter tells nothing. */
const SHORTEST = 60;

function tellRecord(record: TurnRecord, { isFull = false } = {}): Told {
  const full = joinParts(listParts(record, true));
  if (isFull) return { text: full, left: 0 };
  const parts = listParts(record, false);
  const plain = joinParts(parts);
  const text = plain.length <= RECORD_SHOWN ? plain : joinParts(choose(parts));
  return { text, left: Math.max(0, full.length - text.length) };
}

/** `text` is null for what is left out. */
type Part = { kind: Step['kind'] | 'closing'; text: string | null };

function listParts({ steps, closing }: TurnRecord, isFull: boolean): Part[] {
  const markAt = (at: number) => (isUntrustedAt(steps, at) ? ' [untrusted source]' : '');
  const told = steps.map((step, at): Part => ({ kind: step.kind, text: tellStep(step, { isFull, mark: markAt(at) }) }));
  return closing === '' ? told : [...told, { kind: 'closing', text: lead(`answered${markAt(steps.length)}`, closing) }];
}

/** Of several that are left out one mark. */
const joinParts = (parts: Part[]): string =>
  parts.flatMap(({ text }, at) => (text !== null ? closeFence(text) : parts[at + 1]?.text === null ? [] : '[…]')).join('\n');

function tellStep(step: Step, { isFull, mark }: { isFull: boolean; mark: string }): string {
  const details = (text: string) => (isFull && text !== '' ? `\n${indent(text)}` : '');
  switch (step.kind) {
    case 'said':
      return lead(`said${mark}`, step.text);
    case 'ran':
      return `$ ${step.command}${step.isOk === false ? '  (failed)' : ''}${details(step.output)}`;
    case 'edited':
      return `${step.isNew ? 'wrote' : 'edited'} ${step.file} +${step.added} -${step.removed}${details(step.diff)}`;
    case 'read':
      return `read ${step.file}`;
    case 'searched':
      return `searched for ${step.query}`;
    case 'asked':
      return [`asked: ${step.question}`, ...step.options.map((one) => `  - ${one}`), `  the user: ${step.answer}`].join('\n');
    case 'planned':
      return `${lead(`planned${step.isApproved ? '' : ' (refused)'}`, step.text)}${answered(step.feedback)}`;
    case 'refused':
      return `not allowed: ${step.tool} ${step.what}${answered(step.feedback)}`;
    case 'interrupted':
      return 'interrupted by the user';
    case 'todo':
      return ['to do:', ...step.items.map(({ status, text }) => `  [${status === 'completed' ? 'x' : ' '}] ${text}`)].join('\n');
    case 'committed':
      return `committed ${step.hash}: ${step.message}`;
    case 'web':
      return `read the page ${step.source}`;
    case 'mcp':
      return `used the tool ${step.source}`;
    case 'agent':
      return lead(`agent for "${step.task}"${mark}`, step.report);
  }
}

/** Code, lists and headings begin a line of their own. */
const lead = (label: string, text: string) => `${label}:${/^\s*(?:`{3}|~{3}|[-*+#|>]|\d+[.)])/.test(text) ? '\n' : ' '}${text}`;

const answered = (feedback: string) => (feedback === '' ? '' : `\n  the user: ${feedback}`);

/** Of two parts that do not both fit, the one that tells more: then the later one. */
const RANK: Part['kind'][] = ['closing', 'asked', 'committed', 'said', 'planned', 'agent', 'refused', 'edited', 'ran', 'todo'];

export function choose(parts: Part[]): Part[] {
  const rankOf = ({ kind }: Part) => (RANK.indexOf(kind) + RANK.length + 1) % (RANK.length + 1);
  const order = [...parts.entries()].sort(([a, one], [b, other]) => rankOf(one) - rankOf(other) || b - a);
  const shown = parts.map(({ kind }): Part => ({ kind, text: null }));
  let room = RECORD_SHOWN;
  for (const [at, { kind, text }] of order) {
    const most = Math.min(room - MARK, kind === 'closing' ? MOST_CLOSING : MOST_STEP);
    if (text === null || most < Math.min(SHORTEST, text.length)) continue;
    const part = text.length <= most ? text : untilOpenBlock(cut(text, most));
    if (part === '') continue;
    shown[at] = { kind, text: part };
    room -= part.length + MARK;
  }
  return shown;
}

/** A mark of what is left out, the ends of lines, and a fence. */
const MARK = 10;

const indent = (text: string) => text.replace(/^/gm, '    ');

/** The mark of a block of code that has no end, and the line that it begins in. */
function findOpenBlock(text: string): { mark: string; line: number } | null {
  let open: { mark: string; line: number } | null = null;
  for (const [line, words] of text.split('\n').entries()) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(words)?.[1];
    if (mark && open === null) open = { mark, line };
    else if (mark && open !== null && mark.startsWith(open.mark)) open = null;
  }
  return open;
}

/** One that the agent never ended must not take what follows. */
function closeFence(text: string): string {
  const open = findOpenBlock(text);
  return open === null ? text : `${text}\n${open.mark}`;
}

/** A block of code is given whole or not at all. */
function untilOpenBlock(text: string): string {
  const open = findOpenBlock(text);
  return open === null ? text : [...text.split('\n').slice(0, open.line), '[…]'].join('\n');
}
