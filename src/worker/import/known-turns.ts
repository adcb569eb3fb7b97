// What another store brought of a session before its own events came: by it the memories of a turn are known again.
import type { Database } from 'bun:sqlite';
import { bareWords } from '../../core/bare-words.ts';
import type { ObservationDraft } from '../../core/observation.ts';
import type { SummaryDraft } from '../../core/summary.ts';
import type { FindKnown } from '../../observer/without-known.ts';
import { isNearlySame, stemsOf } from '../../search/alike.ts';
import {
  type Brought,
  hashesOf,
  isOfSameWork,
  listBrought,
  listBroughtSummaries,
} from '../../store/transfer/import-rows.ts';

/** Two programs that saw the same turn noted it within so long, however they count the prompts. */
const SAME_TURN_MS = 10 * 60_000;

export function createFindKnown(db: Database): FindKnown {
  return ({ sessionId, promptNumber }) => {
    const [observations, summaries] = [listBrought(db, sessionId), listBroughtSummaries(db, sessionId)];
    if (observations.length + summaries.length === 0) return null;
    const taken = new Set<Brought>();
    return {
      hasObservation(draft) {
        const twin = findTwin(
          observations.filter((one) => !taken.has(one)),
          draft,
          promptNumber,
        );
        if (twin) taken.add(twin);
        return twin !== undefined;
      },
      hasSummary: (draft) =>
        summaries.some(({ promptNumber: own, words }) => own === promptNumber && isSameText(words, wordsOf(draft))),
    };
  };
}

function findTwin(brought: Brought[], draft: ObservationDraft, promptNumber: number): Brought | undefined {
  if (brought.length === 0) return undefined;
  const hashes = hashesOf(draft);
  const same = brought.find(({ hash }) => hashes.has(hash));
  if (same) return same;
  // A title may come again in another turn, of other work.
  const ofTurn = brought.filter(
    (one) => one.promptNumber === promptNumber || Math.abs(one.at - draft.at) <= SAME_TURN_MS,
  );
  return (
    ofTurn.find(({ title }) => title !== null && draft.title !== null && isSameText(title, draft.title)) ??
    // A person gave it other words.
    ofTurn.find((one) => one.isEdited === 1 && isOfSameWork(one, draft))
  );
}

const isSameText = (one: string, other: string) =>
  bareWords(one) === bareWords(other) || isNearlySame(stemsOf(one), stemsOf(other));

const wordsOf = ({ request, investigated, learned, completed, nextSteps, notes }: SummaryDraft) =>
  [request, investigated, learned, completed, nextSteps, notes].filter((text) => text !== null).join(' ');
