// Whose words an observation is made of: of all it rests on, the least trusted.
import type { SessionEvent, ToolEvent } from '../../../core/event.ts';
import type { Origin } from '../../../core/observation.ts';
import { TRUST } from '../../../core/trust.ts';
import { soundAction } from '../../local/sound-action.ts';
import { contentWords } from '../../local/text/tokens.ts';
import { eventText } from './event-text.ts';

type Words = { title: string | null; narrative: string | null; facts: string[] };

type Grounds = {
  sources: SessionEvent[];
  /** The model named them, rather than us for want of better. */
  isNamed: boolean;
};

/** `events`: all that the model may have seen. */
export function createOriginReader(events: SessionEvent[]): (words: Words, grounds: Grounds) => Origin {
  const outside = events.filter(isOutside);
  const shareIn = createShareReader();
  return (words, { sources, isNamed }) => {
    const title = words.title ?? words.narrative ?? '';
    const told = `${title} ${words.narrative ?? words.facts.join(' ')}`;
    // A page can ask to be quoted under another source's name: its words still tell where they come from.
    const isBorrowed = (event: SessionEvent) => shareIn(told, [event]) >= 0.8 && shareIn(told, sources) < 0.5;
    const grounds = [...sources, ...(isNamed ? outside.filter(isBorrowed) : outside)];
    const least = leastTrusted(grounds.map(speakerOf).filter((origin) => origin !== null));
    // The user is believed most, so only what the user's own words say is theirs.
    return least === 'user' && shareIn(title, sources) < 0.5 ? 'agent' : least;
  };
}

function leastTrusted(origins: Origin[]): Origin {
  const [first = 'agent', ...others] = origins;
  return others.reduce((least, origin) => (TRUST[origin] < TRUST[least] ? origin : least), first);
}

const isOutside = (event: SessionEvent): boolean => TRUST[speakerOf(event) ?? 'agent'] === 1;

/** Null for an event that brings no words. */
function speakerOf(event: SessionEvent): Origin | null {
  if (event.kind === 'start' || event.kind === 'end') return null;
  if (event.kind === 'prompt') return 'user';
  return event.kind === 'tool' ? toolOrigin(event) : 'agent';
}

function toolOrigin({ tool, action }: ToolEvent): Origin {
  if (/^mcp__|Mcp/.test(tool)) return 'mcp';
  switch (soundAction(action).type) {
    case 'web':
      return 'web';
    case 'question':
      return 'user';
    case 'edit':
    case 'read':
    case 'search':
      return 'file';
    case 'command':
    case 'other':
      return 'command';
    default:
      return 'agent';
  }
}

/** How many of the words stand in the events: 0..1. Each event is read once. */
function createShareReader(): (told: string, events: SessionEvent[]) => number {
  const heard = new Map<string, string>();
  const hear = (event: SessionEvent) => {
    const text = heard.get(event.id) ?? eventText(event).toLowerCase();
    heard.set(event.id, text);
    return text;
  };
  return (told, events) => {
    const words = [...contentWords(told)];
    const found = words.filter((word) => events.some((event) => hear(event).includes(word)));
    return words.length === 0 ? 0 : found.length / words.length;
  };
}
