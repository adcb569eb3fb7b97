// Memories as an export has them: everything that is known of them, without their ids.
import type { Database } from 'bun:sqlite';
import { z } from 'zod';
import type { ExportLine, ObservationLine, PromptLine, SummaryLine } from '../../core/export.ts';
import type { MemoryKind } from '../../core/memory.ts';
import { listCitations } from '../memories/citations.ts';
import { hashContent, type StoredContent } from '../memories/observations.ts';
import { isoTime } from '../time.ts';
import { type CommitRecord, fromCommitRow } from './export-rows.ts';

export type ExportedMemory = {
  line: PromptLine | ObservationLine | SummaryLine;
  /** Of an observation: what stands in its place, and whether it stands in the place of another. */
  supersededBy: number | null;
  isSuperseding: boolean;
};

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
  quarantined: number;
  wrongAt: string | null;
  editedAt: string | null;
  head: string | null;
  branch: string | null;
  commitHash: string | null;
  hash: string;
  at: string;
  supersededBy: number | null;
  isSuperseding: number;
};

function readObservations(db: Database, ids: number[]): Map<number, ExportedMemory> {
  const rows = db
    .query<ObservationRow, [string]>(
      `SELECT m.id, s.host_session_id AS session, p.key AS project, m.prompt_number AS prompt, m.type, m.title, m.subtitle, m.narrative,
         m.facts, m.concepts, m.files_read AS filesRead, m.files_modified AS filesModified, m.outcome, m.origin, m.trust, m.sources,
         m.pinned, m.kept, m.quarantined, m.wrong_at AS wrongAt, m.edited_at AS editedAt, m.head, m.branch, m.commit_hash AS commitHash,
         m.hash, m.created_at AS at, (SELECT id FROM observations n WHERE n.id = m.superseded_by AND n.hidden_at IS NULL) AS supersededBy,
         EXISTS (SELECT 1 FROM observations n WHERE n.superseded_by = m.id AND n.hidden_at IS NULL) AS isSuperseding
       FROM observations m JOIN sessions s ON s.id = m.session_id JOIN projects p ON p.id = m.project_id WHERE ${WANTED}`,
    )
    .all(JSON.stringify(ids))
    .filter(isSound);
  const besides = readBesides(
    db,
    rows.map(({ id }) => id),
  );
  return new Map(
    rows.map((row) => [
      row.id,
      {
        line: { ...observationLine(row), ...besides.of(row.id) },
        supersededBy: row.supersededBy,
        isSuperseding: row.isSuperseding === 1,
      },
    ]),
  );
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
      return [id, alone({ kind: 'summary', ...row, ...files, at })];
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
      alone({ kind: 'prompt', ...row, isPrivate: isPrivate === 1, at }),
    ]),
  );
}

const alone = (line: Exclude<ExportLine, { kind: 'observation' }> & ExportedMemory['line']): ExportedMemory => ({
  line,
  supersededBy: null,
  isSuperseding: false,
});
