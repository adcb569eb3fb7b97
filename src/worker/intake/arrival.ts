// An envelope made ready for the store: parsed, stripped, scrubbed. Everything that needs no database.
import type { Envelope } from '../../core/envelope.ts';
import type { SessionEvent } from '../../core/event.ts';
import { cleanPayload } from '../../core/payload.ts';
import { isWhollyPrivate } from '../../core/privacy.ts';
import { scrubHead } from '../../core/scrub-head.ts';
import { findHost } from '../../hosts/index.ts';
import type { ToldByFile } from '../../hosts/transcript.ts';
import { scrubValue } from '../../secrets/scrub.ts';

/** Nothing private, nothing secret, in our own words. */
export type Arrival = { envelope: Envelope } & (
  | EventArrived
  | { kind: 'before-edit'; session: string; cwd: string; file: string }
  | { kind: 'no-session'; cwd: string }
  | { kind: 'bad'; reason: string; bytes: number; head: string }
  /** All that is known of a session of which nothing is kept. */
  | { kind: 'incognito'; session: string }
  | { kind: 'ignored'; reason: string }
);

type EventArrived = {
  kind: 'event';
  event: SessionEvent;
  transcript: string | null;
  branch: string | null;
  isPrivate: boolean;
  secrets: number;
  /** Of a transcript: what its order tells. A hook tells nothing so. */
  told: ToldByFile;
  /** Of what names no prompt: its hook has marked a private one at this time, and nothing that ended it. */
  markedSince?: number;
};

export type EventArrival = Extract<Arrival, { kind: 'event' }>;

/** Also keeps the transaction short that stores it. */
export function readArrival(envelope: Envelope): Arrival {
  const { bad } = envelope;
  if (bad) return { kind: 'bad', envelope, ...bad, head: scrubHead(bad.head) };
  if (envelope.incognito) return { kind: 'incognito', envelope, session: readSession(envelope.payload) };
  const host = findHost(envelope.host);
  if (!host) return { kind: 'ignored', envelope, reason: 'unknown-host' };
  const scrubbed = scrubValue(cleanPayload(envelope.payload).value);
  const parsed = host.parseHook({
    id: envelope.id,
    command: envelope.event,
    payload: scrubbed.value,
    receivedAt: envelope.receivedAt,
  });
  if (parsed.kind !== 'event') return { envelope, ...parsed };
  return {
    ...parsed,
    envelope,
    isPrivate: isPrivatePrompt(parsed.event, envelope),
    secrets: scrubbed.found.length,
    told: envelope.isFromTranscript ? readTold(envelope.payload) : {},
  };
}

/** Said by our own readers and nobody else. */
const readTold = (payload: unknown): ToldByFile =>
  typeof payload === 'object' && payload !== null && 'told' in payload ? (payload.told as ToldByFile) : {};

const readSession = (payload: unknown): string =>
  typeof payload === 'object' && payload !== null && 'session_id' in payload ? String(payload.session_id) : '';

function isPrivatePrompt(event: SessionEvent, { payload, private: isMarked }: Envelope): boolean {
  if (event.kind !== 'prompt') return false;
  const before = typeof payload === 'object' && payload !== null && 'prompt' in payload ? payload.prompt : null;
  return isMarked === true || isWhollyPrivate(before, event.text);
}
