// What was said is stored once, whichever way it comes: a hook and the transcript have no id in common but their prompt's.
import type { Database } from 'bun:sqlite';
import type { SessionEvent } from '../../core/event.ts';

/** A prompt without an id of the host's is known by its time: only transcripts tell it so. */
export const BY_TIME = 'at:';

/** The one that says the same, if there is one; null for what is no saying. Another session may have it: a fork repeats its parent. */
export function findSaidEvent(db: Database, event: SessionEvent, sessionId: number): number | null {
  const words = saidIn(event);
  if (words === null || event.promptId === null) return null;
  const isByTime = event.promptId.startsWith(BY_TIME);
  // Two sessions may have been asked something at the same moment: the one that has a prompt of its own repeats nobody.
  const isAlone = isByTime && hasPrompt(db, sessionId, event.promptId);
  const same = listUnder(db, event.promptId, event.kind).find(
    (row) => (!isAlone || row.sessionId === sessionId) && isSame(db, event, words, row),
  );
  if (same) return same.seq;
  if (!isByTime) return null;
  return listWithoutPrompt(db, sessionId, event.kind).find((row) => isSame(db, event, words, row))?.seq ?? null;
}

function saidIn(event: SessionEvent): string | null {
  switch (event.kind) {
    case 'prompt':
      return event.text;
    case 'stop':
    case 'subagent':
      return event.message;
    case 'compaction':
      return event.summary;
    default:
      return null;
  }
}

const hasPrompt = (db: Database, sessionId: number, promptId: string): boolean =>
  db.query('SELECT 1 FROM prompts WHERE session_id = ? AND prompt_id = ?').get(sessionId, promptId) !== null;

type Row = { seq: number; id: string; sessionId: number; promptNumber: number; payload: string | null };

function isSame(db: Database, event: SessionEvent, words: string, row: Row): boolean {
  if (row.id === event.id) return true;
  // Used and removed since: that it was said is known, and of a prompt also the words.
  if (row.payload === null) return event.kind !== 'prompt' || squeeze(words) === squeeze(promptOf(db, row));
  // Written by insertEvent and nobody else.
  const other = JSON.parse(row.payload) as SessionEvent;
  if (event.agentId !== other.agentId) return false;
  const [one, two] = [squeeze(words), squeeze(saidIn(other) ?? '')];
  if (one === two) return true;
  // Of a message in several blocks a hook has the last one; a summary has a frame around it in the transcript.
  if (event.kind === 'prompt') return false;
  return one === '' || two === '' ? event.kind === 'compaction' : one.includes(two) || two.includes(one);
}

const squeeze = (text: string) => text.replace(/\s+/g, ' ').trim();

const promptOf = (db: Database, { sessionId, promptNumber }: Row): string =>
  db
    .query<{ text: string }, [number, number]>('SELECT text FROM prompts WHERE session_id = ? AND prompt_number = ?')
    .get(sessionId, promptNumber)?.text ?? '';

const COLUMNS = 'seq, id, session_id AS sessionId, prompt_number AS promptNumber, payload';
const SAID = "kind IN ('prompt','stop','subagent','compaction')";

const listUnder = (db: Database, promptId: string, kind: string) =>
  db
    .query<Row, [string, string]>(`SELECT ${COLUMNS} FROM events WHERE prompt_id = ? AND kind = ? AND ${SAID}`)
    .all(promptId, kind);

const listWithoutPrompt = (db: Database, sessionId: number, kind: string) =>
  db
    .query<Row, [number, string]>(
      `SELECT ${COLUMNS} FROM events WHERE session_id = ? AND kind = ? AND prompt_id IS NULL`,
    )
    .all(sessionId, kind);
