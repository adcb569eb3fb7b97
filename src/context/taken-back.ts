// A summary, a next step and the name of a session must not say what a memory of that session may not say any more.
import type { Database } from 'bun:sqlite';
import { splitSentences, withoutSentences } from '../core/sentences.ts';
import { repeats, stemsOf } from '../search/alike.ts';
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
function readJudge({ titles, details, living }: TakenBack): (sentence: string) => boolean {
  const gone = details.flatMap(sentencesOf).filter(isTelling);
  const kept = living.flatMap(sentencesOf).map(stemsOf);
  // One number may be all that is different: of what is still so, every word has to be there.
  const isKept = (sentence: string) => kept.some((stems) => stemsOf(sentence).isSubsetOf(stems));
  const isDetail = (sentence: string) =>
    gone.some((said) => repeats(sentence, said) || (isTelling(sentence) && repeats(said, sentence)));
  return (sentence) =>
    titles.some((title) => repeats(sentence, title)) || (gone.length > 0 && isDetail(sentence) && !isKept(sentence));
}

const sentencesOf = (text: string) => text.split('\n').flatMap(splitSentences);

/** "Tests pass." is said of much. */
const isTelling = (sentence: string) => stemsOf(sentence).size >= 3;
