// The one clock of a call: from the first byte out to the last byte in.
import type { Question } from './model.ts';
import { ModelError } from './model-error.ts';

/** `signal` fires at the deadline or when the caller ends the call; its reason is the ModelError to reject with. */
export type Deadline = { signal: AbortSignal; close: () => void };

export function startDeadline({ deadlineMs, signal }: Pick<Question, 'deadlineMs' | 'signal'>): Deadline {
  const controller = new AbortController();
  const onEnded = () => controller.abort(callEnded());
  const onLate = () => controller.abort(new ModelError('transient', `No answer came within ${deadlineMs} ms.`));
  if (signal?.aborted) onEnded();
  signal?.addEventListener('abort', onEnded, { once: true });
  const timer = setTimeout(onLate, deadlineMs);
  return {
    signal: controller.signal,
    close: () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onEnded);
    },
  };
}

export function callEnded(): ModelError {
  return new ModelError('transient', 'The call was ended before the answer came.');
}
