// What a program tells over HTTP, as the envelope that a hook would send.
import type { Database } from 'bun:sqlite';
import { type Envelope, type HookCommand, WIRE_VERSION } from '../../core/envelope.ts';
import { hashParts } from '../../core/ids.ts';
import { cleanPayload } from '../../core/payload.ts';
import { lastSeqOfOthers, listLastEvents } from '../../store/events/session-queue.ts';
import { promptIdOf } from '../../store/sessions/numbered-prompts.ts';
import { findSession, type Session } from '../../store/sessions/sessions.ts';

/** One thing that happened, in the words of Claude Code's hooks. */
export type Said = {
  host: string;
  command: HookCommand;
  /** '' when it is not said. */
  cwd: string;
  /** A name; '' when it is not said. */
  project: string;
  /** As the program counts them. */
  promptNumber: number | null;
  fields: { prompt_id?: string; tool_use_id?: string; timestamp?: string | number; [name: string]: unknown };
};

export type Placed = { session: string; cwd: string; at: number };

/** What is told again before anything else happened has the same id, and so is stored once. */
export function makeEnvelope(db: Database, said: Said, { session, cwd, at }: Placed): Envelope {
  const known = findSession(db, session);
  const id = findId(db, said, { session, known });
  const promptId = findPromptId(db, said, known) ?? (said.command === 'new' ? id : undefined);
  const payload = { ...withoutFuture(said.fields, at), session_id: session, cwd, prompt_id: promptId };
  return { id, v: WIRE_VERSION, host: said.host, event: said.command, receivedAt: at, payload };
}

const DAY_MS = 86_400_000;

/** A clock may be wrong by hours. What is to come has not happened: it would stand before everything else for years. */
function withoutFuture({ timestamp, ...fields }: Said['fields'], at: number): Said['fields'] {
  if (timestamp === undefined) return fields;
  const then = typeof timestamp === 'number' ? timestamp : Date.parse(timestamp);
  return then > at + DAY_MS ? fields : { ...fields, timestamp };
}

type Teller = { session: string; known: Session | null };

function findId(db: Database, { command, promptNumber, fields }: Said, { session, known }: Teller): string {
  // Without what is private: a hash tells short words to whoever tries them all.
  const words = JSON.stringify(cleanPayload(fields).value);
  const after = (mark: string | number) =>
    hashParts([session, command, String(mark), String(promptNumber ?? ''), words]);
  const own = fields.tool_use_id ?? fields.prompt_id ?? fields.timestamp;
  if (own !== undefined) return after(own);
  if (!known) return after(0);
  if (command !== 'new') return after(lastSeqOfOthers(db, known.id, KINDS[command]));
  // Whatever was said in between, the same words are said anew.
  const [last, before] = listLastEvents(db, known.id, 2);
  const again = after(before?.seq ?? 0);
  return last?.id === again ? again : after(last?.seq ?? 0);
}

const KINDS: Record<HookCommand, string> = {
  context: 'start',
  new: 'prompt',
  save: 'tool',
  summary: 'stop',
  cleanup: 'end',
};

function findPromptId(db: Database, { command, promptNumber, fields }: Said, session: Session | null): string | null {
  if (fields.prompt_id !== undefined) return fields.prompt_id;
  if (promptNumber === null || !session) return null;
  // Under one prompt the agent may come to rest with the same words twice; of the latest prompt it need not be said.
  if (command === 'summary' && promptNumber >= session.promptCounter) return null;
  return promptIdOf(db, session.id, promptNumber);
}
