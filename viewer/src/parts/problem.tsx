// What went wrong and what to do about it, as the worker says it.
import type { ApiError } from '../api.ts';
import { hintOf } from '../hints.ts';
import { withCode } from './with-code.tsx';

export type ProblemProps = { error: ApiError; onRetry?: () => void };

export function Problem({ error, onRetry }: ProblemProps) {
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
