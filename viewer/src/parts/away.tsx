// Said above every page while the worker does not answer.
import { connection } from '../stream.ts';
import { Copyable } from './copyable.tsx';

export function Away() {
  if (connection.value.kind !== 'away') return null;
  return (
    <div class="page away">
      <p class="note warn" role="status">
        claude-mem isn’t running. You’re looking at the last known state; this page reconnects automatically.{' '}
        <span>The next session starts it, or</span> <Copyable text="claude-mem start" />
      </p>
    </div>
  );
}
