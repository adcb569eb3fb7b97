// Memories as an export has them: everything that is known of them, without their ids.
import type { Database } from 'bun:sqlite';
import { z } from 'zod';
import type { ObservationLine, PromptLine, SummaryLine, TurnLine } from '../../core/export.ts';
import { hashParts } from '../../core/ids.ts';
import type { MemoryKind } from '../../core/memory.ts';
import { listCitations } from '../memories/citations.ts';
import { hashContent, type StoredContent } from '../memories/observations.ts';
import { isoTime } from '../time.ts';
import { type CommitRecord, fromCommitRow } from './export-rows.ts';

export type ExportedMemory = PromptLine | ObservationLine | SummaryLine;

/** By the id of their prompt, with whether they are what was stored. */
export function readExportTurns(db: Database, prompts: number[]): Map<number, { line: TurnLine; isSound: boolean }> {
  type Row = Omit<TurnLine, 'kind' | 'startedAt' | 'endedAt' | 'openSteps'> & {
    id: number;
    from: number;
    to: number;
    hash: string;
  };
  const rows = db
    .query<Row, [string]>(
      `SELECT m.id, s.host_session_id AS session, m.prompt_number AS number, t.branch, t.head_before AS headBefore,
         t.head_after AS headAfter, t.record, t.started_at_epoch AS "from", t.ended_at_epoch AS "to", t.hash
       FROM prompts m JOIN sessions s ON s.id = m.session_id
         JOIN turns t ON t.session_id = m.session_id AND t.prompt_number = m.prompt_number
       WHERE ${WANTED} AND m.private = 0 AND NOT EXISTS (${HIDDEN_IN('observations')}) AND NOT EXISTS (${HIDDEN_IN('summaries')})`,
    )
    .all(JSON.stringify(prompts));
  const steps = readSteps(db, prompts);
  return new Map(
    rows.map(({ id, from, to, hash, ...row }) => [
      id,
      {
        line: { kind: 'turn', ...row, openSteps: steps.get(id) ?? [], startedAt: isoTime(from), endedAt: isoTime(to) },
        isSound: hash === hashParts([row.record]),
      },
    ]),
  );
}

function readSteps(db: Database, prompts: number[]): Map<number, TurnLine['openSteps']> {
  const rows = db
    .query<TurnLine['openSteps'][number] & { id: number }, [string]>(
      `SELECT m.id, t.text, t.source FROM prompts m
         JOIN open_steps t ON t.session_id = m.session_id AND t.prompt_number = m.prompt_number
       WHERE ${WANTED} AND t.closed_at_epoch IS NULL ORDER BY t.id`,
    )
    .all(JSON.stringify(prompts));
  const byPrompt = Map.groupBy(rows, ({ id }) => id);
  return new Map([...byPrompt].map(([id, steps]) => [id, steps.map(({ text, source }) => ({ text, source }))]));
}

/** Its record may tell of it. */
const HIDDEN_IN = (table: string) => `SELECT 1 FROM ${table} h
  WHERE h.session_id = m.session_id AND h.prompt_number = m.prompt_number AND h.hidden_at IS NOT NULL`;

/** By id. One that is gone, hidden, or not what was stored is left out. */
export function readExportMemories(db: Database, kind: MemoryKind, ids: number[]): Map<number, ExportedMemory> {
  if (kind === 'observation') return readObservations(db, ids);
  return kind === 'summary' ? readSummaries(db, ids) : readPrompts(db, ids);
}

const WANTED = 'm.id IN (SELECT value FROM json_each(?)) AND m.hidden_at IS NULL';

type ObservationRow = StoredContent & {
  id: number;
  session: string;
  project: string;
  prompt: number | null;
  origin: ObservationLine['origin'];
  trust: number;
  sources: string;
  pinned: number;
  kept: number;
  isRule: number;
  quarantined: number;
  wrongAt: string | null;
  editedAt: string | null;
  head: string | null;
  branch: string | null;
  commitHash: string | null;
  hash: string;
  at: string;
};

function readObservations(db: Database, ids: number[]): Map<number, ExportedMemory> {
  const rows = db
    .query<ObservationRow, [string]>(
      `SELECT m.id, s.host_session_id AS session, p.key AS project, m.prompt_number AS prompt, m.type, m.title, m.subtitle, m.narrative,
         m.facts, m.concepts, m.files_read AS filesRead, m.files_modified AS filesModified, m.outcome, m.origin, m.trust, m.sources,
         m.pinned, m.kept, m.is_rule AS isRule, m.quarantined, m.wrong_at AS wrongAt, m.edited_at AS editedAt, m.head, m.branch, m.commit_hash AS commitHash,
         m.hash, m.created_at AS at
       FROM observations m JOIN sessions s ON s.id = m.session_id JOIN projects p ON p.id = m.project_id WHERE ${WANTED}`,
    )
    .all(JSON.stringify(ids))
    .filter(isSound);
  const besides = readBesides(
    db,
    rows.map(({ id }) => id),
  );
  return new Map(rows.map((row) => [row.id, { ...observationLine(row), ...besides.of(row.id) }]));
}

/** Whoever exported a row that a disk has damaged would make it look sound. */
const isSound = (row: ObservationRow) => hashContent(row) === row.hash && LISTS.every((list) => isJson(row[list]));
const LISTS = ['facts', 'concepts', 'filesRead', 'filesModified', 'sources'] as const;

const Texts = z.array(z.string()).catch([]);
const Facts = z.array(z.object({ text: z.string(), sources: z.array(z.string()).default([]) })).catch([]);
const readTexts = (json: string) => (isJson(json) ? Texts.parse(JSON.parse(json)) : []);

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    // That is the answer.
    return false;
  }
}

function observationLine(row: ObservationRow): ObservationLine {
  return {
    kind: 'observation',
    session: row.session,
    project: row.project,
    prompt: row.prompt,
    type: row.type,
    title: row.title,
    subtitle: row.subtitle,
    narrative: row.narrative,
    facts: Facts.parse(JSON.parse(row.facts)),
    concepts: readTexts(row.concepts),
    filesRead: readTexts(row.filesRead),
    filesModified: readTexts(row.filesModified),
    outcome: row.outcome,
    origin: row.origin,
    trust: row.trust,
    sources: readTexts(row.sources),
    isPinned: row.pinned === 1,
    isKept: row.kept === 1,
    isRule: row.isRule === 1,
    isQuarantined: row.quarantined === 1,
    wrongAt: row.wrongAt,
    editedAt: row.editedAt,
    head: row.head,
    branch: row.branch,
    commit: row.commitHash,
    citations: [],
    errorMarks: [],
    commits: [],
    at: row.at,
  };
}

/** What other tables know of these observations. */
function readBesides(db: Database, ids: number[]) {
  const list = JSON.stringify(ids);
  const citations = Map.groupBy(listCitations(db, ids), ({ observationId }) => observationId);
  const marks = db
    .query<{ id: number; mark: string }, [string]>(
      `SELECT observation_id AS id, mark FROM error_marks WHERE observation_id IN (SELECT value FROM json_each(?)) ORDER BY mark`,
    )
    .all(list);
  const commits = db
    .query<CommitRecord & { id: number; hash: string; at: number }, [string]>(
      `SELECT observation_id AS id, hash, author_at_epoch AS at, reverts, is_own AS isOwn, is_routine AS isRoutine FROM commits
       WHERE observation_id IN (SELECT value FROM json_each(?)) ORDER BY hash`,
    )
    .all(list);
  const [byMark, byCommit] = [Map.groupBy(marks, ({ id }) => id), Map.groupBy(commits, ({ id }) => id)];
  return {
    of: (id: number) => ({
      citations: (citations.get(id) ?? []).map(({ observationId: _, ...citation }) => citation),
      errorMarks: (byMark.get(id) ?? []).map(({ mark }) => mark),
      commits: (byCommit.get(id) ?? []).map(({ hash, at, ...row }) => ({
        hash,
        at: isoTime(at),
        ...fromCommitRow(row),
      })),
    }),
  };
}

function readSummaries(db: Database, ids: number[]): Map<number, ExportedMemory> {
  type Row = Omit<SummaryLine, 'kind' | 'filesRead' | 'filesEdited'> & Record<'filesRead' | 'filesEdited', string>;
  const rows = db
    .query<Row & { id: number }, [string]>(
      `SELECT m.id, s.host_session_id AS session, p.key AS project, m.prompt_number AS prompt, m.request, m.investigated, m.learned,
         m.completed, m.next_steps AS nextSteps, m.notes, m.files_read AS filesRead, m.files_edited AS filesEdited, m.created_at AS at
       FROM summaries m JOIN sessions s ON s.id = m.session_id JOIN projects p ON p.id = m.project_id WHERE ${WANTED}`,
    )
    .all(JSON.stringify(ids));
  return new Map(
    rows.map(({ id, at, filesRead, filesEdited, ...row }) => {
      const files = { filesRead: readTexts(filesRead), filesEdited: readTexts(filesEdited) };
      return [id, { kind: 'summary', ...row, ...files, at }];
    }),
  );
}

function readPrompts(db: Database, ids: number[]): Map<number, ExportedMemory> {
  const rows = db
    .query<Omit<PromptLine, 'kind' | 'isPrivate'> & { id: number; private: number }, [string]>(
      `SELECT m.id, s.host_session_id AS session, m.prompt_number AS number, m.prompt_id AS promptId, m.text, m.private, m.created_at AS at
       FROM prompts m JOIN sessions s ON s.id = m.session_id WHERE ${WANTED}`,
    )
    .all(JSON.stringify(ids));
  return new Map(
    rows.map(({ id, private: isPrivate, at, ...row }) => [
      id,
      { kind: 'prompt', ...row, isPrivate: isPrivate === 1, at },
    ]),
  );
}
