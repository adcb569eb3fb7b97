// Which words of a turn may be somebody else's: the agent's right after it read a page, fetched one or asked a foreign tool, up to its next own deed.
import { isFetch } from '../core/fetch.ts';
import type { Step } from './record.ts';

const OWN_DEEDS = new Set<Step['kind']>(['ran', 'edited', 'committed', 'asked']);

/** Whether what was said at this step (or, behind the last, at the end) may repeat words from outside. */
export function isUntrustedAt(steps: readonly Step[], at: number): boolean {
  for (let before = at - 1; before >= 0; before--) {
    const step = steps[before];
    if (step === undefined) continue;
    if (isFromOutside(step)) return true;
    if (OWN_DEEDS.has(step.kind)) return false;
  }
  return false;
}

export const isFromOutside = (step: Step): boolean =>
  step.kind === 'web' || step.kind === 'mcp' || (step.kind === 'ran' && isFetch(step.command));
