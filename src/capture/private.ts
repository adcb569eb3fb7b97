// What lies under a private prompt stays out, and what was kept before that was known goes.
import type { Database } from 'bun:sqlite';
import type { SessionEvent } from '../core/event.ts';
import { spellEvent } from '../git/work-file.ts';
import { markCopies } from '../store/erasing.ts';
import { dropAnswers } from '../store/model-calls.ts';
import { readAll } from '../store/read.ts';
import { bury, isForgotten } from '../store/tombstones.ts';
import { dropRecord, recordTurn } from '../turns/turns.ts';
import { BY_TIME, findSeq } from './events.ts';
import type { EventArrival } from './message.ts';
import {
  findPrompt,
  hasPrompt,
  insertPrompt,
  isPrivatePromptId,
  isPromptOf,
  namePrompt,
  type PromptPlace,
  type PromptSeat,
  takeSeat,
} from './prompts.ts';
import { countPrompt, findSession, type Session } from './sessions.ts';
import { markSilenced, wasSilenced } from './silence.ts';

/** `said`: its paths spelled as its work tree has them. `isPrivate`: it lies under a private prompt. */
type Placed = { said: EventArrival; prompt: PromptPlace | null; isPrivate: boolean };

export function placeArrival(db: Database, said: EventArrival, kept: SessionEvent, session: Session): Placed {
  // Only now: what is excluded may be named by the link.
  const arrival = { ...said, event: spellEvent(kept, session.root) };
  const prompt = promptOf(db, arrival, session);
  return { said: arrival, prompt, isPrivate: isHidden(db, arrival, session, prompt) };
}

/** An agent belongs to the prompt that it was started under, whenever it did what it did. */
export function promptOf(db: Database, { event, envelope, told }: EventArrival, session: Session): PromptPlace | null {
  const at = envelope.isFromTranscript ? (told.agentStartedAt ?? event.at) : null;
  // What names no prompt belongs to the one of its time: what waited for a worker comes in any order.
  return findPrompt(db, session.id, event.promptId, at ?? (event.promptId === null ? event.at : null));
}

/** Under a private prompt, or done by an agent that was started under one. Start and end say nothing of it. */
function isHidden(db: Database, said: EventArrival, session: Session, prompt: PromptPlace | null): boolean {
  const { event, envelope, markedSince } = said;
  if (event.kind === 'prompt' || event.kind === 'start' || event.kind === 'end') return false;
  if (isSurelyHidden(db, said) || prompt?.isPrivate) return true;
  const isMarked = markedSince !== undefined;
  if (isMarked && !hasPrompt(db, session.id, { isPrivate: false, after: markedSince, until: envelope.receivedAt })) return true;
  // A fork repeats its parent's prompts under the same ids, and their tools.
  return event.promptId !== null && !prompt?.isOwn && isPrivatePromptId(db, event.promptId);
}

const isSurelyHidden = (db: Database, { event, told }: EventArrival): boolean =>
  told.isUnderPrivate === true || (event.agentId !== null && isForgotten(db, 'agent', event.agentId));

/** Whatever a hook brought of it goes. Only what is sure: times alone may be wrong by a little. */
export function hideEvent(db: Database, said: EventArrival, session: Session): void {
  const { event, envelope } = said;
  const started = event.kind === 'tool' && event.action.type === 'agent' ? event.action.agentId : null;
  const seq = envelope.isFromTranscript && isSurelyHidden(db, said) ? findSeq(db, event, session.id) : null;
  if (seq !== null) forgetEvents(db, session, 'seq = $seq', { seq });
  const listed = (agent: string | null) => (agent ? [agent] : []);
  hideAgents(db, session, { started: listed(started), atWork: listed(event.agentId) }, event.at);
}

/**
 * A background agent goes on under later prompts: it is known by its id. Of one that was started here nothing stays; one that only
 * was at work may have begun before, with what is not private.
 */
function hideAgents(db: Database, session: Session, { started, atWork }: Agents, at: number): void {
  for (const agent of atWork) bury(db, 'agent', agent, at);
  for (const agent of started) {
    bury(db, 'agent', agent, at);
    // What it did, its report, and the agents that it started itself.
    const own = `kind IN ('tool','subagent') AND payload IS NOT NULL
      AND $agent IN (json_extract(payload, '$.agentId'), json_extract(payload, '$.action.agentId'))`;
    const gone = forgetEvents(db, session, own, { agent });
    hideAgents(db, session, { started: gone.started.filter((other) => other !== agent), atWork: [] }, at);
  }
}

export function withoutPrivate(db: Database, { event, isPrivate }: EventArrival, session: Session): SessionEvent {
  const { extra: _, ...known } = event;
  if (isPrivate) return { ...known, kind: 'prompt', text: '' };
  if (event.kind !== 'compaction') return event;
  // The summary of a compaction is about the whole conversation, with what is private and what was left out.
  return hasPrompt(db, session.id, PRIVATE) || wasSilenced(db, event.session) ? { ...known, kind: 'compaction', summary: '' } : event;
}

const PRIVATE = { isPrivate: true };

/** From now on nothing is kept that sums up all of the session; what was kept of that goes, as far as it may tell of it. */
export function silenceSession(db: Database, { event, envelope }: EventArrival, session: Session | null): void {
  if (!markSilenced(db, event.session, envelope.receivedAt) || !session) return;
  forgetCompactions(db, session.id, { since: event.at, isRead: envelope.isFromTranscript === true });
}

/** A fork goes on from all that its parent was told. */
export function heedPast(db: Database, said: EventArrival, session: Session): void {
  const { past } = said.told;
  if (!past || (said.event.kind !== 'prompt' && said.event.kind !== 'compaction')) return;
  const parent = findSession(db, past.session);
  const isTold = past.hasPrivate || wasSilenced(db, past.session) || (parent && hasPrompt(db, parent.id, PRIVATE));
  if (isTold) silenceSession(db, said, session);
}

type PromptArrival = EventArrival & { event: Extract<SessionEvent, { kind: 'prompt' }> };

export const isPrompt = (said: EventArrival): said is PromptArrival => said.event.kind === 'prompt';

/** `seat`: the row or the number that it has already, in what another store brought of the session. */
export function keepPrompt(db: Database, session: Session, said: PromptArrival, seat: PromptSeat | null = null): void {
  const { event, isPrivate, envelope } = said;
  const { promptId, at } = event;
  const text = isPrivate ? '' : event.text;
  // Said while a turn runs, it shares the prompt id of what was said before: that stays.
  const isAlone = promptId !== null && !hasPrompt(db, session.id, { isPrivate: false, promptId });
  const promptNumber = seat?.promptNumber ?? countPrompt(db, session.id, text);
  if (seat?.id) takeSeat(db, seat.id, promptId);
  else insertPrompt(db, { sessionId: session.id, promptNumber, promptId, text, isPrivate, at });
  if (!isPrivate) return;
  const turn = 'prompt_id = $promptId AND id <> $exceptId';
  if (isAlone) hideAgents(db, session, forgetEvents(db, session, turn, { promptId, exceptId: event.id }), at);
  forgetCompactions(db, session.id, { since: at, isRead: envelope.isFromTranscript === true });
}

/** It looks like one that is known. That is how a transcript says again what hooks have delivered; private ones all look the same. */
export function hearPromptAgain(db: Database, session: Session, said: PromptArrival): void {
  const { event, isPrivate, envelope } = said;
  const { promptId, at } = event;
  const isByTime = promptId?.startsWith(BY_TIME) ?? false;
  const isKnown = (id: string) =>
    envelope.isFromTranscript
      ? !isByTime || namePrompt(db, session.id, { promptId: id, text: isPrivate ? '' : event.text, isPrivate })
      : isPromptOf(db, session.id, { promptId: id, at });
  if (promptId !== null && !isKnown(promptId) && isPrivate) keepPrompt(db, session, said);
  // A copy of a session says what the other has said.
  if (isPrivate && !hasPrompt(db, session.id, PRIVATE)) silenceSession(db, said, session);
}

/** The agents that what is gone was done by, and those that were started by it. They may go on under later prompts. */
type Agents = { atWork: string[]; started: string[] };

/** With what was made of them; the records that told of them are made again of what is left. */
function forgetEvents(db: Database, { id: sessionId, root }: Session, where: string, values: Record<string, string | number>): Agents {
  const sql = `DELETE FROM events WHERE session_id = $sessionId AND ${where} RETURNING ${GONE},
    json_extract(payload, '$.action.agentId') AS started, json_extract(payload, '$.agentId') AS agent`;
  const events = readAll<Gone & { started: string | null; agent: string | null }>(db, sql, { sessionId, ...values });
  forgetMade(db, sessionId, events);
  for (const promptNumber of new Set(events.filter(({ kind }) => kind !== 'compaction').map(({ number }) => number))) {
    const isGone = dropRecord(db, { sessionId, promptNumber });
    if (isGone) recordTurn(db, { sessionId, promptNumber, root, branch: null, head: null });
  }
  return { atWork: events.flatMap(({ agent }) => agent ?? []), started: events.flatMap(({ started }) => started ?? []) };
}

/**
 * The summary of a compaction is about the whole conversation: it tells of what only now turns out to be private. That there was
 * one stays. `isRead`: the private part was found in a transcript, whose times need not be those of hooks.
 */
function forgetCompactions(db: Database, sessionId: number, found: { since: number; isRead: boolean }): void {
  const sql = `UPDATE events SET payload = json_set(payload, '$.summary', '') WHERE session_id = $sessionId AND kind = 'compaction'
    AND (created_at_epoch >= $since OR ($isRead AND provenance LIKE 'hook:%'))
    AND (payload IS NULL OR json_extract(payload, '$.summary') <> '') RETURNING ${GONE}`;
  const events = readAll<Gone>(db, sql, { sessionId, since: found.since, isRead: Number(found.isRead) });
  forgetMade(db, sessionId, events);
}

type Gone = { id: string; at: number; batchId: number | null; number: number; kind: string };
const GONE = 'id, created_at_epoch AS at, batch_id AS batchId, prompt_number AS number, kind';

function forgetMade(db: Database, sessionId: number, events: Gone[]): void {
  if (events.length === 0) return;
  markCopies(db, 'stale');
  const sql = `DELETE FROM observations WHERE session_id = ? AND EXISTS (SELECT 1 FROM json_each(sources) WHERE value = ?)`;
  const dropObservations = db.query(sql);
  for (const { id } of events) dropObservations.run(sessionId, id);
  // A model may be looking at them, or have answered: its words rest on them, too.
  for (const batchId of new Set(events.map((event) => event.batchId))) if (batchId !== null) forgetBatch(db, batchId);
  // A summary does not name its events: whatever was summed up since the first of them may rest on it.
  const since = Math.min(...events.map(({ at }) => at));
  db.query('DELETE FROM summaries WHERE session_id = ? AND created_at_epoch >= ?').run(sessionId, since);
  db.query('UPDATE sessions SET title = NULL, subtitle = NULL WHERE id = ?').run(sessionId);
  db.query(
    `UPDATE replacements SET words = NULL
     WHERE (newer_kind = 'observation' AND newer_id IN (SELECT id FROM observations WHERE session_id = $id))
       OR (newer_kind = 'prompt' AND newer_id IN (SELECT id FROM prompts WHERE session_id = $id))`,
  ).run({ id: sessionId });
}

/** What a model made of a batch may rest on any of its events, whatever it names as its source. */
function forgetBatch(db: Database, batchId: number): void {
  dropAnswers(db, batchId);
  db.query("DELETE FROM observations WHERE batch_id = $id AND batch_id IN (SELECT id FROM batches WHERE observer = 'model')").run({
    id: batchId,
  });
  db.query('UPDATE batches SET reason = NULL WHERE id = ?').run(batchId);
}
