// Plays the recorded week on a stage: every prompt, tool call and end of a turn through the built hook, one after the other.
import { playSession } from './claude-session.ts';
import type { Stage } from './stage.ts';
import { momentOf, type Session, type Week } from './week.ts';

export type Played = { session: Session; startsAt: number | null; hookMs: number[] };

/** `onSession` is told of each when it is over. */
export async function playWeek(stage: Stage, week: Week, onSession: (played: Played) => void = () => undefined): Promise<void> {
  const now = Date.now();
  stage.repository.commit(week.repository.message, momentOf(week.repository, now) ?? now);
  for (const session of week.sessions) {
    const startsAt = momentOf(session, now);
    onSession({ session, startsAt, hookMs: await playOne(stage, session, startsAt) });
  }
}

/** Until then it is found by its words alone. */
export const indexWeek = (stage: Stage) => stage.settle(({ index }) => index.models.every(({ waiting }) => waiting === 0));

async function playOne(stage: Stage, { turns }: Session, startsAt: number | null): Promise<number[]> {
  const id = crypto.randomUUID();
  const transcript = stage.appendLines(id, []);
  const hookMs: number[] = [];
  for (const { lines, hooks } of playSession({ id, repository: stage.repository, transcript, startsAt }, turns)) {
    stage.appendLines(id, lines);
    for (const { command, payload } of hooks) {
      hookMs.push((await stage.hook(command, payload)).ms);
      // Days passed in between, and the next prompt finds the turn processed.
      if (command === 'summary' || command === 'cleanup') await stage.settle();
    }
  }
  return hookMs;
}
