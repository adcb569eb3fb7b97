// What an export is made of: rows of the store as the lines that core/shapes/export.ts declares. Hidden memories are no part of it.
import type { Database } from 'bun:sqlite';
import { hashParts } from '../core/ids.ts';
import { formatRef, MEMORY_KINDS, type MemoryKind, type MemoryRef } from '../core/memory.ts';
import { parseJson } from '../core/plain-json.ts';
import { type ExportLine, LINES, type Line, type LineKind } from '../core/shapes/export.ts';
import { isoTime } from '../core/time.ts';
import { hashContent, listCitations, type StoredContent } from '../memory/observations.ts';
import { type ReplacementLink, readReplacementLinks } from '../memory/replacements.ts';
import { readAll, readColumn, readValue } from '../store/read.ts';

export type ExportScope = {
  /** Null: of all projects. */
  projectId: number | null;
  /** Epoch ms. */
  since: number;
};

type Row = Record<string, string | number | null>;

/** Read at once: some milliseconds. */
const ROWS = 40;

/**
 * All that is in scope, in the order of the file. Null for what is gone meanwhile, or is not what was stored. Nothing is held open
 * between two lines: others may write.
 */
export function* readExport(db: Database, scope: ExportScope): Generator<ExportLine | null> {
  yield* listProjects(db, scope);
  const links = createLinks(db);
  for (const { id, line } of readPages((last: { id: number } | null) => listSessions(db, scope, last?.id ?? 0))) {
    yield line;
    const refs = line ? listMemories(db, scope, id) : [];
    for (let at = 0; at < refs.length; at += ROWS) yield* readMemories(db, refs.slice(at, at + ROWS), links);
  }
  for (let refs = listNoted(db, scope, 0); refs.length > 0; refs = listNoted(db, scope, refs.at(-1)?.id ?? 0))
    yield* readMemories(db, refs, links);
  yield* links.list();
  for (const { projectId: _, ...line } of readPages((last: CommitLine | null) => listCommits(db, scope, last))) yield line;
  // Hashes tell nothing of whose project they are.
  if (scope.projectId !== null) return;
  yield* readAll<Line<'distrusted'>>(db, "SELECT 'distrusted' AS kind, source, created_at AS at FROM distrusted ORDER BY source");
  yield* readPages((last: Line<'forgotten'> | null) => listForgotten(db, last));
}

/** `read`: the next few after a row; the first ones after null. */
function* readPages<T>(read: (last: T | null) => T[]): Generator<T> {
  for (let rows = read(null); rows.length > 0; rows = read(rows.at(-1) ?? null)) yield* rows;
}

/** SQLite has neither booleans nor lists. Null for a row that is not what was stored. */
function lineOf<Kind extends LineKind>(kind: Kind, row: Row, besides: object = {}): Line<Kind> | null {
  const said: Record<string, unknown> = {};
  for (const name in row) said[name] = fromColumn(name, row[name] ?? null);
  const read = LINES[kind].safeParse(Object.assign(said, besides, { kind }));
  // What the schema of a kind reads is a line of that kind.
  return read.success ? (read.data as Line<Kind>) : null;
}

const LISTS = new Set(['facts', 'concepts', 'filesRead', 'filesModified', 'filesEdited', 'sources']);

function fromColumn(name: string, value: Row[string]): unknown {
  if (typeof value === 'number' && name.startsWith('is')) return value === 1;
  // What is no list the schema refuses, and the row is counted as damaged.
  return typeof value === 'string' && LISTS.has(name) ? (parseJson(value) ?? null) : value;
}

/** For SQL with `$projectId` and `$since`: a memory under this alias is part of it. */
const inScope = (alias: string, owner = alias) =>
  `($projectId IS NULL OR ${owner}.project_id = $projectId) AND ${alias}.created_at_epoch >= $since AND ${alias}.hidden_at IS NULL`;

const hasMemories = (table: string) => `EXISTS (SELECT 1 FROM ${table} m WHERE m.session_id = s.id AND ${inScope('m')})`;

/** A session of another project belongs to it when a memory of this one was made in it. */
const SESSIONS = `((($projectId IS NULL OR s.project_id = $projectId) AND s.updated_at_epoch >= $since)
  OR ${hasMemories('observations')} OR ${hasMemories('summaries')})`;

const PROMPTS = `FROM prompts m JOIN sessions s ON s.id = m.session_id WHERE ${inScope('m', 's')}`;

/** How many memories there are to go through: for a bar, not for the header. */
export function countExportRows(db: Database, scope: ExportScope): number {
  const of = (table: string) => `(SELECT count(*) FROM ${table} m WHERE ${inScope('m')})`;
  return readValue<number>(db, `SELECT ${of('observations')} + ${of('summaries')} + (SELECT count(*) ${PROMPTS})`, scope) ?? 0;
}

function listProjects(db: Database, scope: ExportScope) {
  const aliases = db.query<{ key: string; at: string }, [number]>(
    'SELECT key, created_at AS at FROM project_aliases WHERE project_id = ? ORDER BY key',
  );
  const sql = `SELECT id, key, name, root, remote, first_commit AS firstCommit, is_renamed AS isRenamed, created_at AS at
    FROM projects WHERE $projectId IS NULL OR id = $projectId
      OR id IN (SELECT s.project_id FROM sessions s WHERE ${SESSIONS}) ORDER BY id`;
  return readAll<Row & { id: number }>(db, sql, scope).map((row) => lineOf('project', row, { aliases: aliases.all(row.id) }));
}

function listSessions(db: Database, scope: ExportScope, after: number) {
  const sql = `SELECT s.id, s.project_id AS projectId, s.host_session_id AS session, s.host, p.key AS project, s.cwd, s.root, s.branch,
      s.title, s.subtitle, s.first_prompt AS firstPrompt, s.prompt_counter AS prompts, s.status, s.end_reason AS endReason,
      s.started_at AS startedAt, s.updated_at AS updatedAt, s.completed_at AS completedAt
    FROM sessions s JOIN projects p ON p.id = s.project_id WHERE s.id > $after AND ${SESSIONS} ORDER BY s.id LIMIT ${ROWS}`;
  return readAll<Row & { id: number; projectId: number }>(db, sql, { ...scope, after }).map((row) => {
    const isOther = scope.projectId !== null && row.projectId !== scope.projectId;
    // What it was about elsewhere is not this project's to tell.
    const words = isOther ? { title: null, subtitle: null, firstPrompt: null } : {};
    return { id: row.id, line: lineOf('session', row, words) };
  });
}

/** Of one session, in the order of time; at one moment a prompt comes before what was made of it, and a summary after. */
function listMemories(db: Database, scope: ExportScope, sessionId: number): MemoryRef[] {
  const of = (kind: MemoryKind, table: string, rank: number) =>
    `SELECT '${kind}' AS kind, m.id, m.created_at_epoch AS at, ${rank} AS rank FROM ${table} m
     WHERE m.session_id = $sessionId AND ${inScope('m')}`;
  const sql = `SELECT kind, id FROM (${of('observation', 'observations', 2)} UNION ALL ${of('summary', 'summaries', 3)}
    UNION ALL SELECT 'prompt', m.id, m.created_at_epoch, 1 ${PROMPTS} AND m.session_id = $sessionId) ORDER BY at, rank, id`;
  return readAll<MemoryRef>(db, sql, { ...scope, sessionId });
}

const listNoted = (db: Database, scope: ExportScope, after: number): MemoryRef[] => {
  const sql = `SELECT m.id FROM observations m WHERE m.session_id IS NULL AND m.id > $after AND ${inScope('m')}
    ORDER BY m.id LIMIT ${ROWS}`;
  return readColumn<number>(db, sql, { ...scope, after }).map((id) => ({ kind: 'observation', id }));
};

function* readMemories(db: Database, refs: MemoryRef[], links: Links): Generator<ExportLine | null> {
  const idsOf = (kind: MemoryKind) => refs.flatMap((ref) => (ref.kind === kind ? [ref.id] : []));
  const read = new Map(MEMORY_KINDS.map((kind) => [kind, readRows(db, kind, idsOf(kind))]));
  const turns = readTurns(db, idsOf('prompt'));
  const number = links.note(refs);
  for (const ref of refs) {
    const line = read.get(ref.kind)?.get(ref.id);
    yield line ? { ...line, ...number(ref) } : null;
    const turn = line?.kind === 'prompt' ? turns.get(ref.id) : undefined;
    if (turn !== undefined) yield turn;
  }
}

type Links = ReturnType<typeof createLinks>;

/** Which memories replace others. Only those that a link names have a number: the others would fill the memory for nothing. */
function createLinks(db: Database) {
  const numbers = new Map<string, number>();
  const links: ReplacementLink[] = [];
  return {
    /** Says the number of each that has one: to be asked when it is written. */
    note(refs: MemoryRef[]) {
      const { linked, replaced } = readReplacementLinks(db, refs);
      links.push(...replaced);
      return (ref: MemoryRef) => {
        if (!linked.has(formatRef(ref))) return {};
        numbers.set(formatRef(ref), numbers.size + 1);
        return { ref: numbers.size };
      };
    },
    /** At the end: both halves of a link must have been written. */
    list: (): ExportLine[] =>
      links.flatMap(({ older, newer, ...link }) => {
        const [ref, by] = [numbers.get(formatRef(older)), numbers.get(formatRef(newer))];
        return ref === undefined || by === undefined ? [] : [{ kind: 'replaced', ref, by, ...link }];
      }),
  };
}

const WANTED = 'm.id IN (SELECT value FROM json_each(?)) AND m.hidden_at IS NULL';
const OF_PROJECT = 's.host_session_id AS session, p.key AS project, m.prompt_number AS prompt, m.created_at AS at';
const PROJECTS = 'LEFT JOIN sessions s ON s.id = m.session_id JOIN projects p ON p.id = m.project_id';

const MEMORIES: Record<MemoryKind, string> = {
  observation: `SELECT m.id, ${OF_PROJECT}, m.author, m.type, m.title, m.subtitle, m.narrative, m.facts, m.concepts, m.keywords,
    m.files_read AS filesRead,
      m.files_modified AS filesModified, m.outcome, m.origin, m.trust, m.sources, m.pinned AS isPinned, m.kept AS isKept,
      m.is_rule AS isRule, m.quarantined AS isQuarantined, m.wrong_at AS wrongAt, m.edited_at AS editedAt, m.head, m.branch,
      m.commit_hash AS "commit", m.hash
    FROM observations m ${PROJECTS} WHERE ${WANTED}`,
  summary: `SELECT m.id, ${OF_PROJECT}, m.request, m.investigated, m.learned, m.completed, m.next_steps AS nextSteps, m.notes,
      m.files_read AS filesRead, m.files_edited AS filesEdited
    FROM summaries m ${PROJECTS} WHERE ${WANTED}`,
  prompt: `SELECT m.id, s.host_session_id AS session, m.prompt_number AS number, m.prompt_id AS promptId, m.text, m.private AS isPrivate,
      m.created_at AS at
    FROM prompts m JOIN sessions s ON s.id = m.session_id WHERE ${WANTED}`,
};

/** By id. One that is gone, hidden, or not what was stored is left out: whoever exported it would make it look sound. */
export function readRows(db: Database, kind: MemoryKind, ids: number[]): Map<number, Line<MemoryKind>> {
  const rows = readAll<Row & { id: number }>(db, MEMORIES[kind], JSON.stringify(ids));
  const besides = kind === 'observation' ? readBesides(db, ids) : () => ({});
  const lines = new Map<number, Line<MemoryKind>>();
  for (const row of rows) {
    // The columns of an observation are what its hash is made of.
    const isSound = kind !== 'observation' || hashContent(row as unknown as StoredContent) === row.hash;
    const line = isSound ? lineOf(kind, row, besides(row.id)) : null;
    if (line) lines.set(row.id, line);
  }
  return lines;
}

const COMMIT = 'c.hash, c.author_at_epoch AS at, c.reverts, c.is_own AS isOwn, c.is_routine AS isRoutine';
type CommitRow = { hash: string; at: number; reverts: string | null; isOwn: number | null; isRoutine: number };

const fromCommitRow = ({ hash, at, reverts, isOwn, isRoutine }: CommitRow) => ({
  hash,
  at: isoTime(at),
  reverts,
  isOwn: isOwn === null ? null : isOwn === 1,
  isRoutine: isRoutine === 1,
});

/** What other tables know of these observations. */
function readBesides(db: Database, ids: number[]) {
  const list = JSON.stringify(ids);
  const citations = Map.groupBy(listCitations(db, ids), ({ observationId }) => observationId);
  const ofMarks = `SELECT observation_id AS id, mark FROM error_marks
    WHERE observation_id IN (SELECT value FROM json_each(?)) ORDER BY mark`;
  const marks = readAll<{ id: number; mark: string }>(db, ofMarks, list);
  const sql = `SELECT c.observation_id AS id, ${COMMIT} FROM commits c
    WHERE c.observation_id IN (SELECT value FROM json_each(?)) ORDER BY c.hash`;
  const commits = readAll<CommitRow & { id: number }>(db, sql, list);
  const [byMark, byCommit] = [Map.groupBy(marks, ({ id }) => id), Map.groupBy(commits, ({ id }) => id)];
  return (id: number) => ({
    citations: citations.get(id) ?? [],
    errorMarks: (byMark.get(id) ?? []).map(({ mark }) => mark),
    commits: (byCommit.get(id) ?? []).map(fromCommitRow),
  });
}

/** Its record may tell of it. */
const hiddenIn = (table: string) => `EXISTS (SELECT 1 FROM ${table} h
  WHERE h.session_id = m.session_id AND h.prompt_number = m.prompt_number AND h.hidden_at IS NOT NULL)`;

/** By the id of their prompt; null for one that is not what was stored. */
export function readTurns(db: Database, prompts: number[]): Map<number, Line<'turn'> | null> {
  type Turn = Row & { id: number; from: number; to: number; record: string };
  const sql = `SELECT m.id, s.host_session_id AS session, m.prompt_number AS number, t.branch, t.head_before AS headBefore,
      t.head_after AS headAfter, t.record, t.started_at_epoch AS "from", t.ended_at_epoch AS "to", t.hash
    FROM prompts m JOIN sessions s ON s.id = m.session_id
      JOIN turns t ON t.session_id = m.session_id AND t.prompt_number = m.prompt_number
    WHERE ${WANTED} AND m.private = 0 AND NOT ${hiddenIn('observations')} AND NOT ${hiddenIn('summaries')}`;
  const rows = readAll<Turn>(db, sql, JSON.stringify(prompts));
  const ofSteps = `SELECT m.id, t.text, t.source FROM prompts m
      JOIN open_steps t ON t.session_id = m.session_id AND t.prompt_number = m.prompt_number
    WHERE ${WANTED} AND t.closed_at_epoch IS NULL ORDER BY t.id`;
  const steps = readAll<Line<'turn'>['openSteps'][number] & { id: number }>(db, ofSteps, JSON.stringify(prompts));
  const openSteps = Map.groupBy(steps, ({ id }) => id);
  return new Map(
    rows.map(({ from, to, hash, ...row }) => {
      const times = { startedAt: isoTime(from), endedAt: isoTime(to) };
      const isSound = hash === hashParts([row.record]);
      return [row.id, isSound ? lineOf('turn', row, { ...times, openSteps: openSteps.get(row.id) ?? [] }) : null];
    }),
  );
}

type CommitLine = Line<'commit'> & { projectId: number };

/** Of which there is no memory that is shown; after this one. */
function listCommits(db: Database, scope: ExportScope, last: CommitLine | null): CommitLine[] {
  const sql = `SELECT p.key AS project, c.project_id AS projectId, ${COMMIT}
    FROM commits c JOIN projects p ON p.id = c.project_id LEFT JOIN observations o ON o.id = c.observation_id
    WHERE (c.project_id, c.hash) > ($afterProject, $afterHash) AND ($projectId IS NULL OR c.project_id = $projectId)
      AND c.author_at_epoch >= $since AND (o.id IS NULL OR o.hidden_at IS NOT NULL)
    ORDER BY c.project_id, c.hash LIMIT ${ROWS * 10}`;
  return readAll<CommitRow & { project: string; projectId: number }>(db, sql, {
    ...scope,
    afterProject: last?.projectId ?? 0,
    afterHash: last?.hash ?? '',
  }).map(({ project, projectId, ...row }) => ({ kind: 'commit', project, projectId, ...fromCommitRow(row) }));
}

/** After this one. */
const listForgotten = (db: Database, last: Line<'forgotten'> | null) => {
  const sql = `SELECT 'forgotten' AS kind, t.kind AS what, t.hash, t.created_at AS at FROM tombstones t
    WHERE (t.kind, t.hash) > (?, ?) ORDER BY t.kind, t.hash LIMIT ${ROWS * 10}`;
  return readAll<Line<'forgotten'>>(db, sql, last?.what ?? '', last?.hash ?? '');
};
