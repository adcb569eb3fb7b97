// Whose words an observation is made of: of all it rests on, the least trusted.
import type { SessionEvent } from '../../core/event.ts';
import type { Origin } from '../../core/observation.ts';
import { TRUST } from '../../core/trust.ts';
import { contentWords } from '../../observer/content-words.ts';
import { eventText } from '../../observer/outside/event-text.ts';
import { speakerOf } from '../../observer/outside/speaker.ts';

export function originOf(title: string, sources: SessionEvent[]): Origin {
  const least = leastTrusted(sources.map(speakerOf).filter((origin) => origin !== null));
  // The user is believed most, so only what the user's own words say is theirs.
  return least === 'user' && shareIn(title, sources) < 0.5 ? 'agent' : least;
}

function leastTrusted(origins: Origin[]): Origin {
  const [first = 'agent', ...others] = origins;
  return others.reduce((least, origin) => (TRUST[origin] < TRUST[least] ? origin : least), first);
}

/** How many of the words stand in the events: 0..1. */
function shareIn(told: string, events: SessionEvent[]): number {
  const words = [...contentWords(told)];
  const heard = events.map((event) => eventText(event).toLowerCase()).join('\n');
  return words.length === 0 ? 0 : words.filter((word) => heard.includes(word)).length / words.length;
}
