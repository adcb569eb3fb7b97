// Which row a prompt takes that arrives after another store brought some of its session: its own, where that is there already.
import type { Database } from 'bun:sqlite';
import { BY_TIME } from '../events/said-events.ts';

export type ArrivingPrompt = { promptId: string | null; text: string; isPrivate: boolean; at: number };

/** `id`: the row that waits for it; null when only its number is free. */
export type PromptSeat = { id: number | null; promptNumber: number };

/** Null when it comes after all others, as it mostly does. Before its event is stored: a row that has one waits for nobody. */
export function findSeat(db: Database, sessionId: number, prompt: ArrivingPrompt): PromptSeat | null {
  return findWaiting(db, sessionId, prompt) ?? findGap(db, sessionId, prompt.at);
}

/** Two programs that heard the same prompt noted it within so long: the same words later are said again. */
const SAME_PROMPT_MS = 60_000;

function findWaiting(db: Database, sessionId: number, { promptId, text, isPrivate, at }: ArrivingPrompt) {
  return db
    .query<PromptSeat, [Record<string, string | number | null>]>(
      `SELECT id, prompt_number AS promptNumber FROM prompts p WHERE session_id = $sessionId AND private = $isPrivate
         AND (prompt_id = $promptId OR ($isNameless OR prompt_id IS NULL OR prompt_id LIKE '${BY_TIME}%')
           AND ($isPrivate OR $text <> '' AND trim(text, $blank) = trim($text, $blank))
           AND abs(created_at_epoch - $at) <= ${SAME_PROMPT_MS})
         AND NOT EXISTS (SELECT 1 FROM events e WHERE e.session_id = p.session_id AND e.kind = 'prompt'
           AND e.prompt_number = p.prompt_number)
       ORDER BY prompt_id IS NOT $promptId, text <> $text, abs(created_at_epoch - $at), prompt_number LIMIT 1`,
    )
    .get({
      ...{ sessionId, promptId, text, at, blank: ' \n\r\t' },
      isPrivate: Number(isPrivate),
      isNameless: Number(isNameless(promptId)),
    });
}

/** The host gave it no id: it is known by its words and its time. */
const isNameless = (promptId: string | null) => promptId === null || promptId.startsWith(BY_TIME);

/** The other store had not heard of it: its number is missing between what was said before and what was said after it. */
function findGap(db: Database, sessionId: number, at: number): PromptSeat | null {
  const around = db
    .query<{ before: number; after: number | null }, [{ sessionId: number; at: number }]>(
      `SELECT coalesce(max(CASE WHEN created_at_epoch <= $at THEN prompt_number END), 0) AS before,
         min(CASE WHEN created_at_epoch > $at THEN prompt_number END) AS after
       FROM prompts WHERE session_id = $sessionId`,
    )
    .get({ sessionId, at });
  if (!around || around.after === null || around.after - around.before < 2) return null;
  return { id: null, promptNumber: around.before + 1 };
}

/** What the host calls it counts from now on: the tools of its turn name it so. */
export function takeSeat(db: Database, id: number, promptId: string | null): void {
  if (promptId !== null) db.query('UPDATE prompts SET prompt_id = ? WHERE id = ?').run(promptId, id);
}
