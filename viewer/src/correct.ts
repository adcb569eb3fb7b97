// What a person does to a memory: shown at once, taken back when the worker refuses, and undone on demand.
import type { CorrectionAnswer, CorrectionParameters } from '../../src/core/correction.ts';
import type { Memory } from '../../src/core/memory.ts';
import type { ObservationType } from '../../src/core/observation.ts';
import type { ForgetAnswer, Receipt, UnhideAnswer } from '../../src/core/search.ts';
import { ApiError, ask } from './api.ts';
import { keepFocusNear } from './card-focus.ts';
import { formatId } from './format.ts';
import { noteChanged, noteRemoved, noteShown } from './memories.ts';
import { say } from './parts/toasts.tsx';

export type Correction = Pick<CorrectionParameters, 'pinned' | 'wrong' | 'title' | 'narrative' | 'facts'> & {
  type?: ObservationType;
};

/** `done` says what was done, with a way back beside it. Null: nothing is said. */
export async function correct(memory: Memory, change: Correction, done: string | null): Promise<boolean> {
  noteChanged({ ...memory, ...asFields(change) });
  try {
    const answer = await ask<CorrectionAnswer>(`/api/observations/${memory.id}`, {
      method: 'PATCH',
      body: { ...change, by: 'user' },
    });
    noteChanged(answer.memory);
    const undo = () => void correct(answer.memory, opposite(memory, change), null);
    if (done) say(done, { action: { name: 'Undo', run: undo } });
    return true;
  } catch (error) {
    noteChanged(memory);
    sayProblem(error);
    return false;
  }
}

/** A mark that is off is not there at all. */
function asFields({ pinned, wrong, ...words }: Correction): Partial<Memory> {
  const marks = {
    ...(pinned === undefined ? {} : { isPinned: pinned || undefined }),
    ...(wrong === undefined ? {} : { isWrong: wrong || undefined }),
  };
  return { ...words, ...(marks as Partial<Memory>) };
}

function opposite(memory: Memory, change: Correction): Correction {
  const before: Correction = {
    pinned: memory.isPinned ?? false,
    wrong: memory.isWrong ?? false,
    title: memory.title,
    narrative: memory.narrative,
    facts: memory.facts,
    // Only observations are corrected, and their types are these.
    type: memory.type as ObservationType,
  };
  return Object.fromEntries(Object.entries(before).filter(([name]) => name in change));
}

export const togglePinned = (memory: Memory) =>
  correct(
    memory,
    { pinned: !memory.isPinned },
    memory.isPinned ? `#${memory.id} is not pinned any more.` : `Pinned #${memory.id}: told first from now on.`,
  );

export const toggleWrong = (memory: Memory) =>
  correct(
    memory,
    { wrong: !memory.isWrong },
    memory.isWrong ? `#${memory.id} holds again.` : `Marked #${memory.id} as wrong: found, not told.`,
  );

/** Shown nowhere from now on; the bytes are still there. */
export async function hide(memories: readonly { id: string }[]): Promise<boolean> {
  const ids = memories.map(({ id }) => id);
  keepFocusNear(ids);
  noteRemoved(ids);
  try {
    await ask<ForgetAnswer>(`/api/observations/${ids.join(',')}`, { method: 'DELETE' });
    say(`Hidden: ${ids.map(formatId).join(', ')}.`, {
      action: { name: 'Undo', run: () => void unhide(ids) },
    });
    return true;
  } catch (error) {
    noteShown(ids);
    sayProblem(error);
    return false;
  }
}

export async function unhide(ids: readonly string[]): Promise<void> {
  try {
    const answer = await ask<UnhideAnswer>('/api/memory/unhide', { method: 'POST', body: { ids } });
    noteShown(answer.ids);
    if (answer.ids.length > 0) say(`Shown again: ${answer.ids.map(formatId).join(', ')}.`);
  } catch (error) {
    sayProblem(error);
  }
}

/** For good. Rejects with an ApiError. */
export async function erase(ids: readonly string[], { withRelated = false } = {}): Promise<Receipt> {
  const answer = await ask<ForgetAnswer>(`/api/observations/${ids.join(',')}`, {
    method: 'DELETE',
    query: { erase: true, related: withRelated || undefined },
  });
  if (answer.state !== 'erased') throw new ApiError(500, 'The worker hid it instead of erasing it.', '');
  keepFocusNear(answer.receipt.ids);
  noteRemoved(answer.receipt.ids);
  return answer.receipt;
}

/** In a toast: where there is no room to say it in its place. */
export function sayProblem(error: unknown): void {
  if (!(error instanceof ApiError)) throw error;
  say(`${error.message} ${error.hint}`.trim(), { isBad: true });
}
