// Where a search rather says nothing: what neither the words nor the meaning bear out is no answer.
import type { Found } from './find.ts';

/** docs/retrieval.md: how many answers pass, and how many questions about something else do not. */
const CONVINCING = 0.35;
const WORTH_SHOWING = 0.15;
/** Where something answers well, what hardly does is noise. */
const BESIDE_THE_BEST = 0.2;
/** Half of the query's words count as much as a likeness of a quarter. */
const COVERAGE = 0.5;
/** Where words are all there is, a tenth of the query's convinces. */
const COVERAGE_ALONE = 4;

/** To models of English all German is alike: there it takes more. */
const CONVINCING_UNREAD = 0.55;

/** What is worth showing, if anything convinces; else nothing. */
export function onlyRelevant({ scored, hasMeaning, isRead }: Found): Found['scored'] {
  const evidence = ({ coverage, likeness }: Found['scored'][number]) =>
    hasMeaning && likeness !== null ? likeness + COVERAGE * coverage : COVERAGE_ALONE * coverage;
  const best = scored.reduce((most, item) => Math.max(most, evidence(item)), 0);
  if (best < (isRead ? CONVINCING : CONVINCING_UNREAD)) return [];
  const least = Math.max(WORTH_SHOWING, best * BESIDE_THE_BEST);
  return scored.filter((item) => evidence(item) >= least);
}
