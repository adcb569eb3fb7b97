// The state of the connection, in the rail.
import { connection } from '../stream.ts';

const WORDS = { live: 'Live', connecting: 'Connecting', away: 'Worker away' };

export function ConnectionLine() {
  const { kind } = connection.value;
  return (
    <p class="row" data-connection={kind} role="status">
      <span class="dot" data-state={kind} />
      {WORDS[kind]}
    </p>
  );
}
