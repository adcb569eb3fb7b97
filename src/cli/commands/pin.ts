// `claude-mem pin`: what matters most is told before the rest, and nothing replaces it by itself.
import type { Memory } from '../../core/memory.ts';
import { correctEach, nameMemory } from '../correct-each.ts';

export type PinOptions = { undo?: boolean; json?: boolean };

export const pin = (said: string[], { undo = false, json }: PinOptions): Promise<void> =>
  correctEach({
    said,
    correction: { pinned: !undo },
    json,
    describe: (memory) => `${undo ? 'No longer pinned' : 'Pinned'}: ${nameMemory(memory)}.${whyNotTold(memory, undo)}`,
    undo: undo ? 'pin' : 'pin --undo',
  });

/** To pin what nobody is told would seem to do nothing. */
function whyNotTold({ id, isWrong, isDistrusted, isFromOutside, replacedBy }: Memory, undo: boolean): string {
  if (undo) return '';
  if (replacedBy?.isCertain)
    return ` It is replaced by #${replacedBy.id}, so no session is told: claude-mem replace ${id} --undo`;
  if (isWrong) return ` It is marked wrong, so no session is told: claude-mem wrong --undo ${id}`;
  if (isDistrusted) return ' Its source is distrusted, so no session is told: claude-mem distrust';
  if (isFromOutside)
    return ' Its words are from outside, so no session is told by itself; claude-mem remember in your own words.';
  return '';
}
