// Why a turn has no summary, and whether that is as it should be.
import type { SessionEvent } from '../core/event.ts';
import { type SummaryDraft, tellsMore } from '../core/summary.ts';

export type NoSummary = {
  reason: string;
  /** The turn ended, and something was done in it: there should be one. */
  isOdd: boolean;
};

export function explainNoSummary(events: SessionEvent[], summary: SummaryDraft | null): NoSummary | null {
  if (!events.some(({ kind }) => kind === 'stop' || kind === 'prompt'))
    return { reason: 'nothing was asked or answered', isOdd: false };
  if (summary && tellsMore(summary)) return null;
  if (!events.some(({ kind }) => kind === 'stop' || kind === 'end'))
    return { reason: 'the turn goes on', isOdd: false };
  if (!events.some(isWork)) return { reason: 'nothing was done in it', isOdd: false };
  return { reason: summary ? 'it would say no more than the prompt' : 'the observer wrote none', isOdd: true };
}

const isWork = (event: SessionEvent) =>
  event.kind === 'tool' && !event.isUndone && (event.action.type === 'edit' || event.action.type === 'command');
