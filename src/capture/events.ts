// events: what happened. An event is in it once, by its id, by its tool use, and by what was said under its prompt.
import type { Database } from 'bun:sqlite';
import type { SessionEvent } from '../core/event.ts';
import { isoTime } from '../core/time.ts';
import { exists, readAll, readColumn, readFirst, readValue } from '../store/read.ts';

type NewEvent = {
  event: SessionEvent;
  sessionId: number;
  promptNumber: number;
  status: 'pending' | 'skipped';
  provenance: string;
};

/** Where a tool event came from that its hook had no time to read to the end: the transcript's copy takes its place. */
export const INCOMPLETE = 'hook:save:incomplete';

/** False when it was there already. */
export function insertEvent(db: Database, { event, ...row }: NewEvent): boolean {
  if (findSaidEvent(db, event, row.sessionId) !== null || completeStop(db, event, row.sessionId)) return false;
  const payload = JSON.stringify(event);
  const toolUseId = event.kind === 'tool' ? event.toolUseId : null;
  const { id, kind, promptId, at } = event;
  const sql = `INSERT OR IGNORE INTO events (id, session_id, kind, tool_use_id, prompt_id, prompt_number, payload, size, status,
      provenance, created_at, created_at_epoch)
    VALUES ($id, $sessionId, $kind, $toolUseId, $promptId, $promptNumber, $payload, $size, $status, $provenance, $iso, $at)`;
  const { changes } = db.query(sql).run({ ...row, id, kind, toolUseId, promptId, payload, size: payload.length, iso: isoTime(at), at });
  if (changes > 0) return true;
  const { status, provenance } = row;
  if (event.kind !== 'tool' || toolUseId === null || event.isUndone || provenance === INCOMPLETE) return false;
  // What seemed never to have been done was done after all; or what was there in part comes as a whole.
  const redone = db
    .query(
      `UPDATE events SET payload = $payload, size = $size, provenance = $provenance,
         status = CASE WHEN status IN ('skipped','pending') THEN $status ELSE status END
       WHERE tool_use_id = $toolUseId AND kind = 'tool'
         AND (provenance = '${INCOMPLETE}' OR status = 'skipped' AND json_extract(payload, '$.isUndone'))`,
    )
    .run({ payload, size: payload.length, status, provenance, toolUseId });
  return redone.changes > 0;
}

/** Some hooks say that the agent came to rest, and not its last words: those come with the transcript, to the same end of the same turn. */
function completeStop(db: Database, event: SessionEvent, sessionId: number): boolean {
  if (event.kind !== 'stop' || event.message === '' || event.promptId === null) return false;
  const sql = `UPDATE events SET payload = json_set(payload, '$.message', $message), size = size + length($message)
    WHERE seq = (SELECT max(seq) FROM events WHERE session_id = $sessionId AND kind = 'stop' AND status = 'pending'
      AND (prompt_id = $promptId OR prompt_id IS NULL AND $isByTime) AND json_extract(payload, '$.message') = '')`;
  const { message, promptId } = event;
  return db.query(sql).run({ sessionId, message, promptId, isByTime: promptId.startsWith(BY_TIME) }).changes > 0;
}

/** A prompt without an id of the agent's is known by its time: only transcripts tell it so. */
export const BY_TIME = 'at:';

/**
 * The one that says the same, if there is one; null for what is no saying. A hook and the transcript have no id in common but their
 * prompt's. Another session may have it: a fork repeats its parent.
 */
function findSaidEvent(db: Database, event: SessionEvent, sessionId: number): number | null {
  const words = saidIn(event);
  const { promptId, kind } = event;
  if (words === null || promptId === null) return null;
  const find = (where: string, ...values: (string | number)[]) => {
    const sql = `SELECT seq, id, session_id AS sessionId, prompt_number AS promptNumber, payload FROM events
      WHERE ${where} AND kind = ? AND kind IN ('prompt','stop','subagent','compaction')`;
    return readAll<SaidRow>(db, sql, ...values, kind);
  };
  const isByTime = promptId.startsWith(BY_TIME);
  // Two sessions may have been asked something at the same moment: the one that has a prompt of its own repeats nobody.
  const isAlone = isByTime && exists(db, 'SELECT 1 FROM prompts WHERE session_id = ? AND prompt_id = ?', sessionId, promptId);
  const isSame = (row: SaidRow) => saysSame(db, event, words, row);
  const same = find('prompt_id = ?', promptId).find((row) => (!isAlone || row.sessionId === sessionId) && isSame(row));
  if (same || !isByTime) return same?.seq ?? null;
  return find('session_id = ? AND prompt_id IS NULL', sessionId).find(isSame)?.seq ?? null;
}

function saidIn(event: SessionEvent): string | null {
  if (event.kind === 'prompt') return event.text;
  if (event.kind === 'compaction') return event.summary;
  return event.kind === 'stop' || event.kind === 'subagent' ? event.message : null;
}

type SaidRow = { seq: number; id: string; sessionId: number; promptNumber: number; payload: string | null };

function saysSame(db: Database, event: SessionEvent, words: string, row: SaidRow): boolean {
  if (row.id === event.id) return true;
  const one = squeeze(words);
  // Used and removed since: that it was said is known, and of a prompt also the words.
  const asked = 'SELECT text FROM prompts WHERE session_id = ? AND prompt_number = ?';
  const known = () => readValue<string>(db, asked, row.sessionId, row.promptNumber) ?? '';
  if (row.payload === null) return event.kind !== 'prompt' || one === squeeze(known());
  const other = parse(row.payload);
  if (event.agentId !== other.agentId) return false;
  const two = squeeze(saidIn(other) ?? '');
  if (one === two) return true;
  // Of a message in several blocks a hook has the last one; a summary has a frame around it in the transcript.
  if (event.kind === 'prompt') return false;
  return one === '' || two === '' ? event.kind === 'compaction' : one.includes(two) || two.includes(one);
}

const squeeze = (text: string) => text.replace(/\s+/g, ' ').trim();

/** Where an event of a transcript stands in its session. */
export function findSeq(db: Database, event: SessionEvent, sessionId: number): number | null {
  const find = (where: string, value: string | number) =>
    readValue<number>(db, `SELECT seq FROM events WHERE ${where} AND session_id = ?`, value, sessionId);
  if (event.kind === 'tool' && event.toolUseId !== null) return find("tool_use_id = ? AND kind = 'tool'", event.toolUseId);
  if (event.kind === 'said') return find('id = ?', event.id);
  const said = findSaidEvent(db, event, sessionId);
  return said === null ? null : find('seq = ?', said);
}

/** Gives the same places to the same events, but in this order: hooks run beside each other. To be called inside a transaction. */
export function orderEvents(db: Database, seqs: number[]): void {
  // Somebody works on them just now, and knows them by their place.
  const busy = new Set(readColumn<number>(db, "SELECT seq FROM events WHERE status = 'claimed' AND batch_id IS NULL"));
  const told = [...new Set(seqs)].filter((seq) => !busy.has(seq));
  const order = [...told, ...listEndsBefore(db, Math.max(...told)).filter((seq) => !busy.has(seq) && !told.includes(seq))];
  const places = [...order].sort((one, other) => one - other);
  const moves = order.map((from, at) => ({ from, to: places[at] ?? from })).filter(({ from, to }) => from !== to);
  // Two steps, for no two may have one place in between.
  const leave = db.query('UPDATE events SET seq = -?2 WHERE seq = ?1');
  for (const { from, to } of moves) leave.run(from, to);
  if (moves.length > 0) db.run('UPDATE events SET seq = -seq WHERE seq < 0');
}

/** The end of a session follows all that happened in it; it may have come while the transcript was read. */
const listEndsBefore = (db: Database, seq: number): number[] => {
  const sql = `SELECT e.seq FROM events e JOIN events last ON last.session_id = e.session_id AND last.prompt_number = e.prompt_number
    WHERE last.seq = ? AND e.kind = 'end' AND e.seq < last.seq ORDER BY e.seq`;
  return readColumn(db, sql, seq);
};

/** Always skipped; said first, so that few payloads are read. */
const IS_RECALL = "kind = 'tool' AND status = 'skipped' AND json_extract(payload, '$.action.type') = 'memory'";

/** What the commands of the plugin print, the agent repeats. */
const ASKS_MEMORY = `EXISTS (SELECT 1 FROM prompts
  WHERE session_id = $sessionId AND prompt_number BETWEEN $first AND $last AND text LIKE '/mem:%')`;

/** `recalled`: this memory was asked or changed. `worked`: something else was done, whether it is processed already or not. */
export function readTurnWork(db: Database, sessionId: number, prompts: { first: number; last: number }) {
  const sql = `SELECT max(${IS_RECALL}) OR ${ASKS_MEMORY} AS recalled, max(status <> 'skipped') AS worked
    FROM events WHERE session_id = $sessionId AND prompt_number BETWEEN $first AND $last AND kind IN ('tool','subagent')`;
  const row = readFirst<{ recalled: number | null; worked: number | null }>(db, sql, { sessionId, ...prompts });
  return { recalled: row?.recalled === 1, worked: row?.worked === 1 };
}

/** A subagent that did nothing but ask this memory: its report repeats the answer. */
export function hasOnlyRecalled(db: Database, sessionId: number, agentId: string): boolean {
  const did = (what: string) => {
    const sql = `SELECT 1 FROM events WHERE session_id = ? AND ${what} AND json_extract(payload, '$.agentId') = ? LIMIT 1`;
    return exists(db, sql, sessionId, agentId);
  };
  return did(IS_RECALL) && !did("kind = 'tool' AND status <> 'skipped'");
}

// Written by insertEvent and nobody else.
const parse = (payload: string) => JSON.parse(payload) as SessionEvent;

export const listEarlierTools = (db: Database, sessionId: number, before: number, limit = 200): SessionEvent[] =>
  readPayloads(
    db,
    `session_id = $sessionId AND kind = 'tool' AND (status = 'done' OR batch_id IS NOT NULL) AND seq < $before`,
    { sessionId, before },
    limit,
  );

/** The newest so many, oldest first. `limit`: known when the statement is written. */
function readPayloads(db: Database, where: string, values: Record<string, number | null>, limit: number): SessionEvent[] {
  const sql = `SELECT payload FROM events WHERE payload IS NOT NULL AND ${where} ORDER BY seq DESC LIMIT ${limit}`;
  return readAll<{ payload: string }>(db, sql, values)
    .map(({ payload }) => parse(payload))
    .reverse();
}

/** What was done and what the users said, of all sessions of a project or of all projects: the latest, oldest first, processed or not. */
export const listLatestEvents = (db: Database, query: { projectId: number | null; since: number }): SessionEvent[] =>
  readPayloads(
    db,
    `created_at_epoch >= $since AND kind IN ('tool','prompt')
     AND ($projectId IS NULL OR session_id IN (SELECT id FROM sessions WHERE project_id = $projectId))`,
    query,
    400,
  );

export function lastMessageBefore(db: Database, sessionId: number, before: number): string | null {
  const [event] = readPayloads(db, "session_id = $sessionId AND seq < $before AND kind = 'stop'", { sessionId, before }, 1);
  return event?.kind === 'stop' ? event.message : null;
}

export const lastEventAt = (db: Database, sessionId: number, exceptId: string): number | null =>
  readValue(db, 'SELECT max(created_at_epoch) FROM events WHERE session_id = ? AND id <> ?', sessionId, exceptId);

/** False for a session that is known by its transcript alone. */
export const cameByHooks = (db: Database, sessionId: number): boolean =>
  exists(db, "SELECT 1 FROM events WHERE session_id = ? AND provenance LIKE 'hook:%' LIMIT 1", sessionId);

/** So many at once: more would hold up whoever waits. */
const AT_ONCE = 200;

/**
 * Raw payloads are evidence for a while, not an archive: some of those that were used and are older are dropped, or all of one
 * session. How many there were.
 */
export function expirePayloads(db: Database, before: number, sessionId: number | null = null): number {
  const sql = `SELECT seq FROM events WHERE payload IS NOT NULL AND status IN ('done','skipped') AND created_at_epoch < $before
    AND ($sessionId IS NULL OR session_id = $sessionId) ORDER BY created_at_epoch LIMIT $limit + 0`;
  const seqs = readColumn<number>(db, sql, { before, sessionId, limit: sessionId === null ? AT_ONCE : Number.MAX_SAFE_INTEGER });
  if (seqs.length > 0) dropPayloads(db, JSON.stringify(seqs));
  return seqs.length;
}

/** A row that only lost its payload would stay alone on its page: it is written anew, beside the others. */
function dropPayloads(db: Database, seqs: string): void {
  const names = readColumn<string>(db, "SELECT name FROM pragma_table_info('events')");
  const columns = names.join(', ');
  const without = names.map((name) => (name === 'payload' ? 'NULL' : name)).join(', ');
  const chosen = 'seq IN (SELECT value FROM json_each(?))';
  db.run(`CREATE TEMP TABLE IF NOT EXISTS used_events AS SELECT ${columns} FROM events LIMIT 0`);
  db.transaction(() => {
    db.query(`INSERT INTO temp.used_events SELECT ${without} FROM events WHERE ${chosen} ORDER BY seq`).run(seqs);
    db.query(`DELETE FROM events WHERE ${chosen}`).run(seqs);
    db.query(`INSERT INTO events (${columns}) SELECT ${columns} FROM temp.used_events`).run();
    db.query('DELETE FROM temp.used_events').run();
  }).immediate();
}
