// Whose turn it was: a forked session begins with a copy of what was said before it.

/** Ids of version 7 begin with their time, so they can be compared. */
const TIMED = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/;

/** `session` itself, or the one of those before it in which the turn began. */
export function ownerOfTurn(turn: string | null, session: string, before: string[]): string {
  if (turn === null || before.length === 0) return session;
  if (!TIMED.test(turn) || !TIMED.test(session) || turn >= session) return session;
  const older = before.filter((id) => id <= turn).sort();
  return older.at(-1) ?? before[0] ?? session;
}
