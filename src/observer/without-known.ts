// A turn that another store told of before its own events came: what is known of it is not remembered once more.
import type { ObservationDraft } from '../core/observation.ts';
import type { SummaryDraft } from '../core/summary.ts';
import type { Placed } from './place-drafts.ts';

/** What was brought of a turn. Says of a draft whether it is one of these; of each only once. */
export type KnownTurn = {
  hasObservation: (draft: ObservationDraft) => boolean;
  hasSummary: (draft: SummaryDraft) => boolean;
};

/** Null when nothing was brought of the session, as it mostly is. */
export type FindKnown = (turn: { sessionId: number; promptNumber: number }) => KnownTurn | null;

/** `isAllKnown`: nothing is left of it, so nobody need be asked about it. */
export function withoutKnown(placed: Placed, known: KnownTurn | null): Placed & { isAllKnown: boolean } {
  if (!known) return { ...placed, isAllKnown: false };
  const { distilled, places } = placed;
  const isNew = distilled.observations.map((draft) => !known.hasObservation(draft));
  const isSummed = distilled.summary !== null && known.hasSummary(distilled.summary);
  return {
    distilled: {
      ...distilled,
      // Whoever brought it has named its session, too.
      ...(isSummed && { summary: null, title: null, subtitle: null }),
      observations: distilled.observations.filter((_, at) => isNew[at]),
    },
    places: places.filter((_, at) => isNew[at]),
    isAllKnown: isSummed && !isNew.includes(true),
  };
}
