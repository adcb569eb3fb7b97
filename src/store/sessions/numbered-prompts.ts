// Prompts by their number in a session, as programs name them that count for themselves.
import type { Database } from 'bun:sqlite';

/** The id of the prompt with this number; null when there is none, or it has none. */
export function promptIdOf(db: Database, sessionId: number, promptNumber: number): string | null {
  return (
    db
      .query<{ id: string | null }, [number, number]>(
        'SELECT prompt_id AS id FROM prompts WHERE session_id = ? AND prompt_number = ? ORDER BY id DESC LIMIT 1',
      )
      .get(sessionId, promptNumber)?.id ?? null
  );
}

export function promptNumberOf(db: Database, sessionId: number, promptId: string): number | null {
  return (
    db
      .query<{ n: number }, [number, string]>(
        'SELECT max(prompt_number) AS n FROM prompts WHERE session_id = ? AND prompt_id = ?',
      )
      .get(sessionId, promptId)?.n ?? null
  );
}
