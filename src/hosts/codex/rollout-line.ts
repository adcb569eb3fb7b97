// One line of a Codex transcript, of any version: `{timestamp, type, payload}`, or in the first ones the payload alone.
import { wordTable } from '../../core/word-table.ts';
import { asRecord, type Fields, text } from '../fields.ts';
import { readJson } from '../json.ts';

export type RolloutLine = {
  kind: 'session' | 'turn' | 'item' | 'event' | 'compaction';
  /** Epoch ms; null where the line does not tell. */
  at: number | null;
  body: Fields;
};

/** Null for what is of no use, or no line. */
export function readRolloutLine(line: string): RolloutLine | null {
  // Most of a file by size: not worth reading.
  if (IDLE.test(line.slice(0, 300))) return null;
  const read = asRecord(readJson(line));
  const at = readTime(read.timestamp);
  const kind = KINDS[text(read.type)];
  if (kind) return { kind, at, body: asRecord(read.payload) };
  if (typeof read.type === 'string') return { kind: 'item', at, body: read };
  return typeof read.id === 'string' ? { kind: 'session', at, body: read } : null;
}

const IDLE = /"type":"(?:world_state|token_usage_record|token_count|reasoning|agent_reasoning)"/;

const KINDS = wordTable<RolloutLine['kind']>({
  session_meta: 'session',
  turn_context: 'turn',
  response_item: 'item',
  event_msg: 'event',
  compacted: 'compaction',
});

export function readTime(value: unknown): number | null {
  const at = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? null : at;
}
