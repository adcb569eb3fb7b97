// A summary, a next step and the name of a session must not say what a memory of that session may not say any more.
import type { Database } from 'bun:sqlite';
import { splitSentences, withoutSentences } from '../core/sentences.ts';
import { hasMost, stemsOf } from '../search/alike.ts';
import type { Summary } from '../store/memories/summaries.ts';
import type { RecentSession } from '../store/sessions/sessions.ts';
import { listTakenBack, type TakenBack } from '../store/trust/untellable.ts';

export type WithoutTakenBack = {
  /** Sentences that say it are left out; null for what has nothing else to say. */
  summary: (summary: Summary) => Summary;
  session: (session: RecentSession) => RecentSession | null;
};

export function readTakenBack(db: Database, summaries: Summary[], sessions: RecentSession[]): WithoutTakenBack {
  const ids = new Set([...summaries.map(({ sessionId }) => sessionId), ...sessions.map(({ id }) => id)]);
  const bySession = new Map(listTakenBack(db, [...ids]).map((taken) => [taken.sessionId, readJudge(taken)]));
  const clean = (sessionId: number, text: string | null) => {
    const isTaken = bySession.get(sessionId);
    return text !== null && isTaken ? withoutSentences(text, isTaken) : text;
  };
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

/** Whether a sentence says what was taken back. What a memory that may be told says word for word as well may stay. */
function readJudge({ titles, details, readLiving }: TakenBack): (sentence: string) => boolean {
  const named = titles.map(stemsOf);
  const gone = details.flatMap(stemsOfAll).filter(isTelling);
  let living: Set<string>[] | null = null;
  return (sentence) => {
    const words = stemsOf(sentence);
    if (named.some((title) => hasMost(words, title))) return true;
    if (!gone.some((said) => hasMost(words, said) || (isTelling(words) && hasMost(said, words)))) return false;
    living ??= readLiving().flatMap(stemsOfAll);
    // One number may be all that is different: of what is still so, every word has to be there.
    return !living.some((stems) => words.isSubsetOf(stems));
  };
}

const stemsOfAll = (text: string) => text.split('\n').flatMap(splitSentences).map(stemsOf);

/** "Tests pass." is said of much. */
const isTelling = (words: Set<string>) => words.size >= 3;
