// An envelope made ready for the store: parsed, stripped, scrubbed. Everything that needs no database.
import type { ParsedHook, ToldByFile } from '../agents/agent.ts';
import { findAgent } from '../agents/agents.ts';
import type { Envelope } from '../core/envelope.ts';
import { readSession } from '../core/envelope.ts';
import type { SessionEvent } from '../core/event.ts';
import { cleanPayload } from '../core/payload.ts';
import { isWhollyPrivate } from '../core/privacy.ts';

import { scrubValue } from '../secrets/scrub.ts';

/** Nothing private, nothing secret, in our own words. */
export type Arrival = { envelope: Envelope } & (
  | ParsedEvent
  | Exclude<ParsedHook, { kind: 'event' }>
  /** What the hook got could not be read. */
  | { kind: 'bad'; reason: string }
  /** All that is known of a session of which nothing is kept. */
  | { kind: 'incognito'; session: string }
);

type ParsedEvent = Extract<ParsedHook, { kind: 'event' }> & {
  isPrivate: boolean;
  secrets: number;
  /** Of a transcript: what its order tells. A hook tells nothing so. */
  told: ToldByFile;
  /** Of what names no prompt: its hook has marked a private one at this time, and nothing that ended it. */
  markedSince?: number;
};

export type EventArrival = Extract<Arrival, { kind: 'event' }>;

export function readArrival(envelope: Envelope): Arrival {
  const { id, bad, payload, receivedAt } = envelope;
  if (bad) return { kind: 'bad', envelope, reason: bad.reason };
  if (envelope.incognito) return { kind: 'incognito', envelope, session: readSession(payload) };
  const agent = findAgent(envelope.host);
  if (!agent) return { kind: 'ignored', envelope, reason: 'unknown-host' };
  const scrubbed = scrubValue(cleanPayload(payload).value);
  const parsed = agent.parseHook({ id, command: envelope.event, payload: scrubbed.value, receivedAt });
  if (parsed.kind !== 'event') return { envelope, ...parsed };
  return {
    ...parsed,
    envelope,
    isPrivate: isPrivatePrompt(parsed.event, envelope),
    secrets: scrubbed.found.length,
    // Said by our own readers and nobody else.
    told: envelope.isFromTranscript ? ((payload as { told?: ToldByFile }).told ?? {}) : {},
  };
}

function isPrivatePrompt(event: SessionEvent, { payload, private: isMarked }: Envelope): boolean {
  if (event.kind !== 'prompt') return false;
  const before = typeof payload === 'object' && payload !== null && 'prompt' in payload ? payload.prompt : null;
  return isMarked === true || isWhollyPrivate(before, event.text);
}
