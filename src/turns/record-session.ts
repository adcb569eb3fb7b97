// The records that a session lacks, made from its transcripts: of what would be kept of hooks today, and nothing
// is stored but these.
import type { Database } from 'bun:sqlite';
import type { Agent } from '../agents/agent.ts';
import { findSeq } from '../capture/events.ts';
import { type CaptureSettings, judgeArrival } from '../capture/judge.ts';
import { type EventArrival, readArrival } from '../capture/message.ts';
import { placeArrival, promptOf } from '../capture/private.ts';
import { promptText } from '../capture/prompts.ts';
import { findSession, type Session } from '../capture/sessions.ts';
import { envelopeOf, readSession } from '../capture/take-session.ts';
import type { FoundFile } from '../capture/transcript-files.ts';
import type { SessionEvent } from '../core/event.ts';
import { readAll, readFirst } from '../store/read.ts';
import { buildRecord } from './build.ts';
import type { TurnRecord } from './record.ts';
import { isRecorded, judgeRecord, listTurnEvents, type PutTurn, putTurn, RECORDED, readEvent, type TurnEvent } from './turns.ts';

type SessionToRecord = {
  /** The host's own id. */
  session: string;
  host: Agent;
  /** Its own file first, then those of its agents; none: what is left of its events must do. */
  files: FoundFile[];
  settings: CaptureSettings;
  /** What ended before is not kept. */
  since: number;
  isDry: boolean;
};

type Recorded = {
  /** Ours; null when nothing is known of the session. */
  sessionId: number | null;
  records: number;
  /** Turns in which something was forgotten: the words around it could tell it again. */
  forgotten: number;
};

export function recordSession(db: Database, wanted: SessionToRecord): Recorded {
  const session = findSession(db, wanted.session);
  const recorded: Recorded = { sessionId: session?.id ?? null, records: 0, forgotten: 0 };
  const missing = session ? listUnrecorded(db, session.id) : [];
  if (!session || missing.length === 0) return recorded;
  const turns = new Map(missing.map(({ promptNumber }) => [promptNumber, emptyTurn()]));
  if (wanted.files.length > 0) readTurns(db, session, wanted, turns);
  for (const { promptNumber, isWhole } of missing) {
    const told = turns.get(promptNumber) ?? emptyTurn();
    if (told.isForgotten) recorded.forgotten++;
    // Without a transcript all of it must still be there: half a record would be taken for the whole.
    if (told.isForgotten || (told.heard.length === 0 && !isWhole)) continue;
    const made = makeTold(db, told, session, promptNumber);
    if (!made || made.turn.endedAt < wanted.since) continue;
    if (wanted.isDry || store(db, made)) recorded.records++;
  }
  return recorded;
}

/** `seq`: its place among the events of the store; null for words that only the transcript has. */
type Heard = { event: SessionEvent; seq: number | null };
type Told = { heard: Heard[]; branch: string | null; isForgotten: boolean };
const emptyTurn = (): Told => ({ heard: [], branch: null, isForgotten: false });

type Made = { turn: PutTurn; record: TurnRecord };

/** A person may have forgotten it meanwhile, or a worker recorded it. */
function store(db: Database, { turn, record }: Made): boolean {
  return db
    .transaction(() => {
      const isWanted = listUnrecorded(db, turn.sessionId).some(({ promptNumber }) => promptNumber === turn.promptNumber);
      if (isWanted) putTurn(db, turn, record);
      return isWanted;
    })
    .immediate();
}

function readTurns(db: Database, session: Session, wanted: SessionToRecord, turns: Map<number, Told>): void {
  const files = wanted.files.map((file) => ({ ...file, from: 0, isOver: true }));
  for (const { record } of readSession(wanted.host, files)) {
    const said = record && readArrival(envelopeOf(wanted.host.name, record));
    if (said?.kind !== 'event' || said.event.session !== session.hostSessionId) continue;
    if (RECORDED.has(said.event.kind)) hear(db, said, { session, settings: wanted.settings, turns });
  }
}

type Hearing = { session: Session; settings: CaptureSettings; turns: Map<number, Told> };

function hear(db: Database, said: EventArrival, { session, settings, turns }: Hearing): void {
  const judged = judgeArrival(db, said, session, settings);
  if (judged.kind === 'refused') {
    const turn = turns.get(promptOf(db, said, session)?.promptNumber ?? 0);
    if (turn && judged.reason === 'forgotten') turn.isForgotten = true;
    return;
  }
  const { said: placed, prompt, isPrivate } = placeArrival(db, said, judged.event, session);
  if (isPrivate) return;
  const seq = findSeq(db, placed.event, session.id);
  const known = seq === null ? null : readRow(db, seq);
  if (known && !isRecorded(known.status, placed.event)) return;
  // What was done must be known to have happened here. Words belong to the prompt that they name: hooks bring only the last of them.
  const words = known ? null : wordsOf(placed.event);
  const number = known?.promptNumber ?? (words && prompt?.isOwn ? prompt.promptNumber : 0);
  const turn = turns.get(number);
  if (!turn) return;
  turn.heard.push({ event: words ?? placed.event, seq });
  turn.branch ??= said.branch;
}

const readRow = (db: Database, seq: number) => {
  const sql = "SELECT prompt_number AS promptNumber, status FROM events WHERE seq = ? AND status <> 'quarantined'";
  return readFirst<{ promptNumber: number; status: string }>(db, sql, seq);
};

/** The end of a turn that went on is no end. */
function wordsOf(event: SessionEvent): SessionEvent | null {
  if (event.kind === 'stop') return { ...event, kind: 'said', text: event.message };
  return event.kind === 'said' ? event : null;
}

function makeTold(db: Database, { heard, branch }: Told, session: Session, promptNumber: number): Made | null {
  const place = { sessionId: session.id, promptNumber };
  const { rows } = listTurnEvents(db, place);
  const events = merge(heard, rows);
  const inOrder = [...events.filter(({ kind }) => kind !== 'stop'), ...events.filter(({ kind }) => kind === 'stop')];
  const prompt = promptText(db, place) ?? '';
  const record = judgeRecord(buildRecord(inOrder, session.root), { events: inOrder, asked: [session.firstPrompt ?? '', prompt] });
  if (record.steps.length === 0 && record.closing === '') return null;
  const times = rows.map(({ at }) => at);
  const turn = { ...place, branch, head: null, startedAt: Math.min(...times), endedAt: Math.max(...times) };
  return { turn, record };
}

/** In the order of the transcript; what it does not tell, and is still in the store, comes after what was before it. */
function merge(heard: Heard[], rows: TurnEvent[]): SessionEvent[] {
  const told = new Set(heard.map(({ seq }) => seq));
  const merged = [...heard];
  for (const row of rows) {
    const [event] = told.has(row.seq) ? [] : readEvent(row);
    if (!event) continue;
    const before = merged.findLastIndex((one) => one.seq !== null && one.seq < row.seq);
    merged.splice(before + 1, 0, { event, seq: row.seq });
  }
  return merged.map(({ event }) => event);
}

type Unrecorded = {
  promptNumber: number;
  /** The payloads of all its events are still there. */
  isWhole: boolean;
};

/** Of one session, in order. A private or hidden prompt, or one under which something is hidden, is not among them. */
function listUnrecorded(db: Database, sessionId: number): Unrecorded[] {
  const sql = `SELECT p.prompt_number AS promptNumber, NOT EXISTS (${OF_TURN('events')} AND m.payload IS NULL
      AND m.kind IN ('tool','said','stop','subagent')) AS isWhole
    FROM prompts p WHERE p.session_id = ? AND p.private = 0 AND p.text <> '' AND p.hidden_at IS NULL
      AND NOT EXISTS (${OF_TURN('turns')})
      AND EXISTS (${OF_TURN('events')} AND m.status = 'done')
      AND NOT EXISTS (${OF_TURN('events')} AND m.status IN ('pending','claimed'))
      AND NOT EXISTS (${OF_TURN('observations')} AND m.hidden_at IS NOT NULL)
      AND NOT EXISTS (${OF_TURN('summaries')} AND m.hidden_at IS NOT NULL)
    ORDER BY p.prompt_number`;
  return readAll<{ promptNumber: number; isWhole: number }>(db, sql, sessionId).map(({ promptNumber, isWhole }) => ({
    promptNumber,
    isWhole: isWhole === 1,
  }));
}

const OF_TURN = (table: string) => `SELECT 1 FROM ${table} m WHERE m.session_id = p.session_id AND m.prompt_number = p.prompt_number`;

/** Those that were heard of since then, with a prompt that has no record. `projectId`: null for all. */
export function listSessionsUnrecorded(
  db: Database,
  { projectId, since }: { projectId: number | null; since: number },
): { id: number; host: string; hostSessionId: string }[] {
  const sql = `SELECT s.id, s.host, s.host_session_id AS hostSessionId FROM sessions s
    WHERE ($projectId IS NULL OR s.project_id = $projectId) AND s.updated_at_epoch >= $since
      AND EXISTS (SELECT 1 FROM events e WHERE e.session_id = s.id)
      AND EXISTS (SELECT 1 FROM prompts p WHERE p.session_id = s.id AND p.text <> '' AND NOT EXISTS (${OF_TURN('turns')}))
    ORDER BY s.id`;
  return readAll<{ id: number; host: string; hostSessionId: string }>(db, sql, { projectId, since });
}
