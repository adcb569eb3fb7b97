// tellings and injections: what each session was told, line by line, and why, so that a bad memory can be traced.
import type { Database } from 'bun:sqlite';
import { formatRef, type MemoryKind } from '../core/memory.ts';
import type { Occasion } from '../core/shapes/context.ts';
import type { Stats } from '../core/shapes/worker.ts';
import { countRows, exists, readAll, readColumn, readFirst, readValue } from '../store/read.ts';

export type ToldKind = MemoryKind | 'session';

/** A part of what was told: a memory, or the words around them. */
export type ToldPiece = {
  ref: { kind: ToldKind; id: number } | null;
  section: string;
  text: string;
  freshness: string | null;
  reason: string;
};

export type Telling = {
  sessionId: number;
  occasion: Occasion;
  /** A file, or by what an error is known: said once in a session. */
  about: string | null;
  /** What the host says the session was started by. */
  source: string;
  at: number;
  pieces: ToldPiece[];
};

const COLUMN: Record<ToldKind, string> = {
  observation: 'observation_id',
  summary: 'summary_id',
  prompt: 'prompt_id',
  session: 'listed_session_id',
};

/** Inside a transaction. */
export function recordTelling(db: Database, { pieces, ...telling }: Telling): void {
  const { sessionId, occasion, about, source, at } = telling;
  const { lastInsertRowid } = db
    .query('INSERT INTO tellings (session_id, occasion, about, source, created_at_epoch) VALUES (?, ?, ?, ?, ?)')
    .run(sessionId, occasion, about, source, at);
  const tellingId = Number(lastInsertRowid);
  for (const [position, { ref, section, text, freshness, reason }] of pieces.entries()) {
    const [column, id] = ref ? [COLUMN[ref.kind], ref.id] : [COLUMN.observation, null];
    db.query(
      `INSERT INTO injections (session_id, telling_id, position, ${column}, section, text, freshness, source, reason, created_at_epoch)
       VALUES ($sessionId, $tellingId, $position, $id, $section, $text, $freshness, $source, $reason, $at)`,
    ).run({ sessionId, tellingId, position, id, section, text, freshness, source, reason, at });
  }
}

/** A compaction takes away what a session was told before it. */
const STILL_KNOWN = `coalesce((SELECT max(id) FROM tellings WHERE session_id = $sessionId AND occasion = 'start'
  AND source IN ('compact','clear')), 0)`;

/** Whether a session was told something on this occasion, about this where it is said, and may still know it. */
export function wasTold(
  db: Database,
  { sessionId, occasion, about }: { sessionId: number; occasion: Occasion; about: string | null },
): boolean {
  const told = `SELECT 1 FROM tellings WHERE session_id = $sessionId AND occasion = $occasion AND about IS $about
    AND id >= ${STILL_KNOWN} LIMIT 1`;
  return exists(db, told, { sessionId, occasion, about });
}

/** How many notes a session got on this occasion, and may still know. */
export function countNotes(db: Database, { sessionId, occasion }: { sessionId: number; occasion: Occasion }): number {
  const notes = `tellings t WHERE t.session_id = $sessionId AND t.occasion = $occasion AND t.id >= ${STILL_KNOWN}
    AND EXISTS (SELECT 1 FROM injections i WHERE i.telling_id = t.id)`;
  return countRows(db, notes, { sessionId, occasion });
}

/** The observations that a session was given with all they say, and may still know: of the last session it gets a title and a line. */
export const listToldInFull = (db: Database, sessionId: number): number[] =>
  listInjected(db, { sessionId, column: 'observation_id', except: "'index','summary'" });

/** By id as it is written: what a session was given in more than a line of an index, and may still know. */
export function listGiven(db: Database, sessionId: number): Set<string> {
  const observations = listInjected(db, { sessionId, column: 'observation_id', except: "'index'" });
  const prompts = listInjected(db, { sessionId, column: 'prompt_id', except: "'open'" });
  return new Set([...observations.map(String), ...prompts.map((id) => formatRef({ kind: 'prompt', id }))]);
}

/** The memories that a session was given, by whatever they say, and may still know. */
export const countMemoriesOf = (db: Database, sessionId: number): number => {
  const sql = `SELECT count(DISTINCT coalesce('o' || observation_id, 'p' || prompt_id)) FROM injections
    WHERE session_id = $sessionId AND telling_id >= ${STILL_KNOWN}`;
  return readValue<number>(db, sql, { sessionId }) ?? 0;
};

/** On the page of a start a title alone, which is one line, says too little to leave a note out for. */
const IS_SAID = "(section IN ('rules','recall','file','error') OR instr(coalesce(text, ''), char(10)) > 0)";

type Injected = { sessionId: number; column: 'observation_id' | 'prompt_id'; except: string };

function listInjected(db: Database, { sessionId, column, except }: Injected): number[] {
  const injected = `SELECT DISTINCT ${column} FROM injections WHERE session_id = $sessionId AND ${column} IS NOT NULL
    AND section NOT IN (${except}) AND ${IS_SAID} AND telling_id >= ${STILL_KNOWN}`;
  return readColumn(db, injected, { sessionId });
}

/** What a session was given in the middle of it, and may still know: the texts, each under its id. */
export function listNotes(db: Database, sessionId: number): string[] {
  const texts = `SELECT text FROM injections WHERE session_id = $sessionId AND text IS NOT NULL
    AND section IN ('recall','file','error') AND telling_id >= ${STILL_KNOWN} ORDER BY id`;
  return readColumn(db, texts, { sessionId });
}

type ReplayedPiece = Omit<ToldPiece, 'text'> & {
  /** Null when it is gone, hidden or too old. */
  text: string | null;
};
export type ReplayedTelling = Omit<Telling, 'pieces' | 'sessionId' | 'source'> & { pieces: ReplayedPiece[] };

type PieceRow = Omit<ReplayedPiece, 'ref'> & { tellingId: number; kind: ToldKind; id: number | null };

/** What a session was told, oldest first. What is hidden is not shown here either. */
export function listTellings(db: Database, sessionId: number): ReplayedTelling[] {
  const tellings = readAll<{ id: number; occasion: Occasion; about: string | null; at: number }>(
    db,
    'SELECT id, occasion, about, created_at_epoch AS at FROM tellings WHERE session_id = ? ORDER BY id',
    sessionId,
  );
  const sql = `SELECT i.telling_id AS tellingId, i.section, i.freshness, i.reason,
      CASE WHEN i.observation_id IS NOT NULL THEN 'observation' WHEN i.summary_id IS NOT NULL THEN 'summary'
        WHEN i.prompt_id IS NOT NULL THEN 'prompt' ELSE 'session' END AS kind,
      coalesce(i.observation_id, i.summary_id, i.prompt_id, i.listed_session_id) AS id,
      CASE WHEN coalesce(o.hidden_at, m.hidden_at, p.hidden_at) IS NULL
        AND (i.listed_session_id IS NULL OR s.title IS NOT NULL) THEN i.text END AS text
    FROM injections i LEFT JOIN observations o ON o.id = i.observation_id LEFT JOIN summaries m ON m.id = i.summary_id
      LEFT JOIN prompts p ON p.id = i.prompt_id LEFT JOIN sessions s ON s.id = i.listed_session_id
    WHERE i.session_id = ? AND i.telling_id IS NOT NULL ORDER BY i.telling_id, i.position`;
  const rows = readAll<PieceRow>(db, sql, sessionId);
  const byTelling = Map.groupBy(rows, ({ tellingId }) => tellingId);
  // One without pieces only marks that something was looked up, or that a session was compacted.
  return tellings.flatMap(({ id, ...telling }) => {
    const pieces = byTelling.get(id)?.map(toPiece) ?? [];
    return pieces.length > 0 ? [{ ...telling, pieces }] : [];
  });
}

const toPiece = ({ tellingId: _, kind, id, ...piece }: PieceRow): ReplayedPiece => ({ ref: id === null ? null : { kind, id }, ...piece });

/** By the id of an observation: when a session was last given it. */
export function readLastGiven(db: Database, ids: number[]): Map<number, number> {
  const sql = `SELECT i.observation_id AS id, max(i.created_at_epoch) AS at FROM json_each(?) AS wanted
    CROSS JOIN injections i ON i.observation_id = wanted.value GROUP BY i.observation_id`;
  const rows = readAll<{ id: number; at: number }>(db, sql, JSON.stringify(ids));
  return new Map(rows.map(({ id, at }) => [id, at]));
}

export type Use = { session: string; title: string | null; occasion: Occasion; section: string; at: number };

const MOST_USES = 20;

/** The sessions that were given a memory, the latest first: each once, and how many there are. */
export function listUses(db: Database, { kind, id }: { kind: MemoryKind; id: number }): { uses: Use[]; total: number } {
  const from = `injections i JOIN tellings t ON t.id = i.telling_id JOIN sessions s ON s.id = i.session_id WHERE i.${COLUMN[kind]} = $id`;
  const sql = `SELECT s.host_session_id AS session, s.title, t.occasion, i.section, max(i.created_at_epoch) AS at FROM ${from}
    GROUP BY i.session_id ORDER BY at DESC LIMIT ${MOST_USES}`;
  const uses = readAll<Use>(db, sql, { id });
  return { uses, total: readValue<number>(db, `SELECT count(DISTINCT i.session_id) FROM ${from}`, { id }) ?? 0 };
}

/** Since that moment. Of what a session did only that counts which a memory of it says. */
export function countGiven(db: Database, since: number, projectIds: number[] | null = null): Stats['given'] {
  const own = projectIds ? 'AND session_id IN (SELECT id FROM sessions WHERE project_id IN (SELECT value FROM json_each($projects)))' : '';
  const sql = `WITH given AS MATERIALIZED (
      SELECT session_id AS session, observation_id AS id, min(created_at_epoch) AS at FROM injections
      WHERE observation_id IS NOT NULL AND created_at_epoch >= $since ${own} GROUP BY session_id, observation_id),
    touched AS MATERIALIZED (
      SELECT o.session_id AS session, c.path, max(c.did = 'changed') AS isEdited, max(o.created_at_epoch) AS at
      FROM observations o JOIN citations c ON c.observation_id = o.id
      WHERE o.session_id IN (SELECT session FROM given) GROUP BY o.session_id, c.path),
    used AS MATERIALIZED (
      SELECT given.session, given.id, max(touched.isEdited) AS isEdited FROM given
        JOIN citations c ON c.observation_id = given.id
        JOIN touched ON touched.session = given.session AND touched.path = c.path AND touched.at > given.at
      GROUP BY given.session, given.id)
    SELECT (SELECT count(DISTINCT session) FROM given) AS sessions, (SELECT count(*) FROM given) AS memories,
      (SELECT count(*) FROM used) AS opened, (SELECT count(*) FROM used WHERE isEdited = 1) AS edited,
      (SELECT count(*) FROM tellings t WHERE t.occasion = 'error' AND t.created_at_epoch >= $since ${own}
        AND EXISTS (SELECT 1 FROM injections i WHERE i.telling_id = t.id)) AS errors`;
  const row = readFirst<Omit<Stats['given'], 'cameBack'>>(db, sql, {
    since,
    ...(projectIds ? { projects: JSON.stringify(projectIds) } : {}),
  });
  return {
    ...(row ?? { sessions: 0, memories: 0, opened: 0, edited: 0, errors: 0 }),
    cameBack: listCameBack(db, since),
  };
}

const listCameBack = (db: Database, since: number): string[] => {
  const sql = `SELECT older_id AS id, older_kind AS kind FROM replacements WHERE why = 'failed again' AND created_at_epoch >= ?
    GROUP BY older_kind, older_id ORDER BY max(created_at_epoch) DESC, older_id DESC`;
  return readAll<{ id: number; kind: MemoryKind }>(db, sql, since).map(formatRef);
};

/** Which memory was told stays known; its words at that time do not for ever. */
export function expireTold(db: Database, before: number): void {
  db.query('UPDATE injections SET text = NULL WHERE text IS NOT NULL AND created_at_epoch < ?').run(before);
}
