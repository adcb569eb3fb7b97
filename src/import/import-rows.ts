// Rows that an import adds: what is there already stays as it is. All inside a transaction.
import type { Database } from 'bun:sqlite';
import { insertPrompt, type NewPrompt, promptText } from '../capture/prompts.ts';
import type { Line } from '../core/shapes/export.ts';
import { isoTime } from '../core/time.ts';
import { ensureGlobalProject, ensureProject, findProject, GLOBAL_KEY, type Project } from '../projects/projects.ts';
import { exists, readFirst, readValue } from '../store/read.ts';

export function importProject(db: Database, line: Line<'project'>): Project {
  const { key, name, root, remote } = line;
  const wasThere = findProject(db, key) !== null;
  const at = Date.parse(line.at);
  // By its key alone: the same path on another machine need not be the same project.
  const bare = { key, name, root: '', remote: null };
  const project = key === GLOBAL_KEY ? ensureGlobalProject(db, at) : ensureProject(db, bare, at);
  if (!wasThere)
    db.query('UPDATE projects SET root = ?, remote = ?, is_renamed = ? WHERE id = ?').run(root, remote, Number(line.isRenamed), project.id);
  db.query('UPDATE projects SET first_commit = coalesce(first_commit, ?) WHERE id = ?').run(line.firstCommit, project.id);
  const sql = `INSERT OR IGNORE INTO project_aliases (key, project_id, created_at)
    SELECT $key, $id, $at WHERE NOT EXISTS (SELECT 1 FROM projects WHERE key = $key)`;
  const addAlias = db.query(sql);
  for (const alias of line.aliases) addAlias.run({ key: alias.key, id: project.id, at: alias.at });
  return wasThere ? project : { ...project, root };
}

/** One of which nothing came in leaves no trace of its name. */
export function dropEmptyProject(db: Database, key: string): void {
  const isIn = (table: string) => `EXISTS (SELECT 1 FROM ${table} t WHERE t.project_id = projects.id)`;
  const sql = `DELETE FROM projects WHERE key = ? AND NOT ${isIn('sessions')} AND NOT ${isIn('observations')} AND NOT ${isIn('summaries')}`;
  db.query(sql).run(key);
}

/** Its id. One that is there keeps its words, also where it has none: they may have been taken out. */
export function importSession(db: Database, line: Line<'session'>, projectId: number): number {
  const { session, host, cwd, root, branch, title, subtitle, firstPrompt, prompts, status, endReason } = line;
  const [started, updated] = [timesOf(line.startedAt), timesOf(line.updatedAt)];
  const completed = line.completedAt === null ? { iso: null, epoch: null } : timesOf(line.completedAt);
  const sql = `INSERT INTO sessions (host, host_session_id, project_id, cwd, root, branch, title, subtitle, first_prompt, prompt_counter,
      end_reason, started_at, started_at_epoch, updated_at, updated_at_epoch, completed_at, completed_at_epoch, status)
    VALUES ($host, $session, $projectId, $cwd, $root, $branch, $title, $subtitle, $firstPrompt, $prompts, $endReason, $startedIso,
      $startedEpoch, $updatedIso, $updatedEpoch, $completedIso, $completedEpoch, $status)
    ON CONFLICT (host_session_id) DO UPDATE SET prompt_counter = max(prompt_counter, $prompts),
      started_at = min(started_at, $startedIso), started_at_epoch = min(started_at_epoch, $startedEpoch),
      updated_at = max(updated_at, $updatedIso), updated_at_epoch = max(updated_at_epoch, $updatedEpoch) RETURNING id`;
  const row = readFirst<{ id: number }>(db, sql, {
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
  readValue(db, 'SELECT id FROM prompts WHERE session_id = ? AND prompt_number = ?', sessionId, promptNumber);

/** One whose words are there to be read. */
export const hasOpenPrompt = (db: Database, sessionId: number, promptNumber: number): boolean =>
  promptText(db, { sessionId, promptNumber }) !== null;

/** Its id. */
export function importPrompt(db: Database, prompt: NewPrompt): number {
  const { sessionId, promptNumber } = prompt;
  db.query('UPDATE sessions SET prompt_counter = max(prompt_counter, ?) WHERE id = ?').run(promptNumber, sessionId);
  return insertPrompt(db, prompt);
}

/** Hooks or a transcript told of it here. */
export const wasCaptured = (db: Database, sessionId: number): boolean =>
  exists(db, 'SELECT 1 FROM events WHERE session_id = ? LIMIT 1', sessionId);

/** What people said of it, and which commits it was made of. */
export function markImported(db: Database, id: number, projectId: number, line: Line<'observation'>): void {
  const { prompt, isPinned, isKept, wrongAt, editedAt, commit } = line;
  const sql = `UPDATE observations SET prompt_number = $prompt, pinned = $isPinned, kept = $isKept, wrong_at = $wrongAt,
    edited_at = $editedAt, commit_hash = $commit WHERE id = $id`;
  db.query(sql).run({ id, prompt, isPinned: Number(isPinned), isKept: Number(isKept), wrongAt, editedAt, commit });
  for (const one of line.commits) importCommit(db, projectId, one, id);
}

/** Undefined when it is not known; null when its memory is not to come back. */
export function findCommitMemory(db: Database, projectId: number, hash: string): number | null | undefined {
  return readFirst<{ id: number | null }>(db, 'SELECT observation_id AS id FROM commits WHERE project_id = ? AND hash = ?', projectId, hash)
    ?.id;
}

/** False when it was there. */
export function importCommit(
  db: Database,
  projectId: number,
  { hash, at, reverts, isOwn, isRoutine }: Omit<Line<'commit'>, 'kind' | 'project'>,
  observationId: number | null,
): boolean {
  const sql = `INSERT OR IGNORE INTO commits (project_id, hash, observation_id, author_at_epoch, reverts, is_own, is_routine)
    VALUES (?, ?, ?, ?, ?, ?, ?)`;
  const { changes } = db
    .query(sql)
    .run(projectId, hash, observationId, Date.parse(at), reverts, isOwn === null ? null : Number(isOwn), Number(isRoutine));
  return changes > 0;
}

/** Two programs that heard the same prompt noted it within so long. */
const SAME_PROMPT_MS = 60_000;
/** A number beyond is a slip of whoever counted. */
const MOST_PROMPTS = 1_000_000;

/**
 * The number that a prompt has here which another program has counted; where it is not here, its own if that is free,
 * else after all others.
 */
export function numberPrompt(db: Database, sessionId: number, wanted: number | null, { text, at }: { text: string; at: number }): number {
  const sql = `SELECT prompt_number FROM prompts WHERE session_id = $sessionId AND abs(created_at_epoch - $at) <= ${SAME_PROMPT_MS}
    AND (prompt_number = $wanted OR trim(text, $blank) = trim($text, $blank)) ORDER BY prompt_number IS NOT $wanted LIMIT 1`;
  const same = readValue<number>(db, sql, { sessionId, text, at, wanted, blank: ' \n\r\t' });
  if (same !== null) return same;
  if (wanted !== null && wanted <= MOST_PROMPTS && findPromptNumbered(db, sessionId, wanted) === null) return wanted;
  const last = `SELECT max(s.prompt_counter, coalesce((SELECT max(prompt_number) FROM prompts WHERE session_id = s.id), 0))
    FROM sessions s WHERE s.id = ?`;
  return (readValue<number>(db, last, sessionId) ?? 0) + 1;
}

/**
 * The turn that a memory of another program belongs to: the prompt of that number if it was said before, else the last one before it.
 * Private when either is: the other program noted it late, or counted otherwise.
 */
export function findTurnOf(db: Database, sessionId: number, number: number | null, at: number) {
  type Found = { promptNumber: number; private: number };
  const find = (which: string, value: number) => {
    const sql = `SELECT prompt_number AS promptNumber, private FROM prompts WHERE session_id = ? AND ${which}
      ORDER BY created_at_epoch DESC, prompt_number DESC LIMIT 1`;
    return readFirst<Found>(db, sql, sessionId, value);
  };
  const byTime = find('created_at_epoch <= ?', at);
  const byNumber = number === null ? null : find('prompt_number = ?', number);
  return {
    promptNumber: (byNumber ?? byTime)?.promptNumber ?? number ?? 0,
    isPrivate: byTime?.private === 1 || byNumber?.private === 1,
  };
}

/** Up to the last of its memories. What it is doing now is not for an import to say. */
export function stretchSession(db: Database, id: number): void {
  const last = (table: string) => `coalesce((SELECT max(created_at_epoch) FROM ${table} WHERE session_id = $id), 0)`;
  const at = readValue<number>(db, `SELECT max(${last('observations')}, ${last('summaries')}, ${last('prompts')})`, { id }) ?? 0;
  const sql = `UPDATE sessions SET updated_at = $iso, updated_at_epoch = $at WHERE id = $id AND updated_at_epoch < $at
    AND status IN ('completed','interrupted')`;
  db.query(sql).run({ id, at, iso: isoTime(at) });
}

/**
 * Takes back what was made of a session's transcript, so that it can be read once more: by a model, this time. False, and nothing is
 * changed, when there is more than the transcript says: hooks delivered some of it, or a person said something of what was made of it,
 * which would come again without that. What another store brought stays, and so do the prompts: read once more, each finds its row
 * again (capture/prompts.ts).
 */
export function undoImport(db: Database, sessionId: number): boolean {
  return db
    .transaction(() => {
      if (MORE.some((sql) => db.query(sql).get(sessionId) !== null)) return false;
      for (const table of ['observations', 'summaries'])
        db.query(`DELETE FROM ${table} WHERE session_id = ?1 AND batch_id IN ${BATCHES}`).run(sessionId);
      // Whoever had named it before keeps it.
      if (!OTHERS.some((sql) => db.query(sql).get(sessionId) !== null))
        db.query('UPDATE sessions SET title = NULL, subtitle = NULL WHERE id = ?').run(sessionId);
      for (const table of ['events', 'batches']) db.query(`DELETE FROM ${table} WHERE session_id = ?`).run(sessionId);
      db.query(
        `UPDATE transcripts SET position = 0, size = 0, mtime = 0
         WHERE host_session_id = (SELECT host_session_id FROM sessions WHERE id = ?)`,
      ).run(sessionId);
      return true;
    })
    .immediate();
}

const BATCHES = '(SELECT batch_id FROM events WHERE session_id = ?1 AND batch_id IS NOT NULL)';

const MORE = [
  "SELECT 1 FROM events WHERE session_id = ? AND provenance NOT LIKE 'transcript:%' LIMIT 1",
  `SELECT 1 FROM observations WHERE session_id = ? AND (pinned = 1 OR kept = 1 OR edited_at IS NOT NULL
     OR wrong_at IS NOT NULL OR hidden_at IS NOT NULL) LIMIT 1`,
  'SELECT 1 FROM summaries WHERE session_id = ? AND hidden_at IS NOT NULL LIMIT 1',
  'SELECT 1 FROM prompts WHERE session_id = ? AND hidden_at IS NOT NULL LIMIT 1',
];

const OTHERS = ['observations', 'summaries'].map((table) => `SELECT 1 FROM ${table} WHERE session_id = ? LIMIT 1`);
