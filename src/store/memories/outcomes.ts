// The outcomes of observations: what is still open, and how one is settled later together with the hash that it is part of.
import type { Database } from 'bun:sqlite';
import type { ObservationType, Outcome } from '../../core/observation.ts';
import { hashContent, type StoredContent } from './observations.ts';

/** A piece of work that a later turn may bear out, take back or see fail. */
export type OpenWork = {
  id: number;
  sessionId: number;
  type: ObservationType;
  outcome: Outcome;
  at: number;
  branch: string | null;
  head: string | null;
  files: string[];
  /** The events it was made of. */
  sources: string[];
  facts: string[];
};

export type OpenWorkQuery = {
  projectId: number;
  sessionId: number;
  /** Of other sessions only what came after this moment. */
  since: number;
  /** Also what changed one of these, where more was stored since. */
  paths: string[];
};

const MOST_ROWS = 200;

const OPEN_WORK = `SELECT o.id, o.session_id AS sessionId, o.type, o.outcome, o.created_at_epoch AS at, o.branch, o.head,
  o.files_modified AS files, o.sources, o.facts FROM observations o`;

/** The newest work of this session and of the project; what a person edited is theirs. Cost does not grow with the store. */
export function listOpenWork(db: Database, query: OpenWorkQuery): OpenWork[] {
  return db
    .query<Row, [Record<string, number | string>]>(
      `${OPEN_WORK}
       WHERE o.id IN (
           SELECT id FROM (SELECT id FROM observations WHERE session_id = $sessionId ORDER BY id DESC LIMIT ${MOST_ROWS})
           UNION SELECT id FROM (SELECT id FROM observations WHERE project_id = $projectId AND created_at_epoch > $since
             ORDER BY created_at_epoch DESC LIMIT ${MOST_ROWS})
           UNION SELECT observation_id FROM (SELECT observation_id FROM citations WHERE project_id = $projectId
             AND path IN (SELECT value FROM json_each($paths)) ORDER BY observation_id DESC LIMIT ${MOST_ROWS}))
         -- The plus keeps SQLite from walking through the whole project instead of these few.
         AND +o.project_id = $projectId AND (+o.session_id = $sessionId OR +o.created_at_epoch > $since)
         AND o.type IN ('bugfix','feature','refactor','change') AND o.outcome IN ('unverified','passed','failed')
         AND o.files_modified <> '[]' AND ${UNTOUCHED} ORDER BY o.id`,
    )
    .all({ ...query, paths: JSON.stringify(query.paths) })
    .map(fromRow);
}

/** Bugfixes that answer one of these errors. */
export function listFixesOf(db: Database, { projectId, since }: OpenWorkQuery, marks: string[]): OpenWork[] {
  return db
    .query<Row, [Record<string, number | string>]>(
      `${OPEN_WORK}
       WHERE o.id IN (SELECT observation_id FROM error_marks WHERE project_id = $projectId
           AND mark IN (SELECT value FROM json_each($marks)))
         AND +o.created_at_epoch > $since AND o.type = 'bugfix' AND o.outcome IN ('unverified','passed')
         AND o.files_modified <> '[]' AND ${UNTOUCHED} ORDER BY o.id DESC LIMIT ${MOST_ROWS}`,
    )
    .all({ projectId, since, marks: JSON.stringify(marks) })
    .map(fromRow);
}

/** Nobody has corrected it. */
const UNTOUCHED = 'o.edited_at IS NULL AND o.hidden_at IS NULL AND o.wrong_at IS NULL';

type Row = Omit<OpenWork, 'files' | 'sources' | 'facts'> & Record<'files' | 'sources' | 'facts', string>;

function fromRow(row: Row): OpenWork {
  return {
    ...row,
    files: readList(row.files).filter(isText),
    sources: readList(row.sources).filter(isText),
    facts: readList(row.facts).flatMap((fact) => (isFact(fact) ? fact.text : [])),
  };
}

/** By hand: there are hundreds of them at every turn. */
function readList(json: string): unknown[] {
  const value: unknown = JSON.parse(json);
  return Array.isArray(value) ? value : [];
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isFact = (value: unknown): value is { text: string } =>
  typeof value === 'object' && value !== null && 'text' in value && isText(value.text);

/** Another memory of the project tells of a later change of one of its files. */
export function isChangedSince(db: Database, projectId: number, { id, at, files }: OpenWork): boolean {
  return (
    db
      .query(
        `SELECT 1 FROM citations c JOIN observations o ON o.id = c.observation_id
         WHERE c.project_id = $projectId AND c.path IN (SELECT value FROM json_each($files)) AND c.observation_id > $id
           AND c.did = 'changed' AND o.created_at_epoch > $at AND o.origin <> 'commit' LIMIT 1`,
      )
      .get({ projectId, id, at, files: JSON.stringify(files) }) !== null
  );
}

/** One of these sessions committed something after a moment, as far as their events are still there. */
export function hasCommitted(db: Database, sessionIds: number[], after: number): boolean {
  return (
    db
      .query(
        `SELECT 1 FROM events WHERE session_id IN (SELECT value FROM json_each($sessions)) AND kind = 'tool'
           AND created_at_epoch > $after AND payload LIKE '%git %commit%' LIMIT 1`,
      )
      .get({ sessions: JSON.stringify(sessionIds), after }) !== null
  );
}

/**
 * Inside a transaction. False, and nothing changed, when it is so already, when a person edited it, or when the row is not what was
 * stored: a new hash would hide that.
 */
export function setOutcome(db: Database, id: number, outcome: Outcome): boolean {
  const row = db
    .query<StoredContent & { hash: string }, [number]>(
      `SELECT type, title, subtitle, narrative, facts, concepts, files_read AS filesRead, files_modified AS filesModified,
         outcome, hash FROM observations WHERE id = ? AND edited_at IS NULL`,
    )
    .get(id);
  if (!row || row.outcome === outcome || row.hash !== hashContent(row)) return false;
  const hash = hashContent({ ...row, outcome });
  db.query('UPDATE observations SET outcome = $outcome, hash = $hash WHERE id = $id').run({ id, outcome, hash });
  return true;
}

export type KnownOutcome = { type: ObservationType; title: string | null; outcome: Outcome | null };

/** How what was made of a batch stands by now. */
export function listOutcomes(db: Database, batchId: number): KnownOutcome[] {
  return db
    .query<KnownOutcome, [number]>('SELECT type, title, outcome FROM observations WHERE batch_id = ?')
    .all(batchId);
}
