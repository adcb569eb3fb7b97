// What went wrong and what to do about it, as the worker says it.
import type { ApiError } from '../api.ts';
import { hintOf } from '../hints.ts';
import { withCode } from './with-code.tsx';

export type ProblemProps = { error: ApiError; onRetry?: () => void };

/** That claude-mem is not running is said above the page: here it is enough what will happen. */
export function Problem({ error, onRetry }: ProblemProps) {
  if (error.status === 0) {
    return (
      <p class="faint waiting" role="status">
        This loads as soon as claude-mem runs.
      </p>
    );
  }
  return (
    <div class="note bad stack" role="alert">
      <p>
        <strong>{error.message}</strong> {withCode(hintOf(error))}
      </p>
      {onRetry && (
        <p>
          <button type="button" onClick={onRetry}>
            Try again
          </button>
        </p>
      )}
    </div>
  );
}
