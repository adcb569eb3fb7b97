// Whether a batch holds anything that a model could make more of than the rules did: thanks and small talk do not.
import type { Batch } from '../core/batch.ts';
import type { SessionEvent } from '../core/event.ts';

/** Words of which so few were exchanged hold nothing that the rules would miss. */
const FEW_WORDS = 600;

export function isWorthAsking({ events }: Batch): boolean {
  if (events.some(isWork)) return true;
  return events.reduce((sum, event) => sum + saidIn(event), 0) > FEW_WORDS;
}

const isWork = (event: SessionEvent) =>
  event.kind === 'tool' || event.kind === 'subagent' || (event.kind === 'compaction' && event.summary !== '');

function saidIn(event: SessionEvent): number {
  if (event.kind === 'prompt') return event.text.length;
  return event.kind === 'stop' ? event.message.length : 0;
}
