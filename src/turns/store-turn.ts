// What was made of a turn, by the rules or by a model, into the store: each memory with its evidence, in the project that it belongs to.
import type { Database } from 'bun:sqlite';
import type { Placed } from '../capture/other-repositories.ts';
import type { QueuedEvent } from '../capture/queue.ts';
import { describeSession } from '../capture/sessions.ts';
import { bareEvidence, type Evidence, type ReadEvidence } from '../core/evidence.ts';
import { type Batch, tellsMore } from '../core/observation.ts';
import type { ProjectIdentity } from '../core/project.ts';
import { insertObservation, isForgottenObservation, type Owner } from '../memory/observations.ts';
import { hasSummary, insertSummary, isForgottenSummary } from '../memory/summaries.ts';
import { ensureProject } from '../projects/projects.ts';

/** Of each observation, in their order. Outside of the transaction: files are read. */
export function readAllEvidence({ observed, places }: Placed, batch: Batch, read: ReadEvidence = bareEvidence): Evidence[] {
  const { events, earlier, project } = batch;
  return observed.observations.map((draft, at) => read(draft, { events, earlier, root: places[at]?.root ?? project.root }));
}

/** Inside a transaction. */
export function storeObserved(
  db: Database,
  owner: Owner,
  { observed, places, evidence }: Placed & { evidence: Evidence[] },
  turn: QueuedEvent[],
): void {
  const { observations, summary, title, subtitle } = observed;
  for (const [at, draft] of observations.entries()) {
    if (isForgottenObservation(db, draft)) continue;
    insertObservation(db, ownerIn(db, owner, places[at] ?? null, draft.at), draft, evidence[at]);
  }
  const isSummarized = turn.some(({ event }) => event.kind === 'stop');
  // What came late for a turn that is summed up adds to its record, not another summary.
  const isOwed = isSummarized || !hasSummary(db, owner);
  if (summary && isOwed && tellsMore(summary) && hasRequest(turn) && !isForgottenSummary(db, summary)) insertSummary(db, owner, summary);
  describeSession(db, owner.sessionId, { title, subtitle, isSummarized });
}

/** A project that is only ever worked in from elsewhere begins with what is remembered of it. */
const ownerIn = (db: Database, owner: Owner, place: ProjectIdentity | null, at: number): Owner =>
  place ? { ...owner, projectId: ensureProject(db, place, at).id } : owner;

/** An end without anything asked or answered before it has nothing to sum up. */
export const hasRequest = (turn: QueuedEvent[]) => turn.some(({ event }) => event.kind === 'stop' || event.kind === 'prompt');
