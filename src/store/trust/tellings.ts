// tellings and injections: what each session was told, line by line, and why, so that a bad memory can be traced.
import type { Database } from 'bun:sqlite';
import type { Occasion } from '../../core/context.ts';
import { formatRef, type MemoryKind } from '../../core/memory.ts';

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
  return (
    db
      .query(
        `SELECT 1 FROM tellings WHERE session_id = $sessionId AND occasion = $occasion AND about IS $about
           AND id >= ${STILL_KNOWN} LIMIT 1`,
      )
      .get({ sessionId, occasion, about }) !== null
  );
}

/** How many notes a session got on this occasion, and may still know. */
export function countNotes(db: Database, { sessionId, occasion }: { sessionId: number; occasion: Occasion }): number {
  const row = db
    .query<{ n: number }, [{ sessionId: number; occasion: Occasion }]>(
      `SELECT count(*) AS n FROM tellings t WHERE t.session_id = $sessionId AND t.occasion = $occasion AND t.id >= ${STILL_KNOWN}
         AND EXISTS (SELECT 1 FROM injections i WHERE i.telling_id = t.id)`,
    )
    .get({ sessionId, occasion });
  return row?.n ?? 0;
}

/** The observations that a session was told of in more than a line, and may still know. */
export function listToldInFull(db: Database, sessionId: number): number[] {
  return db
    .query<{ id: number }, [{ sessionId: number }]>(
      `SELECT DISTINCT observation_id AS id FROM injections
       WHERE session_id = $sessionId AND observation_id IS NOT NULL AND section <> 'index' AND telling_id >= ${STILL_KNOWN}`,
    )
    .all({ sessionId })
    .map(({ id }) => id);
}

/** By id as it is written: what a session was given in more than a line of an index, and may still know. */
export function listGiven(db: Database, sessionId: number): Set<string> {
  const prompts = db
    .query<{ id: number }, [{ sessionId: number }]>(
      `SELECT DISTINCT prompt_id AS id FROM injections WHERE session_id = $sessionId AND prompt_id IS NOT NULL
         AND section <> 'open' AND telling_id >= ${STILL_KNOWN}`,
    )
    .all({ sessionId });
  return new Set([
    ...listToldInFull(db, sessionId).map(String),
    ...prompts.map(({ id }) => formatRef({ kind: 'prompt', id })),
  ]);
}

export type ReplayedPiece = Omit<ToldPiece, 'text'> & {
  /** Null when it is gone, hidden or too old. */
  text: string | null;
};
export type ReplayedTelling = Omit<Telling, 'pieces' | 'sessionId' | 'source'> & { pieces: ReplayedPiece[] };

type PieceRow = {
  tellingId: number;
  observationId: number | null;
  summaryId: number | null;
  promptId: number | null;
  listedSessionId: number | null;
  section: string;
  text: string | null;
  freshness: string | null;
  reason: string;
};

/** What a session was told, oldest first. What is hidden is not shown here either. */
export function listTellings(db: Database, sessionId: number): ReplayedTelling[] {
  const tellings = db
    .query<{ id: number; occasion: Occasion; about: string | null; at: number }, [number]>(
      'SELECT id, occasion, about, created_at_epoch AS at FROM tellings WHERE session_id = ? ORDER BY id',
    )
    .all(sessionId);
  const rows = db
    .query<PieceRow, [number]>(
      `SELECT i.telling_id AS tellingId, i.observation_id AS observationId, i.summary_id AS summaryId, i.prompt_id AS promptId,
         i.listed_session_id AS listedSessionId, i.section, i.freshness, i.reason,
         CASE WHEN coalesce(o.hidden_at, m.hidden_at, p.hidden_at) IS NULL
           AND (i.listed_session_id IS NULL OR s.title IS NOT NULL) THEN i.text END AS text
       FROM injections i LEFT JOIN observations o ON o.id = i.observation_id LEFT JOIN summaries m ON m.id = i.summary_id
         LEFT JOIN prompts p ON p.id = i.prompt_id LEFT JOIN sessions s ON s.id = i.listed_session_id
       WHERE i.session_id = ? AND i.telling_id IS NOT NULL ORDER BY i.telling_id, i.position`,
    )
    .all(sessionId);
  const byTelling = Map.groupBy(rows, ({ tellingId }) => tellingId);
  // One without pieces only marks that something was looked up, or that a session was compacted.
  return tellings.flatMap(({ id, ...telling }) => {
    const pieces = byTelling.get(id)?.map(toPiece) ?? [];
    return pieces.length > 0 ? [{ ...telling, pieces }] : [];
  });
}

function toPiece({ observationId, summaryId, promptId, listedSessionId, section, text, freshness, reason }: PieceRow) {
  const refs: [ToldKind, number | null][] = [
    ['observation', observationId],
    ['summary', summaryId],
    ['prompt', promptId],
    ['session', listedSessionId],
  ];
  const [kind, id] = refs.find(([, id]) => id !== null) ?? ['session', null];
  return { ref: id === null ? null : { kind, id }, section, text, freshness, reason };
}

/** By the id of an observation: when a session was last given it. */
export function readLastGiven(db: Database, ids: number[]): Map<number, number> {
  const rows = db
    .query<{ id: number; at: number }, [string]>(
      `SELECT i.observation_id AS id, max(i.created_at_epoch) AS at FROM json_each(?) AS wanted
         CROSS JOIN injections i ON i.observation_id = wanted.value GROUP BY i.observation_id`,
    )
    .all(JSON.stringify(ids));
  return new Map(rows.map(({ id, at }) => [id, at]));
}

export type GivenCounts = {
  /** How many sessions were given something, and how many memories, each counted once for a session. */
  sessions: number;
  memories: number;
  /** Of these memories: the session went on to read, or to change, a file that the memory is about. */
  opened: number;
  edited: number;
  /** Errors on which a memory was given, and fixes whose error came back. */
  errors: number;
  cameBack: number;
};

/** Since that moment. Of what a session did only that counts which a memory of it says. */
export function countGiven(db: Database, since: number): GivenCounts {
  const row = db
    .query<GivenCounts, [{ since: number }]>(
      `WITH given AS MATERIALIZED (
         SELECT session_id AS session, observation_id AS id, min(created_at_epoch) AS at FROM injections
         WHERE observation_id IS NOT NULL AND created_at_epoch >= $since GROUP BY session_id, observation_id),
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
         (SELECT count(*) FROM tellings t WHERE t.occasion = 'error' AND t.created_at_epoch >= $since
           AND EXISTS (SELECT 1 FROM injections i WHERE i.telling_id = t.id)) AS errors,
         (SELECT count(DISTINCT older_id) FROM replacements WHERE why = 'failed again' AND created_at_epoch >= $since) AS cameBack`,
    )
    .get({ since });
  return row ?? { sessions: 0, memories: 0, opened: 0, edited: 0, errors: 0, cameBack: 0 };
}

/** Which memory was told stays known; its words at that time do not for ever. */
export function expireTold(db: Database, before: number): void {
  db.query('UPDATE injections SET text = NULL WHERE text IS NOT NULL AND created_at_epoch < ?').run(before);
}
