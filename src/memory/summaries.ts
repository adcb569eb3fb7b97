// summaries: one for each turn of a session, in eight fields.
import type { Database } from 'bun:sqlite';
import { hashParts } from '../core/ids.ts';
import type { SummaryDraft, SummaryWords } from '../core/summary.ts';
import { isForgotten } from '../forget/tombstones.ts';
import { scrubValue } from '../secrets/scrub.ts';
import { addDocument } from '../store/documents.ts';
import { countRows, exists } from '../store/read.ts';
import { isoTime } from '../store/time.ts';
import { nextId, type Owner } from './observations.ts';

export function insertSummary(db: Database, owner: Owner, said: SummaryDraft): number {
  // What was scrubbed in pieces may have been put together since.
  const draft = scrubValue(said).value;
  const content = contentOf(draft);
  const { lastInsertRowid } = db
    .query(
      `INSERT INTO summaries (id, session_id, project_id, prompt_number, request, investigated, learned, completed, next_steps,
         files_read, files_edited, notes, hash, created_at, created_at_epoch, batch_id, provisional)
       VALUES (${nextId('summaries')}, $sessionId, $projectId, $promptNumber, $request, $investigated, $learned, $completed, $nextSteps,
         $filesRead, $filesEdited, $notes, $hash, $iso, $at, $batchId, $isProvisional)`,
    )
    .run({
      ...owner,
      isProvisional: Number(owner.isProvisional),
      ...content,
      hash: hashContent(draft),
      iso: isoTime(draft.at),
      at: draft.at,
    });
  const id = Number(lastInsertRowid);
  addDocument(db, { kind: 'summary', id });
  return id;
}

const contentOf = (draft: SummaryDraft) => ({
  request: draft.request,
  investigated: draft.investigated,
  learned: draft.learned,
  completed: draft.completed,
  nextSteps: draft.nextSteps,
  filesRead: JSON.stringify(draft.filesRead),
  filesEdited: JSON.stringify(draft.filesEdited),
  notes: draft.notes,
});

const hashContent = (draft: SummaryDraft) => hashParts(Object.values(contentOf(draft)));

/** As they are stored: lists as JSON. */
type FileLists = { filesRead: string; filesEdited: string };

/** Other words in its fields. The caller adds its document anew. Inside a transaction. */
export function rewriteSummary(db: Database, id: number, words: SummaryWords, files?: FileLists): void {
  const lists = db
    .query<FileLists, [number]>('SELECT files_read AS filesRead, files_edited AS filesEdited FROM summaries WHERE id = ?')
    .get(id);
  if (!lists) return;
  const { request, investigated, learned, completed, nextSteps, notes } = words;
  const { filesRead, filesEdited } = files ?? lists;
  const hash = hashParts([request, investigated, learned, completed, nextSteps, filesRead, filesEdited, notes]);
  db.query(
    `UPDATE summaries SET request = $request, investigated = $investigated, learned = $learned, completed = $completed,
       next_steps = $nextSteps, files_read = $filesRead, files_edited = $filesEdited, notes = $notes, hash = $hash WHERE id = $id`,
  ).run({ id, hash, request, investigated, learned, completed, nextSteps, filesRead, filesEdited, notes });
}

export const countSummaries = (db: Database) => countRows(db, 'summaries');

/** Of that turn. */
export const hasSummary = (db: Database, { sessionId, promptNumber }: { sessionId: number; promptNumber: number }): boolean =>
  exists(db, 'SELECT 1 FROM summaries WHERE session_id = ? AND prompt_number = ?', sessionId, promptNumber);

/** One like it was erased: it must not come back. */
export const isForgottenSummary = (db: Database, draft: SummaryDraft) => isForgotten(db, 'text', hashContent(draft));
