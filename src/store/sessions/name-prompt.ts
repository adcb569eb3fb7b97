// Prompts that look like others: those that their hook delivered without an id, and those that are private.
import type { Database } from 'bun:sqlite';

export type NamedPrompt = { promptId: string; text: string; isPrivate: boolean };

/** From now on what follows it is known to belong to it. False when no prompt of the session has that id, or waits for one. */
export function namePrompt(db: Database, sessionId: number, { promptId, text, isPrivate }: NamedPrompt): boolean {
  const known = db.query('SELECT 1 FROM prompts WHERE session_id = ? AND prompt_id = ?').get(sessionId, promptId);
  if (known) return true;
  const { changes } = db
    .query(
      `UPDATE prompts SET prompt_id = $promptId WHERE id = (
         SELECT id FROM prompts WHERE session_id = $sessionId AND prompt_id IS NULL AND private = $isPrivate
           AND trim(text, $blank) = trim($text, $blank) ORDER BY id LIMIT 1)`,
    )
    .run({ sessionId, promptId, text, isPrivate: Number(isPrivate), blank: ' \n\r\t' });
  return changes > 0;
}

/** Whether it is the very same that comes again: one that is private looks like any other of its turn, but for its time. */
export function isPromptOf(
  db: Database,
  sessionId: number,
  { promptId, at }: { promptId: string; at: number },
): boolean {
  const find = 'SELECT 1 FROM prompts WHERE session_id = ? AND prompt_id = ? AND private = 1 AND created_at_epoch = ?';
  return db.query(find).get(sessionId, promptId, at) !== null;
}
