// Observations that a session may be told: alive, trusted, not replaced for certain, and as they were stored.
import type { Database } from 'bun:sqlite';
import { z } from 'zod';
import type { ObservationType } from '../../core/observation.ts';
import { isByOthers } from '../commits/commits.ts';
import { hashContent, type Observation, type StoredContent } from '../memories/observations.ts';
import { readReplacedBy } from '../memories/replaced-by.ts';
import { current, tellable } from './trusted.ts';

export type TellableQuery = {
  projectId: number;
  limit: number;
  /** Only what came after this moment, epoch ms. */
  since?: number;
  exceptSession?: number;
  types?: readonly ObservationType[];
} & Which;

/** Which of them; the newest first in any case. */
type Which =
  | { which: 'recent' | 'pinned' | 'by-user' | 'decisions' | 'rules' | 'maybe-rules' }
  /** Those that cite one of these paths. */
  | { which: 'of-files'; paths: string[] }
  | { which: 'of-branch'; branch: string };

export type Tellable = {
  observations: Observation[];
  /** How many were left out because they are not what was stored. */
  damaged: number;
};

/** What is looked at for the rarer kinds: so that the cost does not grow with the store. */
const AMONG = 600;
/** To walk through so many takes milliseconds. */
const FLOOD = 25_000;
/** Commits are chosen by themselves (commit-candidates.ts): thousands of them must not stand before what sessions said. */
const SAID = "origin <> 'commit'";
const NEWEST = `o.id IN (SELECT id FROM observations WHERE project_id = $projectId AND ${SAID} ORDER BY created_at_epoch DESC LIMIT ${AMONG})`;

const CONDITIONS: Record<Which['which'], string> = {
  recent: `o.${SAID}`,
  pinned: 'o.pinned = 1',
  // What rests on a person's word alone: behind however many others, but not behind all that a flood can bring.
  'by-user': `o.origin = 'user' AND o.created_at_epoch > coalesce((SELECT created_at_epoch FROM observations
    WHERE project_id = $projectId ORDER BY created_at_epoch DESC LIMIT 1 OFFSET ${FLOOD}), -1)`,
  rules: 'o.is_rule = 1',
  // Nobody has called it a rule or none.
  'maybe-rules': `o.type = 'decision' AND o.origin = 'user' AND o.is_rule = 0 AND o.rule_said_at IS NULL AND ${NEWEST}`,
  // And pitfalls.
  decisions: `(o.type = 'decision' OR o.outcome = 'ruled-out' OR instr(o.concepts, '"gotcha"') > 0) AND ${NEWEST}`,
  'of-files': `o.id IN (SELECT observation_id FROM citations c JOIN observations said ON said.id = c.observation_id
    WHERE c.project_id = $projectId AND path IN (SELECT value FROM json_each($paths)) AND said.${SAID}
    ORDER BY observation_id DESC LIMIT ${AMONG})`,
  'of-branch': `o.branch = $branch AND ${NEWEST}`,
};

/** Found by their ids: without the plus, SQLite would walk through all of the project. */
const BY_ID: Which['which'][] = ['decisions', 'maybe-rules', 'of-files', 'of-branch'];

/** Their ids, newest first. Cost does not grow with the store. */
export function listTellable(db: Database, query: TellableQuery): number[] {
  const { projectId, limit, since = 0, exceptSession = 0, types } = query;
  return db
    .query<{ id: number }, [Values]>(
      `SELECT o.id FROM observations o
       WHERE ${BY_ID.includes(query.which) ? '+' : ''}o.project_id = $projectId AND o.created_at_epoch > $since AND o.session_id <> $exceptSession
         ${types ? 'AND o.type IN (SELECT value FROM json_each($types))' : ''} AND ${CONDITIONS[query.which]} AND ${tellable('o')}
       ORDER BY o.created_at_epoch DESC, o.id DESC LIMIT $limit`,
    )
    .all({
      projectId,
      limit,
      since,
      exceptSession,
      ...(types ? { types: JSON.stringify(types) } : {}),
      ...(query.which === 'of-files' ? { paths: JSON.stringify(query.paths) } : {}),
      ...(query.which === 'of-branch' ? { branch: query.branch } : {}),
    })
    .map(({ id }) => id);
}

type Values = Record<string, string | number>;

/** Newest first, without what may not be told. */
export const readTellable = (db: Database, ids: number[]): Tellable => read(db, ids, tellable('o'));

/** Also commits of others where nobody has worked yet: for whoever is about to change the file. */
export const readCurrentByIds = (db: Database, ids: number[]): Observation[] =>
  read(db, ids, current('o')).observations;

/** Also what is marked incorrect or replaced: for a person who decides about it. */
export const readAnyByIds = (db: Database, ids: number[]): Observation[] =>
  read(db, ids, 'o.hidden_at IS NULL AND o.quarantined = 0').observations;

function read(db: Database, ids: number[], condition: string): Tellable {
  const rows = db
    .query<Row, [string]>(
      `SELECT o.id, o.session_id AS sessionId, o.type, o.title, o.subtitle, o.narrative, o.facts, o.concepts,
         o.files_read AS filesRead, o.files_modified AS filesModified, o.outcome, o.origin, ${isByOthers('o')} AS isByOthers,
         o.branch, o.head, o.pinned, o.tokens, o.hash, o.created_at_epoch AS at
       FROM observations o WHERE o.id IN (SELECT value FROM json_each(?)) AND ${condition}
       ORDER BY o.created_at_epoch DESC, o.id DESC`,
    )
    .all(JSON.stringify(ids));
  const intact = rows.filter(isIntact);
  const marks = readReplacedBy(
    db,
    intact.map(({ id }) => ({ kind: 'observation', id })),
  );
  const observations = intact.map((row) => {
    const replacedBy = marks.get(String(row.id));
    return { ...fromRow(row), ...(replacedBy ? { replacedBy } : {}) };
  });
  return { observations, damaged: rows.length - intact.length };
}

/** The same for whoever asks about a few. */
export const readTellableByIds = (db: Database, ids: number[]): Observation[] => readTellable(db, ids).observations;

type Row = Omit<Observation, 'facts' | 'concepts' | 'filesRead' | 'filesModified' | 'pinned' | 'isByOthers'> &
  StoredContent & { pinned: number; isByOthers: number; hash: string };

/** A disk may change a bit, and another program a row: neither is told. */
const isIntact = (row: Row) => row.hash === hashContent(row);

const Texts = z.array(z.string());
const Facts = z.array(z.object({ text: z.string() }));

function fromRow({ hash: _hash, ...row }: Row): Observation {
  return {
    ...row,
    facts: Facts.parse(JSON.parse(row.facts)).map((fact) => fact.text),
    concepts: Texts.parse(JSON.parse(row.concepts)),
    filesRead: Texts.parse(JSON.parse(row.filesRead)),
    filesModified: Texts.parse(JSON.parse(row.filesModified)),
    pinned: row.pinned === 1,
    isByOthers: row.isByOthers === 1,
  };
}
