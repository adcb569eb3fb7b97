// The state of the connection and whether anything is kept, in the rail.
import { findWholeSilence } from '../silences.ts';
import { connection } from '../stream.ts';

const WORDS = { live: 'Live', connecting: 'Connecting', away: 'Not running', paused: 'Paused', off: 'Off' };

/** That nothing is kept says more than that it would be heard. */
function findState(): keyof typeof WORDS {
  const { kind } = connection.value;
  const silence = findWholeSilence();
  if (kind !== 'live' || !silence) return kind;
  return silence.kind === 'off' ? 'off' : 'paused';
}

export function ConnectionLine() {
  const state = findState();
  return (
    <p class="row connection" data-connection={connection.value.kind} role="status">
      <span class="dot" data-state={state} />
      {WORDS[state]}
    </p>
  );
}
