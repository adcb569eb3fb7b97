// Said above every page while the worker does not answer.
import { connection } from '../stream.ts';

export function Away() {
  if (connection.value.kind !== 'away') return null;
  return (
    <div class="page away">
      <p class="note warn" role="status">
        The worker is away. What you see is as it was; this page takes up again by itself. The next session starts it, or{' '}
        <code>claude-mem start</code>.
      </p>
    </div>
  );
}
