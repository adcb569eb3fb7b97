// Summaries and open steps without what is gone: a turn is summed up in the words of its memories, so one that goes is unsaid there, too.
import type { Database } from 'bun:sqlite';
import { splitSentences, withoutSentences } from '../../core/sentences.ts';
import { shareMost } from '../../core/shared-words.ts';
import { addDocument } from '../index/documents.ts';
import { rewriteSummary, type SummaryWords } from '../memories/summaries.ts';

export type Unsaid = { sessionId: number; promptNumber: number | null; texts: string[] };

const FIELDS = ['request', 'investigated', 'learned', 'completed', 'nextSteps', 'notes'] as const;
/** In the summaries and open steps of its own turn, sentence by sentence. What has nothing left to say goes. Inside a transaction. */
export function unsayInSummaries(db: Database, { sessionId, promptNumber, texts }: Unsaid): void {
  if (promptNumber === null || texts.length === 0) return;
  const gone = texts.flatMap((text) => [text, ...splitSentences(text)]).map(wordsOf);
  const isGone = (sentence: string) => gone.some((words) => shareMost(wordsOf(sentence), words));
  const unsay = (text: string | null) => text && withoutSentences(text, isGone);
  for (const { id, ...words } of listSummaries(db, sessionId, promptNumber)) {
    const left = Object.fromEntries(FIELDS.map((field) => [field, unsay(words[field])])) as SummaryWords;
    if (FIELDS.every((field) => left[field] === words[field])) continue;
    if (FIELDS.every((field) => left[field] === null)) db.query('DELETE FROM summaries WHERE id = ?').run(id);
    else rewriteSummary(db, id, left);
    if (FIELDS.some((field) => left[field] !== null)) addDocument(db, { kind: 'summary', id });
    db.query('UPDATE injections SET text = NULL WHERE summary_id = ?').run(id);
  }
  dropSteps(db, { sessionId, promptNumber }, isGone);
}

/** The open steps of a turn that say what is gone. Inside a transaction. */
export function dropSteps(
  db: Database,
  { sessionId, promptNumber }: { sessionId: number; promptNumber: number },
  isGone: (text: string) => boolean,
): void {
  const steps = db
    .query<{ id: number; text: string }, [number, number]>(
      'SELECT id, text FROM open_steps WHERE session_id = ? AND prompt_number = ?',
    )
    .all(sessionId, promptNumber);
  for (const { id, text } of steps) if (isGone(text)) db.query('DELETE FROM open_steps WHERE id = ?').run(id);
}

type Row = { id: number } & SummaryWords;

const listSummaries = (db: Database, sessionId: number, promptNumber: number) =>
  db
    .query<Row, [number, number]>(
      `SELECT id, request, investigated, learned, completed, next_steps AS nextSteps, notes FROM summaries
       WHERE session_id = ? AND prompt_number = ?`,
    )
    .all(sessionId, promptNumber);

const wordsOf = (text: string) => new Set(text.toLowerCase().match(/[\p{L}\p{N}_]{3,}/gu) ?? []);
