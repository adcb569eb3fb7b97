// What can be done with a memory, as buttons; the same have keys.
import type { Memory } from '../../../src/core/shapes/memory.ts';
import type { Decision } from '../../../src/core/shapes/pages.ts';
import { changeRule, makeGlobal, sayNotReplaced, togglePinned, toggleWrong } from '../correct.ts';
import { formatId } from '../format.ts';
import { openEdit, openForget, openReplace } from '../opened-memory.ts';

/** Only observations can be corrected; anything can be forgotten. `decision`: what else it is, where it is known. */
export function MemoryActions({ memory, decision }: { memory: Memory; decision?: Decision }) {
  const isObservation = memory.kind === 'observation';
  return (
    <fieldset class="actions" aria-label={`What to do with ${formatId(memory.id)}`}>
      {isObservation && (
        <>
          <button type="button" aria-keyshortcuts="p" onClick={() => togglePinned(memory)}>
            {memory.isPinned ? 'Unpin' : 'Pin'}
          </button>
          <button type="button" aria-keyshortcuts="e" onClick={() => openEdit(memory)}>
            Edit
          </button>
          <button type="button" onClick={() => openReplace(memory)}>
            Replace
          </button>
          {decision && !decision.isGlobal && (
            <>
              <button type="button" onClick={() => openReplace(memory, 'merge')}>
                Merge
              </button>
              <button type="button" onClick={() => (decision.isRule ? changeRule(memory, 'promote') : makeGlobal(memory))}>
                Make global
              </button>
            </>
          )}
          {decision?.isUsers && (
            <button type="button" onClick={() => changeRule(memory, decision.isRule ? 'remove' : 'accept')}>
              {decision.isRule ? 'Remove rule' : 'Make it a rule'}
            </button>
          )}
          <button type="button" aria-keyshortcuts="w" onClick={() => toggleWrong(memory)}>
            {memory.isWrong ? 'Mark as correct' : 'Mark as incorrect'}
          </button>
        </>
      )}
      {memory.replacedBy && (
        <button type="button" onClick={() => sayNotReplaced(memory)}>
          Not replaced
        </button>
      )}
      <button type="button" aria-keyshortcuts="f" onClick={() => openForget(memory)}>
        Forget
      </button>
    </fieldset>
  );
}
