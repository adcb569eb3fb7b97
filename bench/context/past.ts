// The past of a project: conversations that come through the product's door, hook by hook, and are observed as they end.

import type { Database } from 'bun:sqlite';
import { ingest } from '../../src/capture/ingest.ts';
import { readArrival } from '../../src/capture/message.ts';
import { findSession } from '../../src/capture/sessions.ts';
import { type HookCommand, WIRE_VERSION } from '../../src/core/envelope.ts';
import { hashParts } from '../../src/core/ids.ts';
import { observeBatch } from '../../src/observe/observe.ts';
import { processTurn } from '../../src/observe/process-turn.ts';
import { CAPTURE_ALL } from '../../test/support/capture-settings.ts';

export type Said = { role: string; text: string };

/** The folder of the project; it need not be there. */
export const ROOT = '/bench/shop';

/** Turns come two minutes after each other. */
const STEP_MS = 120_000;

/** Returns the number of the session. */
export function addSession(db: Database, { id, at, turns }: { id: string; at: number; turns: Said[] }): number {
  let now = at;
  const take = (command: HookCommand, payload: Record<string, unknown>) => {
    now += STEP_MS;
    takeHook(db, command, { session_id: id, cwd: ROOT, timestamp: now, ...payload });
  };
  for (const [place, { role, text }] of joinTurns(turns).entries()) {
    if (role === 'user') {
      take('new', { hook_event_name: 'UserPromptSubmit', prompt_id: `${id}-${place}`, prompt: text });
      continue;
    }
    take('summary', { hook_event_name: 'Stop', last_assistant_message: text });
    distil(db, id);
  }
  take('cleanup', { hook_event_name: 'SessionEnd', reason: 'other' });
  return distil(db, id);
}

/** Returns the host's id of the new session. */
export function addFirstPrompt(db: Database, prompt: string): string {
  const id = crypto.randomUUID();
  takeHook(db, 'new', {
    session_id: id,
    cwd: ROOT,
    timestamp: Date.now(),
    hook_event_name: 'UserPromptSubmit',
    prompt_id: `${id}-0`,
    prompt,
  });
  return id;
}

function takeHook(db: Database, command: HookCommand, payload: Record<string, unknown> & { timestamp: number }): void {
  const id = hashParts([command, JSON.stringify(payload)]);
  const envelope = { id, v: WIRE_VERSION, host: 'claude-code', event: command, receivedAt: payload.timestamp, payload };
  db.transaction(() => ingest(db, readArrival(envelope), CAPTURE_ALL)).immediate();
}

/** What an agent says in several messages of one turn ends in one closing message. */
function joinTurns(turns: Said[]): Said[] {
  const joined: Said[] = [];
  for (const { role, text } of turns) {
    const last = joined.at(-1);
    if (last && last.role === role && role !== 'user') last.text += `\n\n${text}`;
    else joined.push({ role, text });
  }
  return joined;
}

function distil(db: Database, id: string): number {
  const session = findSession(db, id);
  if (!session) throw new Error(`session ${id} did not come through the door`);
  const result = processTurn(db, session.id, { observe: observeBatch, isForModel: () => false, clock: Date.now });
  if (result.kind === 'failed' || result.kind === 'postponed') throw result.error;
  return session.id;
}
