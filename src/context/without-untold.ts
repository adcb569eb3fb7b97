// A summary, a next step and the name of a session must not say what a memory of that session may not say any more.
import type { Database } from 'bun:sqlite';
import type { MemoryRow } from '../core/memory.ts';
import { splitSentences, withoutSentences } from '../core/sentences.ts';
import type { StoredStep } from '../memory/open-steps.ts';
import { hasMost, stemsOf } from '../search/alike.ts';
import type { RecentSession } from '../store/sessions/sessions.ts';
import { listUntold, type Untold } from '../store/trust/untellable.ts';

/** Sentences that say it are left out, and whatever has nothing else to say. */
export type WithoutUntold = {
  row: (sessionId: number, row: MemoryRow) => MemoryRow[];
  step: (step: StoredStep) => StoredStep[];
  session: (session: RecentSession) => RecentSession;
};

type Telling = { steps: StoredStep[]; sessions: RecentSession[] };

export function readUntold(db: Database, { steps, sessions }: Telling): WithoutUntold {
  const ids = new Set([...steps.map(({ sessionId }) => sessionId), ...sessions.map(({ id }) => id)]);
  const bySession = new Map(listUntold(db, [...ids]).map((untold) => [untold.sessionId, readJudge(untold)]));
  const clean = (sessionId: number, text: string | null) => {
    const isUntold = bySession.get(sessionId);
    return text !== null && isUntold ? withoutSentences(text, isUntold) : text;
  };
  return {
    row: (sessionId, row) => {
      const title = clean(sessionId, row.title);
      return title ? [{ ...row, title }] : [];
    },
    step: (step) => (clean(step.sessionId, step.text) === step.text ? [step] : []),
    session: (session) => ({
      ...session,
      title: clean(session.id, session.title),
      subtitle: clean(session.id, session.subtitle),
    }),
  };
}

/** Whether a sentence says what is not told. What a memory that may be told says word for word as well may stay. */
function readJudge({ titles, details, readLiving }: Untold): (sentence: string) => boolean {
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
