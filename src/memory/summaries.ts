// summaries: one for each turn of a session, in eight fields.
import type { Database } from 'bun:sqlite';
import { hashParts } from '../core/ids.ts';
import type { SummaryDraft, SummaryWords } from '../core/observation.ts';
import { isoTime } from '../core/time.ts';
import { scrubValue } from '../secrets/scrub.ts';
import { addDocument } from '../store/documents.ts';
import { countRows, exists, readFirst } from '../store/read.ts';
import { isForgotten } from '../store/tombstones.ts';
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
      ...content,
      isProvisional: Number(owner.isProvisional),
      hash: hashContent(content),
      iso: isoTime(draft.at),
      at: draft.at,
    });
  const id = Number(lastInsertRowid);
  addDocument(db, { kind: 'summary', id });
  return id;
}

/** As it is stored, in the order in which its hash has it: lists as JSON. */
type StoredSummary = SummaryWords & { filesRead: string; filesEdited: string };

const contentOf = ({ filesRead, filesEdited, ...words }: SummaryDraft): StoredSummary => ({
  ...words,
  filesRead: JSON.stringify(filesRead),
  filesEdited: JSON.stringify(filesEdited),
});

const hashContent = ({ request, investigated, learned, completed, nextSteps, filesRead, filesEdited, notes }: StoredSummary) =>
  hashParts([request, investigated, learned, completed, nextSteps, filesRead, filesEdited, notes]);

/** Other words in its fields. The caller adds its document anew. Inside a transaction. */
export function rewriteSummary(
  db: Database,
  id: number,
  words: SummaryWords,
  files?: Pick<StoredSummary, 'filesRead' | 'filesEdited'>,
): void {
  const { request, investigated, learned, completed, nextSteps, notes } = words;
  const sql = 'SELECT files_read AS filesRead, files_edited AS filesEdited FROM summaries WHERE id = ?';
  const lists = readFirst<Pick<StoredSummary, 'filesRead' | 'filesEdited'>>(db, sql, id);
  if (!lists) return;
  const content = { request, investigated, learned, completed, nextSteps, notes, ...(files ?? lists) };
  db.query(
    `UPDATE summaries SET request = $request, investigated = $investigated, learned = $learned, completed = $completed,
       next_steps = $nextSteps, files_read = $filesRead, files_edited = $filesEdited, notes = $notes, hash = $hash WHERE id = $id`,
  ).run({ ...content, id, hash: hashContent(content) });
}

export const countSummaries = (db: Database) => countRows(db, 'summaries');

/** Of that turn. */
export const hasSummary = (db: Database, { sessionId, promptNumber }: { sessionId: number; promptNumber: number }): boolean =>
  exists(db, 'SELECT 1 FROM summaries WHERE session_id = ? AND prompt_number = ?', sessionId, promptNumber);

/** One like it was erased: it must not come back. */
export const isForgottenSummary = (db: Database, draft: SummaryDraft) => isForgotten(db, 'text', hashContent(contentOf(draft)));
