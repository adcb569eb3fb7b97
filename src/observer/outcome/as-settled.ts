// What the rules make of a batch, with the outcomes that later turns have given it meanwhile: a model's words come late.
import type { Database } from 'bun:sqlite';
import type { Distilled } from '../../core/batch.ts';
import { listOutcomes } from '../../store/memories/outcomes.ts';

/** To be called before what the rules had stored is replaced. */
export function asSettled(db: Database, batchId: number, local: Distilled): Distilled {
  const known = listOutcomes(db, batchId);
  const observations = local.observations.map((draft) => {
    const stored = known.find(({ type, title }) => type === draft.type && title === draft.title);
    return stored ? { ...draft, outcome: stored.outcome } : draft;
  });
  return { ...local, observations };
}
