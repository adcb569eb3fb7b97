// How far an observation may be believed: as far as the least trusted of the events that it was made of.
import type { SessionEvent } from '../core/event.ts';
import type { ObservationDraft } from '../core/observation.ts';
import { TRUST } from '../core/trust.ts';

export function trustOf(draft: ObservationDraft, _events: SessionEvent[]): number {
  return TRUST[draft.origin];
}
