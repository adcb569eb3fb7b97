// turns: one row for each turn, with its record. Kept like memories, not like raw payloads.
import type { Database } from 'bun:sqlite';
import type { SessionEvent } from '../core/event.ts';
import { hashParts } from '../core/ids.ts';
import type { Batch } from '../core/observation.ts';
import { wordsIn } from '../memory/content-words.ts';
import { type Heard, listShownWords } from '../memory/untrusted.ts';
import { scrubSecrets } from '../secrets/scrub.ts';
import { addDocument } from '../store/documents.ts';
import { readAll, readFirst } from '../store/read.ts';
import { buildBatch, buildRecord } from './build.ts';
import { fitRecord, readRecord, type TurnRecord, withGap, writeRecord } from './record.ts';
import { withoutForgotten } from './take-out.ts';

export type TurnPlace = { sessionId: number; promptNumber: number };

export type Turn = TurnPlace & { id: number; startedAt: number; endedAt: number; branch: string | null; record: string };

type NewTurn = TurnPlace & { root: string; branch: string | null; head: string | null; heard?: Batch };

/**
 * Makes the record of a turn again from all events of it whose payload is still there; what an older record knows of events that are gone
 * stays before that. `heard`: what was judged of it, and by what. Inside a transaction.
 */
export function recordTurn(db: Database, { heard, ...turn }: NewTurn): void {
  const { rows, left } = listTurnEvents(db, turn);
  const events = markAgain(rows.flatMap(readEvent), heard);
  const times = events.map(({ at }) => at);
  if (times.length === 0) return;
  const before = rows.some(({ payload, kind }) => payload === null && RECORDED.has(kind)) ? findTurn(db, turn) : null;
  const built = heard && isAllOf(heard, events) ? buildBatch(heard).record : buildRecord(events, turn.root);
  const made = judgeRecord(withGap(built, left), { events, ...heardBefore(heard) });
  const record = before ? join(readRecord(before.record), made) : made;
  if (record.steps.length === 0 && record.closing === '') return;
  const startedAt = Math.min(...times, before?.startedAt ?? Number.POSITIVE_INFINITY);
  putTurn(db, { ...turn, startedAt, endedAt: Math.max(...times) }, record);
}

/** A turn in one part: it was read already, to observe it. */
function isAllOf(heard: Batch, events: SessionEvent[]): boolean {
  const [judged, recorded] = [heard.events, events].map((all) => all.filter(({ kind }) => RECORDED.has(kind)).map(({ id }) => id));
  return judged?.join() === recorded?.join();
}

/** Which of them showed somebody else's files was seen when they were judged. */
function markAgain(events: SessionEvent[], heard: Batch | undefined): SessionEvent[] {
  const theirs = new Set(
    [...(heard?.earlier ?? []), ...(heard?.events ?? [])].flatMap((event) => ('isForeign' in event ? [event.id] : [])),
  );
  return theirs.size === 0
    ? events
    : events.map((event) => (event.kind === 'tool' && theirs.has(event.id) ? { ...event, isForeign: true } : event));
}

const heardBefore = (heard: Batch | undefined) => ({ earlier: heard?.earlier ?? [], asked: [heard?.session.firstPrompt ?? ''] });

export const judgeRecord = (record: TurnRecord, heard: Heard): TurnRecord => withUnshown(record, listShownWords(heard));

/** With those of its words that are not among these, which were asked, shown or done; null where nothing came from outside. */
export const withUnshown = (record: TurnRecord, shown: ReadonlySet<string> | null): TurnRecord =>
  shown ? { ...record, unshown: [...wordsIn([writeRecord(record)])].filter((word) => !shown.has(word)) } : record;

/** An event that a record tells of. */
export const RECORDED: ReadonlySet<string> = new Set(['tool', 'said', 'stop', 'subagent']);

const join = (older: TurnRecord, newer: TurnRecord): TurnRecord => ({
  steps: [...older.steps, ...newer.steps],
  closing: newer.closing || older.closing,
  ...((older.unshown || newer.unshown) && { unshown: [...new Set([...(older.unshown ?? []), ...(newer.unshown ?? [])])] }),
});

export type PutTurn = TurnPlace & {
  startedAt: number;
  endedAt: number;
  branch: string | null;
  head: string | null;
  /** Where the work tree stood at its beginning, if that is known to be elsewhere. */
  headBefore?: string | null;
};

/** Also what an import or a rebuild makes of it. Joined here: what was in two steps may be a secret in one text. */
export function putTurn(db: Database, turn: PutTurn, record: TurnRecord): void {
  if (!hasPrompt(db, turn)) return;
  const { text } = scrubSecrets(writeRecord(fitRecord(withoutForgotten(db, record))));
  db.query(
    `INSERT INTO turns (session_id, prompt_number, started_at_epoch, ended_at_epoch, branch, head_before, head_after, record, hash)
     VALUES ($sessionId, $promptNumber, $startedAt, $endedAt, $branch, $headBefore, $head, $text, $hash)
     ON CONFLICT (session_id, prompt_number) DO UPDATE SET started_at_epoch = $startedAt, ended_at_epoch = $endedAt,
       branch = coalesce($branch, branch), head_after = coalesce($head, head_after), record = $text, hash = $hash`,
  ).run({ ...turn, headBefore: turn.headBefore ?? turn.head, text, hash: hashParts([text]) });
  documentTurn(db, turn);
}

/** The record of a turn that is there, in other words. Inside a transaction. */
export function rewriteRecord(db: Database, turn: Turn, record: TurnRecord): void {
  const { text } = scrubSecrets(writeRecord(record));
  db.query('UPDATE turns SET record = ?, hash = ? WHERE id = ?').run(text, hashParts([text]), turn.id);
  documentTurn(db, turn);
}

/** False when there is none. Inside a transaction. */
export function dropRecord(db: Database, turn: TurnPlace): boolean {
  const { changes } = db.query('DELETE FROM turns WHERE session_id = ? AND prompt_number = ?').run(turn.sessionId, turn.promptNumber);
  if (changes > 0) documentTurn(db, turn);
  return changes > 0;
}

/** The triggers took its document away with the old text. */
function documentTurn(db: Database, { sessionId, promptNumber }: TurnPlace): void {
  const sql = 'SELECT id FROM prompts WHERE session_id = ? AND prompt_number = ?';
  const prompt = readFirst<{ id: number }>(db, sql, sessionId, promptNumber);
  if (prompt) addDocument(db, { kind: 'prompt', id: prompt.id });
}

const SELECT = `SELECT id, session_id AS sessionId, prompt_number AS promptNumber, started_at_epoch AS startedAt, ended_at_epoch AS endedAt,
  branch, record FROM turns`;

export function findTurn(db: Database, { sessionId, promptNumber }: TurnPlace): Turn | null {
  return readFirst<Turn>(db, `${SELECT} WHERE session_id = ? AND prompt_number = ?`, sessionId, promptNumber);
}

/** So many of the newest of a project are looked through: the cost does not grow with the store. */
const LOOKED_THROUGH = 400;

/** The turns of other sessions whose record or prompt has this text, the newest first. */
export function listTurnsWith(
  db: Database,
  { projectId, exceptSession, text }: { projectId: number; exceptSession: number; text: string },
) {
  const sql = `SELECT t.id, t.session_id AS sessionId, t.prompt_number AS promptNumber, t.started_at_epoch AS startedAt,
      t.ended_at_epoch AS endedAt, t.branch, t.record, p.id AS promptId, p.text AS prompt
    FROM (SELECT t.id FROM sessions s CROSS JOIN turns t ON t.session_id = s.id
          WHERE s.project_id = ?1 AND s.id <> ?2 ORDER BY s.updated_at_epoch DESC, t.id DESC LIMIT ${LOOKED_THROUGH}) AS newest
      CROSS JOIN turns t ON t.id = newest.id
      JOIN prompts p ON p.session_id = t.session_id AND p.prompt_number = t.prompt_number
    WHERE instr(t.record, ?3) > 0 OR instr(p.text, ?3) > 0 ORDER BY t.ended_at_epoch DESC`;
  return readAll<Turn & { promptId: number; prompt: string }>(db, sql, projectId, exceptSession, text);
}

type EarlierTurn = { promptNumber: number; prompt: string; record: string };

/** What was asked and the record, of the turns right before one, the latest last. */
export function listTurnsBefore(db: Database, { sessionId, promptNumber }: TurnPlace, most: number): EarlierTurn[] {
  const sql = `SELECT t.prompt_number AS promptNumber, p.text AS prompt, t.record FROM turns t
      JOIN prompts p ON p.session_id = t.session_id AND p.prompt_number = t.prompt_number
    WHERE t.session_id = ? AND t.prompt_number < ? ORDER BY t.prompt_number DESC LIMIT ? + 0`;
  return readAll<EarlierTurn>(db, sql, sessionId, promptNumber, most).reverse();
}

/** `payload`: null when it is gone. */
export type TurnEvent = { seq: number; kind: string; status: string; at: number; payload: string | null };

/**
 * Of a turn with more events the first and the last are recorded: a record has room for a few hundred steps, and is
 * made again for each part of a long turn.
 */
const MOST_EVENTS = 1500;

/** In the order they happened: a stop is the end of its turn, whatever came late. */
export function listTurnEvents(db: Database, { sessionId, promptNumber }: TurnPlace): { rows: TurnEvent[]; left: number } {
  const sql = `SELECT seq FROM events WHERE session_id = ? AND prompt_number = ? AND status <> 'quarantined'
    ORDER BY kind IN ('stop','end'), seq`;
  const seqs = readAll<{ seq: number }>(db, sql, sessionId, promptNumber);
  const left = Math.max(0, seqs.length - MOST_EVENTS);
  const half = MOST_EVENTS / 2;
  const kept = left === 0 ? seqs : [...seqs.slice(0, half), ...seqs.slice(-half)];
  const read = db.query<TurnEvent, [number]>('SELECT seq, kind, status, created_at_epoch AS at, payload FROM events WHERE seq = ?');
  return { rows: kept.flatMap(({ seq }) => read.get(seq) ?? []), left };
}

/** What is not to be looked at (what the memory told, a tool that the settings skip) is not recorded either; what was refused is. */
export function isRecorded(status: string, event: SessionEvent): boolean {
  return status !== 'skipped' || (event.kind === 'tool' && event.isUndone === true);
}

export function readEvent({ status, payload }: TurnEvent): SessionEvent[] {
  if (payload === null) return [];
  // Written by insertEvent and nobody else.
  const event = JSON.parse(payload) as SessionEvent;
  return isRecorded(status, event) ? [event] : [];
}

/** Under a private prompt nothing is recorded; of one that is not known yet (its transcript will tell) nobody would find the record. */
const hasPrompt = (db: Database, { sessionId, promptNumber }: TurnPlace): boolean =>
  db
    .query("SELECT 1 FROM prompts WHERE session_id = ? AND prompt_number = ? AND private = 0 AND text <> ''")
    .get(sessionId, promptNumber) !== null;

/** Removes some of the records that are older, oldest first; how many went. What was made of them stays. Inside a transaction. */
export function expireRecords(db: Database, before: number, limit: number): number {
  const sql = `SELECT session_id AS sessionId, prompt_number AS promptNumber FROM turns
    WHERE ended_at_epoch < ? ORDER BY ended_at_epoch LIMIT ? + 0`;
  const old = readAll<TurnPlace>(db, sql, before, limit);
  return old.filter((turn) => dropRecord(db, turn)).length;
}
