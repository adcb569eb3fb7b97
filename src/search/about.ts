// One memory with all that is known of it: what was said and done in its turn, what it replaced, who was given it.
import type { Database } from 'bun:sqlite';
import { AskError } from '../core/ask-error.ts';
import { formatRef, type MemoryRef, parseRef } from '../core/memory.ts';
import type { MemoryRow } from '../core/shapes/memory.ts';
import type { TurnStep, WholeMemory } from '../core/shapes/pages.ts';
import { listUses } from '../memory/injections.ts';
import { readMemories, readRows } from '../memory/read.ts';
import { listReplacedBy } from '../memory/replacements.ts';
import { readColumn } from '../store/read.ts';
import { isUntrustedAt, readRecord, type Step, type TurnRecord } from '../turns/record.ts';
import { readTurnOf } from './turn-of.ts';

export function readWhole(db: Database, ref: MemoryRef): Omit<WholeMemory, 'state'> {
  const memory = readMemories(db, [ref]).get(formatRef(ref));
  if (!memory) throw new AskError('unknown', `There is no memory ${formatRef(ref)}.`, 'It may be hidden or deleted.');
  const turn = readTurnOf(db, ref);
  const older = ref.kind === 'observation' ? (listReplacedBy(db, [ref.id]).get(ref.id) ?? []) : [];
  const { uses, total: usesTotal } = listUses(db, ref);
  return {
    memory,
    prompt: turn ? turn.prompt : null,
    steps: turn ? listSteps(readRecord(turn.record)) : [],
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

function listSteps(record: TurnRecord): TurnStep[] {
  const { steps, closing } = record;
  const told = steps.map((step, at) => ({ ...NOTHING, ...sayStep(step), isUntrusted: isUntrustedAt(steps, at) }));
  if (closing === '') return told;
  return [...told, { ...NOTHING, kind: 'answered', text: closing, isUntrusted: isUntrustedAt(steps, steps.length) }];
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
