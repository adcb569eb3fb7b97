// One memory with all that is known of it: what was said and done in its turn, what it replaced, who was given it.
import type { Database } from 'bun:sqlite';
import { AskError } from '../core/ask-error.ts';
import { formatRef, type MemoryRef, parseRef, RECORD_SHOWN } from '../core/memory.ts';
import type { MemoryRow } from '../core/shapes/memory.ts';
import type { TurnStep, WholeMemory } from '../core/shapes/pages.ts';
import { listUses } from '../memory/injections.ts';
import { readMemories, readRows } from '../memory/read.ts';
import { listReplacedBy } from '../memory/replacements.ts';
import { readColumn } from '../store/read.ts';
import { isUntrustedAt, readRecord, type Step, type TurnRecord } from '../turns/record.ts';
import { choose, readTurnOf } from './turn-of.ts';

export function readWhole(db: Database, ref: MemoryRef): Omit<WholeMemory, 'state'> {
  const memory = readMemories(db, [ref]).get(formatRef(ref));
  if (!memory) throw new AskError('unknown', `There is no memory ${formatRef(ref)}.`, 'It may be hidden or deleted.');
  const turn = readTurnOf(db, ref);
  const older = ref.kind === 'observation' ? (listReplacedBy(db, [ref.id]).get(ref.id) ?? []) : [];
  const { uses, total: usesTotal } = listUses(db, ref);
  return {
    memory,
    prompt: turn ? turn.prompt : null,
    ...(turn ? listSteps(readRecord(turn.record)) : { steps: [], left: 0 }),
    replaced: listRows(
      db,
      older.flatMap((id) => parseRef(id) ?? []),
    ),
    beside: turn ? listRows(db, listOfTurn(db, turn, ref)) : [],
    uses,
    usesTotal,
  };
}

function listRows(db: Database, refs: MemoryRef[]): MemoryRow[] {
  const rows = readRows(db, refs);
  return refs.flatMap((ref) => rows.get(formatRef(ref)) ?? []);
}

/** Its observations, then the last summary. */
function listOfTurn(db: Database, turn: { sessionId: number; promptNumber: number }, { kind, id }: MemoryRef): MemoryRef[] {
  const list = (table: string) => {
    const sql = `SELECT id FROM ${table} WHERE session_id = ? AND prompt_number = ? AND hidden_at IS NULL ORDER BY id`;
    return readColumn<number>(db, sql, turn.sessionId, turn.promptNumber);
  };
  const refs: MemoryRef[] = [
    ...list('observations').map((one) => ({ kind: 'observation' as const, id: one })),
    ...list('summaries')
      .slice(-1)
      .map((one) => ({ kind: 'summary' as const, id: one })),
  ];
  return refs.filter((ref) => ref.kind !== kind || ref.id !== id);
}

/** As much of a long record is shown at once as `claude-mem show` would; its details wait to be opened. */
function listSteps({ steps, closing }: TurnRecord): Pick<WholeMemory, 'steps' | 'left'> {
  const said = steps.map((step) => ({ rank: step.kind, ...NOTHING, ...sayStep(step) }));
  const answer = { rank: 'closing' as const, ...NOTHING, kind: 'answered', text: closing };
  const all = closing === '' ? said : [...said, answer];
  const texts = all.reduce((sum, { text }) => sum + text.length, 0);
  const details = all.reduce((sum, { detail }) => sum + detail.length, 0);
  const parts = all.map(({ rank, text }) => ({ kind: rank, text }));
  const short = (texts <= RECORD_SHOWN ? parts : choose(parts)).map(({ text }) => text);
  const shown = short.reduce((sum, text) => sum + (text?.length ?? 0), 0);
  return {
    steps: all.map(({ rank, ...step }, at) => ({ ...step, short: short[at] ?? null, isUntrusted: isUntrustedAt(steps, at) })),
    left: texts + details <= RECORD_SHOWN ? 0 : texts + details - shown,
  };
}

const NOTHING = { detail: '', isBad: null };

function sayStep(step: Step): Pick<TurnStep, 'kind' | 'text'> & Partial<TurnStep> {
  const { kind } = step;
  switch (kind) {
    case 'said':
      return { kind, text: step.text };
    case 'ran':
      return { kind, text: step.command, detail: step.output, isBad: step.isOk === null ? null : !step.isOk };
    case 'edited':
      return { kind: step.isNew ? 'wrote' : kind, text: `${step.file} +${step.added} −${step.removed}`, detail: step.diff };
    case 'read':
      return { kind, text: step.file };
    case 'searched':
      return { kind, text: step.query };
    case 'asked':
      return { kind, text: step.question, detail: [...step.options.map((one) => `- ${one}`), `→ ${step.answer}`].join('\n') };
    case 'planned':
      return { kind, text: step.text, detail: step.feedback, isBad: !step.isApproved };
    case 'refused':
      return { kind, text: `${step.tool} ${step.what}`, detail: step.feedback, isBad: true };
    case 'todo':
      return { kind, text: step.items.map(({ status, text }) => `[${status === 'completed' ? 'x' : ' '}] ${text}`).join('\n') };
    case 'committed':
      return { kind, text: `${step.hash} ${step.message}` };
    case 'agent':
      return { kind, text: step.task, detail: step.report };
    case 'interrupted':
      return { kind, text: 'interrupted', isBad: true };
    default:
      return { kind, text: step.source };
  }
}
