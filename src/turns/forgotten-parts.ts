// Paragraphs that somebody wanted forgotten do not come back with a transcript or an import: neither into a record nor into an event.
import type { Database } from 'bun:sqlite';
import type { SessionEvent } from '../core/event.ts';
import { hashPart, isForgotten } from '../store/forgetting/tombstones.ts';
import type { TurnRecord } from './record.ts';
import { takeOut, takeOutOfText } from './take-out.ts';

export function withoutForgotten(db: Database, record: TurnRecord): TurnRecord {
  return hasForgotten(db) ? takeOut(record, { isGone: isForgottenPart(db) }).record : record;
}

/** What the agent said, without them. */
export function withoutForgottenWords(db: Database, event: SessionEvent): SessionEvent {
  if (event.kind !== 'said' && event.kind !== 'stop' && event.kind !== 'subagent') return event;
  if (!hasForgotten(db)) return event;
  const clean = (text: string) => takeOutOfText(text, isForgottenPart(db));
  return event.kind === 'said' ? { ...event, text: clean(event.text) } : { ...event, message: clean(event.message) };
}

/** Mostly nothing ever was. */
const hasForgotten = (db: Database) => db.query("SELECT 1 FROM tombstones WHERE kind = 'text' LIMIT 1").get() !== null;

const isForgottenPart = (db: Database) => (text: string) => {
  const hash = hashPart(text);
  return hash !== null && isForgotten(db, 'text', hash);
};
