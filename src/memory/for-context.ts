// Observations that a session may be told: alive, trusted, not replaced for certain, and as they were stored.
import type { Database } from 'bun:sqlite';
import type { ObservationType, Outcome } from '../core/observation.ts';
import { readAll, readColumn } from '../store/read.ts';
import { isByOthers } from './git-log.ts';
import { CONTENT, hashContent, type Observation, readFacts, type StoredContent } from './observations.ts';
import { readReplacedBy } from './read.ts';
import { agentOf, current, holds, tellable } from './trusted.ts';

type TellableQuery = {
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
/** Commits are chosen by themselves (commit-candidates.ts): thousands of them must not stand before what sessions said. */
const SAID = "origin <> 'commit'";
const NEWEST = `o.id IN (SELECT id FROM observations WHERE project_id = $projectId AND ${SAID}
  ORDER BY created_at_epoch DESC LIMIT ${AMONG})`;

/** For SQL over observations under this alias. Mostly the word is not there, and no list is read; one that cannot be read says nothing. */
export const isPitfall = (alias: string) => `(instr(${alias}.concepts, 'gotcha') > 0 AND json_valid(${alias}.concepts)
  AND EXISTS (SELECT 1 FROM json_each(${alias}.concepts) WHERE value = 'gotcha'))`;

const CONDITIONS: Record<Which['which'], string> = {
  recent: `o.${SAID}`,
  pinned: 'o.pinned = 1',
  // What rests on a person's word alone: behind however many others.
  'by-user': "o.origin = 'user'",
  rules: 'o.is_rule = 1',
  // Nobody has called it a rule or none.
  'maybe-rules': `o.type = 'decision' AND o.origin = 'user' AND o.is_rule = 0 AND o.rule_said_at IS NULL AND ${NEWEST}`,
  // And pitfalls.
  decisions: `(o.type = 'decision' OR o.outcome = 'ruled-out' OR ${isPitfall('o')}) AND ${NEWEST}`,
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
  const wanted = `SELECT o.id FROM observations o
    WHERE ${BY_ID.includes(query.which) ? '+' : ''}o.project_id = $projectId AND o.created_at_epoch > $since
      AND o.session_id IS NOT $exceptSession
      ${types ? 'AND o.type IN (SELECT value FROM json_each($types))' : ''} AND ${CONDITIONS[query.which]} AND ${tellable('o')}
    ORDER BY o.created_at_epoch DESC, o.id DESC LIMIT $limit + 0`;
  return readColumn(db, wanted, {
    ...{ projectId, limit, since, exceptSession },
    ...(types ? { types: JSON.stringify(types) } : {}),
    ...(query.which === 'of-files' ? { paths: JSON.stringify(query.paths) } : {}),
    ...(query.which === 'of-branch' ? { branch: query.branch } : {}),
  });
}

/** Newest first, without what may not be told. */
export const readTellable = (db: Database, ids: number[]): Tellable => read(db, ids, tellable('o'));

/** The same for whoever asks about a few. */
export const readTellableByIds = (db: Database, ids: number[]): Observation[] => readTellable(db, ids).observations;

/** Also commits of others where nobody has worked yet: for whoever is about to change the file. */
export const readCurrentByIds = (db: Database, ids: number[]): Observation[] => read(db, ids, current('o')).observations;

/** Also what is marked incorrect or replaced: for a person who decides about it. */
export const readAnyByIds = (db: Database, ids: number[]): Observation[] =>
  read(db, ids, 'o.hidden_at IS NULL AND o.quarantined = 0').observations;

function read(db: Database, ids: number[], condition: string): Tellable {
  if (ids.length === 0) return { observations: [], damaged: 0 };
  const sql = `SELECT id, session_id AS sessionId, ${CONTENT}, origin, ${isByOthers('o')} AS isByOthers, author, branch,
      (SELECT ${agentOf('s')} FROM sessions s WHERE s.id = o.session_id) AS agent, head, pinned, tokens, hash, created_at_epoch AS at
    FROM observations o WHERE o.id IN (SELECT value FROM json_each(?)) AND ${condition}
    ORDER BY o.created_at_epoch DESC, o.id DESC`;
  const rows = readAll<Row>(db, sql, JSON.stringify(ids));
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

type Row = Omit<Observation, 'facts' | 'concepts' | 'filesRead' | 'filesModified' | 'pinned' | 'isByOthers'> &
  StoredContent & { pinned: number; isByOthers: number; hash: string };

/** A disk may change a bit, and another program a row: neither is told. */
const isIntact = (row: Row) => row.hash === hashContent(row);

/** Its hash says that the lists are those that were stored: nobody has to look at each word of a hundred rows. */
function fromRow({ hash: _hash, ...row }: Row): Observation {
  const read = (list: string) => JSON.parse(list) as string[];
  return {
    ...row,
    facts: (JSON.parse(row.facts) as { text: string }[]).map((fact) => fact.text),
    concepts: read(row.concepts),
    filesRead: read(row.filesRead),
    filesModified: read(row.filesModified),
    pinned: row.pinned === 1,
    isByOthers: row.isByOthers === 1,
  };
}

/** So many of the newest are looked at: the cost does not grow with the store. */
const LESSONS_AMONG = 300;

export type Lesson = { id: number; title: string | null; outcome: Outcome | null };

/** Of one project, and not of the session that would be told. */
type LessonQuery = { projectId: number; exceptSession: number };

/** Memories of an error that is known by one of these marks: what fixed it, what did not, what was found out. */
export function listErrorLessons(db: Database, { marks, ...query }: LessonQuery & { marks: string[] }): (Lesson & { mark: string })[] {
  const sql = `SELECT o.id, o.title, o.outcome, known.mark FROM (
        SELECT mark, observation_id FROM error_marks WHERE project_id = $projectId
          AND mark IN (SELECT value FROM json_each($marks)) ORDER BY observation_id DESC LIMIT ${LESSONS_AMONG}) AS known
      JOIN observations o ON o.id = known.observation_id
    WHERE o.session_id IS NOT $exceptSession AND ${tellable('o')}
      AND (o.outcome IS NULL OR o.outcome IN ('passed','unverified','ruled-out'))
    ORDER BY CASE WHEN o.type = 'bugfix' AND o.outcome = 'passed' THEN 0 WHEN o.outcome = 'ruled-out' THEN 1
        WHEN o.type = 'bugfix' THEN 2 ELSE 3 END, o.created_at_epoch DESC, o.id DESC`;
  return readAll<Lesson & { mark: string }>(db, sql, { ...query, marks: JSON.stringify(marks) });
}

/**
 * word: a decision, a rule, what was ruled out, or what replaced another. fix: what broke there, and pitfalls. work:
 * what was done there and held.
 */
type FileLesson = Lesson & { rank: 'word' | 'fix' | 'work' };

const IS_PITFALL = isPitfall('o');
const IS_WORD = `(o.outcome IS 'ruled-out' OR o.type = 'decision'
  OR EXISTS (SELECT 1 FROM replacements r WHERE r.newer_kind = 'observation' AND r.newer_id = o.id AND r.both_hold = 0))`;

/** Of memories that cite a file by one of its names. */
export function listFileLessons(db: Database, { paths, ...query }: LessonQuery & { paths: string[] }): FileLesson[] {
  const sql = `SELECT o.id, o.title, o.outcome,
     CASE WHEN ${IS_WORD} THEN 'word' WHEN o.type = 'bugfix' OR ${IS_PITFALL} THEN 'fix' ELSE 'work' END AS rank FROM (
        SELECT c.observation_id FROM citations c JOIN observations said ON said.id = c.observation_id
          WHERE c.project_id = $projectId AND c.path IN (SELECT value FROM json_each($paths))
          -- A file may be in thousands of commits: what sessions said of it comes first.
          ORDER BY said.origin = 'commit', c.observation_id DESC LIMIT ${LESSONS_AMONG}) AS citing
      JOIN observations o ON o.id = citing.observation_id
    WHERE (${IS_WORD} OR ${IS_PITFALL} OR (o.type <> 'discovery' AND o.outcome IN ('passed','unverified') AND o.origin <> 'commit'))
      AND o.outcome IS NOT 'failed' AND o.session_id IS NOT $exceptSession AND ${current('o')}
    ORDER BY CASE rank WHEN 'word' THEN 0 WHEN 'fix' THEN 1 ELSE 2 END, o.created_at_epoch DESC, o.id DESC`;
  return readAll<FileLesson>(db, sql, { ...query, paths: JSON.stringify(paths) });
}

/** So many of the newest that have the words of its name. */
const NAMING_AMONG = 200;

type Naming = Lesson & { text: string; ofTurn: 0 | 1; turn: string };

/**
 * Of a file that no memory cites: those that name it, by all of its path or the end of it. `ofTurns`: the best of each turn in whose
 * record the words of its name stand; whether it says something of it, the record tells.
 */
export function listNamingLessons(db: Database, { path, ...query }: LessonQuery & { path: string }) {
  const name = path.split('/').at(-1) ?? path;
  const phrase = `"${name.match(/[\p{L}\p{N}]+/gu)?.join(' ') ?? ''}"`;
  const sql = `WITH found AS MATERIALIZED (SELECT d.kind, d.ref FROM (
        SELECT rowid FROM words WHERE words MATCH $phrase ORDER BY rowid DESC LIMIT ${NAMING_AMONG}) AS newest
      CROSS JOIN documents d ON d.id = newest.rowid AND d.project_id = $projectId),
    named AS (SELECT ref AS id, 0 AS ofTurn FROM found WHERE kind = 'observation' UNION ALL
      SELECT o.id, 1 FROM found CROSS JOIN prompts p ON p.id = found.ref
        CROSS JOIN observations o ON o.session_id = p.session_id AND o.prompt_number = p.prompt_number WHERE kind = 'prompt')
    SELECT o.id, o.title, o.outcome, coalesce(o.title, '') || ' ' || coalesce(o.narrative, '') || ' ' || o.facts AS text, ofTurn,
      o.session_id || ':' || o.prompt_number AS turn
    FROM named CROSS JOIN observations o ON o.id = named.id
    WHERE o.origin <> 'commit' AND o.outcome IS NOT 'failed' AND o.session_id IS NOT $exceptSession AND ${tellable('o')}
    ORDER BY CASE WHEN ${IS_WORD} THEN 0 WHEN o.type = 'bugfix' OR ${IS_PITFALL} THEN 1 ELSE 2 END, o.created_at_epoch DESC, o.id DESC`;
  const all = readAll<Naming>(db, sql, { ...query, phrase });
  const byTurn = Map.groupBy(
    all.filter(({ ofTurn }) => ofTurn),
    ({ turn }) => turn,
  );
  return {
    lessons: all.filter(({ text, ofTurn }) => !ofTurn && namesPath(text, path)),
    ofTurns: [...byTurn.values()].flatMap(([best]) => best ?? []),
  };
}

/** What stands before the name is part of the path, too; a whole path of a machine ends with it. */
export const namesPath = (text: string, path: string): boolean =>
  (text.match(/[\p{L}\p{N}_@./-]+/gu) ?? []).some((word) => {
    const named = word.replace(/^[./]+|[.]+$/g, '');
    return path === named || path.endsWith(`/${named}`) || (word.startsWith('/') && path.includes('/') && named.endsWith(`/${path}`));
  });

const MOST = 200;

/** The titles of what is hidden in the session of a summary, or in a session. */
export function listHiddenTitles(db: Database, { kind, id }: { kind: 'summary' | 'session'; id: number }): string[] {
  const session = kind === 'session' ? '?' : '(SELECT session_id FROM summaries WHERE id = ?)';
  return readColumn(db, `SELECT title FROM observations WHERE session_id = ${session} AND hidden_at IS NOT NULL AND title IS NOT NULL`, id);
}

export type Untold = {
  sessionId: number;
  /** Of what is hidden, wrong, replaced (also maybe: nothing stands there before it), distrusted or from outside. */
  titles: string[];
  /** What else the same say, but for what is only replaced: that was so, and much of it may still be. */
  details: string[];
  /** What those of the session say that may be told; rarely asked for. */
  readLiving: () => string[];
};

/** Of these sessions the ones that said something of the kind. */
export function listUntold(db: Database, sessionIds: number[]): Untold[] {
  const gone = Map.groupBy(listSayings(db, sessionIds, `(NOT ${tellable('o')} OR ${DOUBTED})`), ({ sessionId }) => sessionId);
  return [...gone].map(([sessionId, rows]) => ({
    sessionId,
    titles: rows.flatMap(({ title }) => title ?? []),
    details: rows.filter(({ isHeld }) => isHeld === 0).flatMap(detailsOf),
    readLiving: () => listSayings(db, [sessionId], tellable('o')).flatMap((row) => [...(row.title ? [row.title] : []), ...detailsOf(row)]),
  }));
}

const DOUBTED = `EXISTS (SELECT 1 FROM replacements r WHERE r.older_kind = 'observation' AND r.older_id = o.id AND r.both_hold = 0)`;

type Saying = { sessionId: number; isHeld: number; facts: string } & Record<'title' | 'subtitle' | 'narrative', string | null>;

const listSayings = (db: Database, sessionIds: number[], where: string) => {
  const sql = `SELECT o.session_id AS sessionId, o.title, o.subtitle, o.narrative, ${holds('o')} AS isHeld,
      o.facts FROM observations o
    WHERE o.session_id IN (SELECT value FROM json_each(?)) AND ${where} ORDER BY o.id DESC LIMIT ? + 0`;
  return readAll<Saying>(db, sql, JSON.stringify(sessionIds), MOST);
};

const detailsOf = ({ subtitle, narrative, facts }: Saying) =>
  [subtitle, narrative, ...readFacts(facts).map(({ text }) => text)].flatMap((text) => text ?? []);
