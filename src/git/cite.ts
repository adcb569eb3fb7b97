// The files that a memory is about, as they are in the work tree now.
import type { SessionEvent } from '../core/event.ts';
import { bareEvidence, type Citation } from '../core/evidence.ts';
import type { ObservationDraft } from '../core/observation.ts';

export type Cited = { head: string | null; branch: string | null; citations: Citation[] };

export function citeFiles(draft: ObservationDraft, _from: { root: string; events: SessionEvent[] }): Cited {
  return { head: null, branch: null, citations: bareEvidence(draft).citations };
}
