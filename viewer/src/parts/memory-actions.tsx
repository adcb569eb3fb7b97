// What can be done with a memory, as buttons; the same have keys.
import type { Memory } from '../../../src/core/shapes/memory.ts';
import { sayNotReplaced, togglePinned, toggleWrong } from '../correct.ts';
import { formatId } from '../format.ts';
import { timelineOf } from '../links.ts';
import { openEdit, openForget } from '../opened-memory.ts';

/** Only observations can be corrected; anything can be forgotten. */
export function MemoryActions({ memory }: { memory: Memory }) {
  const isObservation = memory.kind === 'observation';
  return (
    <fieldset class="card-actions" aria-label={`What to do with ${formatId(memory.id)}`}>
      {isObservation && (
        <>
          <button type="button" class="quiet" aria-keyshortcuts="p" onClick={() => togglePinned(memory)}>
            {memory.isPinned ? 'Unpin' : 'Pin'}
          </button>
          <button type="button" class="quiet" aria-keyshortcuts="e" onClick={() => openEdit(memory)}>
            Edit
          </button>
          <button type="button" class="quiet" aria-keyshortcuts="w" onClick={() => toggleWrong(memory)}>
            {memory.isWrong ? 'Not wrong' : 'Wrong'}
          </button>
        </>
      )}
      {memory.replacedBy && (
        <button type="button" class="quiet" onClick={() => sayNotReplaced(memory)}>
          Not replaced
        </button>
      )}
      <a class="button quiet" aria-keyshortcuts="t" href={timelineOf(memory.id)}>
        Timeline
      </a>
      <button type="button" class="quiet" aria-keyshortcuts="f" onClick={() => openForget(memory)}>
        Forget
      </button>
    </fieldset>
  );
}
