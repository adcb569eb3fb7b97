// A prompt that its hook delivered without an id, and that a transcript knows by one.
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
