// Rows of an export put into a store: what is there already stays as it is. All inside a transaction.
import type { Database } from 'bun:sqlite';
import type { CommitLine, ObservationLine, ProjectLine, SessionLine } from '../../core/export.ts';
import type { ObservationDraft } from '../../core/observation.ts';
import { OUTCOMES } from '../../core/observation.ts';
import { joinTexts } from '../join-texts.ts';
import { hashContent } from '../memories/observations.ts';
import { ensureGlobalProject, ensureProject, findProject, GLOBAL_KEY, type Project } from '../projects/projects.ts';
import { isoTime } from '../time.ts';

/** The one with this key, or a new one. */
export function importProject(db: Database, line: ProjectLine): Project {
  const { key, name, root, remote } = line;
  const wasThere = findProject(db, key) !== null;
  const at = Date.parse(line.at);
  // By its key alone: the same path on another machine need not be the same project.
  const bare = { key, name, root: '', remote: null };
  const project = key === GLOBAL_KEY ? ensureGlobalProject(db, at) : ensureProject(db, bare, at);
  if (!wasThere)
    db.query('UPDATE projects SET root = ?, remote = ?, is_renamed = ? WHERE id = ?').run(
      root,
      remote,
      Number(line.isRenamed),
      project.id,
    );
  db.query('UPDATE projects SET first_commit = coalesce(first_commit, ?) WHERE id = ?').run(
    line.firstCommit,
    project.id,
  );
  const addAlias = db.query(
    `INSERT OR IGNORE INTO project_aliases (key, project_id, created_at)
     SELECT $key, $id, $at WHERE NOT EXISTS (SELECT 1 FROM projects WHERE key = $key)`,
  );
  for (const alias of line.aliases) addAlias.run({ key: alias.key, id: project.id, at: alias.at });
  return wasThere ? project : { ...project, root };
}

/** Its id. One that is there keeps its words, also where it has none: they may have been taken out. */
export function importSession(db: Database, line: SessionLine, projectId: number): number {
  const { session, host, cwd, root, branch, title, subtitle, firstPrompt, prompts, status, endReason } = line;
  const [started, updated] = [timesOf(line.startedAt), timesOf(line.updatedAt)];
  const completed = line.completedAt === null ? { iso: null, epoch: null } : timesOf(line.completedAt);
  const row = db
    .query<{ id: number }, [Record<string, string | number | null>]>(
      `INSERT INTO sessions (host, host_session_id, project_id, cwd, root, branch, title, subtitle, first_prompt, prompt_counter,
         end_reason, started_at, started_at_epoch, updated_at, updated_at_epoch, completed_at, completed_at_epoch, status)
       VALUES ($host, $session, $projectId, $cwd, $root, $branch, $title, $subtitle, $firstPrompt, $prompts, $endReason, $startedIso,
         $startedEpoch, $updatedIso, $updatedEpoch, $completedIso, $completedEpoch, $status)
       ON CONFLICT (host_session_id) DO UPDATE SET prompt_counter = max(prompt_counter, $prompts),
         started_at = min(started_at, $startedIso), started_at_epoch = min(started_at_epoch, $startedEpoch),
         updated_at = max(updated_at, $updatedIso), updated_at_epoch = max(updated_at_epoch, $updatedEpoch) RETURNING id`,
    )
    .get({
      ...{ host, session, projectId, cwd, root, branch, title, subtitle, firstPrompt, prompts, status, endReason },
      ...{ startedIso: started.iso, startedEpoch: started.epoch, updatedIso: updated.iso, updatedEpoch: updated.epoch },
      ...{ completedIso: completed.iso, completedEpoch: completed.epoch },
    });
  if (!row) throw new Error(`session ${session} vanished while it was stored`);
  return row.id;
}

function timesOf(text: string) {
  const epoch = Date.parse(text);
  return { iso: isoTime(epoch), epoch };
}

export const findPromptNumbered = (db: Database, sessionId: number, promptNumber: number): number | null =>
  db
    .query<{ id: number }, [number, number]>('SELECT id FROM prompts WHERE session_id = ? AND prompt_number = ?')
    .get(sessionId, promptNumber)?.id ?? null;

/** One whose words are there to be read. */
export const hasOpenPrompt = (db: Database, sessionId: number, promptNumber: number) =>
  db
    .query(
      "SELECT 1 FROM prompts WHERE session_id = ? AND prompt_number = ? AND private = 0 AND text <> '' AND hidden_at IS NULL",
    )
    .get(sessionId, promptNumber) !== null;

export type Owned = { sessionId: number; projectId: number };

/** What one store heard from hooks and another read from the transcript has two times, so far apart at most. */
export const SAME_MOMENT_MS = 60_000;

/** One for each turn: what was taken out of its words since is not brought back. */
export const findSummaryAt = (db: Database, { sessionId, projectId }: Owned, promptNumber: number | null, at: number) =>
  db
    .query<{ id: number }, [Record<string, number | null>]>(
      `SELECT id FROM summaries WHERE project_id = $projectId AND created_at_epoch = $at AND +session_id = $sessionId
         AND prompt_number IS $promptNumber
       UNION ALL SELECT s.id FROM batches b JOIN summaries s ON s.batch_id = b.id
         WHERE b.session_id = $sessionId AND s.prompt_number IS $promptNumber
           AND s.created_at_epoch BETWEEN $at - ${SAME_MOMENT_MS} AND $at + ${SAME_MOMENT_MS} LIMIT 1`,
    )
    .get({ projectId, sessionId, promptNumber, at })?.id ?? null;

/** It rests on the same events; or, where these are called otherwise, changed the same files. */
export function isOfSameWork(
  { sources, type, filesModified }: Pick<Brought, 'sources' | 'type' | 'filesModified'>,
  draft: ObservationDraft,
): boolean {
  if (sources === JSON.stringify(draft.sources)) return true;
  return type === draft.type && draft.filesModified.length > 0 && filesModified === JSON.stringify(draft.filesModified);
}

/** A memory that no events of ours were distilled into: another store brought it, or somebody said it. */
export type Brought = {
  id: number;
  promptNumber: number | null;
  type: string;
  title: string | null;
  hash: string;
  sources: string;
  filesModified: string;
  isEdited: number;
  at: number;
};

export const listBrought = (db: Database, sessionId: number): Brought[] =>
  db
    .query<Brought, [number]>(
      `SELECT id, prompt_number AS promptNumber, type, title, hash, sources, files_modified AS filesModified,
         edited_at IS NOT NULL AS isEdited, created_at_epoch AS at
       FROM observations WHERE session_id = ? AND batch_id IS NULL`,
    )
    .all(sessionId);

/** The words of each. */
export const listBroughtSummaries = (db: Database, sessionId: number) =>
  db
    .query<{ id: number; promptNumber: number | null; words: string }, [number]>(
      `SELECT id, prompt_number AS promptNumber, ${joinTexts('request, investigated, learned, completed, next_steps, notes', "' '")} AS words
       FROM summaries WHERE session_id = ? AND batch_id IS NULL`,
    )
    .all(sessionId);

/** In the same words, whatever came of it. */
export const hashesOf = (draft: ObservationDraft) =>
  new Set([null, ...OUTCOMES].map((outcome) => hashWords({ ...draft, outcome })));

const hashWords = ({ facts, concepts, filesRead, filesModified, ...words }: ObservationDraft) =>
  hashContent({
    ...words,
    facts: JSON.stringify(facts),
    concepts: JSON.stringify(concepts),
    filesRead: JSON.stringify(filesRead),
    filesModified: JSON.stringify(filesModified),
  });

/** What people said of it, and which commits it was made of. */
export function markImported(db: Database, id: number, projectId: number, line: ObservationLine): void {
  const { prompt, isPinned, isKept, wrongAt, editedAt, commit } = line;
  db.query(
    `UPDATE observations SET prompt_number = $prompt, pinned = $isPinned, kept = $isKept, wrong_at = $wrongAt, edited_at = $editedAt,
       commit_hash = $commit WHERE id = $id`,
  ).run({ id, prompt, isPinned: Number(isPinned), isKept: Number(isKept), wrongAt, editedAt, commit });
  for (const one of line.commits) importCommit(db, projectId, one, id);
}

/** Undefined when it is not known; null when its memory is not to come back. */
export function findCommitMemory(db: Database, projectId: number, hash: string): number | null | undefined {
  return db
    .query<{ id: number | null }, [number, string]>(
      'SELECT observation_id AS id FROM commits WHERE project_id = ? AND hash = ?',
    )
    .get(projectId, hash)?.id;
}

/** False when it was there. */
export function importCommit(
  db: Database,
  projectId: number,
  { hash, at, reverts, isOwn, isRoutine }: Omit<CommitLine, 'kind' | 'project'>,
  observationId: number | null,
): boolean {
  const { changes } = db
    .query(
      `INSERT OR IGNORE INTO commits (project_id, hash, observation_id, author_at_epoch, reverts, is_own, is_routine)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(
      projectId,
      hash,
      observationId,
      Date.parse(at),
      reverts,
      isOwn === null ? null : Number(isOwn),
      Number(isRoutine),
    );
  return changes > 0;
}
