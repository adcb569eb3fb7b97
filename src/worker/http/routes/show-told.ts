// What became of something that a program told, in the fields of the session routes.
import type { Told } from '../../intake/session-door.ts';

export function showTold<Status extends string>(status: Status, { whyNot, session, queueLength }: Told) {
  const fields = { sessionDbId: session?.id ?? null, queueLength };
  return whyNot === null ? { status, ...fields } : { status: 'skipped' as const, reason: whyNot, ...fields };
}

export const showInit = (sessionId: string, told: Told, port: number | null) => ({
  ...showTold('initialized', told),
  sessionId,
  project: told.project,
  promptNumber: told.promptNumber,
  port,
});
