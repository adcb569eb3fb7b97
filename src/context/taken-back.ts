// A summary, a next step and the name of a session must not say what a memory of that session may not say any more.
import type { Database } from 'bun:sqlite';
import { withoutSentences } from '../core/sentences.ts';
import { repeats } from '../search/alike.ts';
import type { Summary } from '../store/memories/summaries.ts';
import type { RecentSession } from '../store/sessions/sessions.ts';
import { listUntellable } from '../store/trust/untellable.ts';

export type WithoutTakenBack = {
  /** Sentences that say it are left out; null for what has nothing else to say. */
  summary: (summary: Summary) => Summary;
  session: (session: RecentSession) => RecentSession | null;
};

export function readTakenBack(db: Database, summaries: Summary[], sessions: RecentSession[]): WithoutTakenBack {
  const ids = new Set([...summaries.map(({ sessionId }) => sessionId), ...sessions.map(({ id }) => id)]);
  const bySession = Map.groupBy(listUntellable(db, [...ids]), ({ sessionId }) => sessionId);
  const isTaken = (sessionId: number, text: string) =>
    (bySession.get(sessionId) ?? []).some(({ title }) => repeats(text, title));
  const clean = (sessionId: number, text: string | null) =>
    text !== null && bySession.has(sessionId)
      ? withoutSentences(text, (sentence) => isTaken(sessionId, sentence))
      : text;
  return {
    summary: (summary) => {
      const own = (text: string | null) => clean(summary.sessionId, text);
      const { request, investigated, learned, completed, nextSteps, notes } = summary;
      return {
        ...summary,
        request: own(request),
        investigated: own(investigated),
        learned: own(learned),
        completed: own(completed),
        nextSteps: own(nextSteps),
        notes: own(notes),
      };
    },
    session: (session) => {
      const title = clean(session.id, session.title);
      return title === null ? null : { ...session, title, subtitle: clean(session.id, session.subtitle) };
    },
  };
}
