// What can be done with a memory, as buttons; the same have keys.
import type { Memory } from '../../../src/core/shapes/memory.ts';
import { makeGlobal, sayNotReplaced, togglePinned, toggleWrong } from '../correct.ts';
import { formatId } from '../format.ts';
import { openEdit, openForget, openReplace } from '../opened-memory.ts';

/** Only observations can be corrected; anything can be forgotten. `canBeGlobal`: where that makes sense, of a decision of one project. */
export function MemoryActions({ memory, canBeGlobal = false }: { memory: Memory; canBeGlobal?: boolean }) {
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
          {canBeGlobal && (
            <>
              <button type="button" onClick={() => openReplace(memory, 'merge')}>
                Merge
              </button>
              <button type="button" onClick={() => makeGlobal(memory)}>
                Make global
              </button>
            </>
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
