// What a model was talked into must not change what other sessions are told: these commands are for people.
import { isInsideAgent } from '../config.ts';

export function requirePerson(): void {
  if (!isInsideAgent()) return;
  throw new Error('Only a person may decide this: run it in a terminal of your own, outside of the agent.');
}
