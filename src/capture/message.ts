// One line from the socket or one file of the spool → an envelope we can trust the shape of.

import type { ParsedHook, ToldByFile } from '../agents/agent.ts';
import { findAgent } from '../agents/agents.ts';
import { type Envelope, HOOK_COMMANDS, idOf, type Pong, readSession, WIRE_VERSION } from '../core/envelope.ts';
import type { SessionEvent } from '../core/event.ts';
import { hashParts } from '../core/ids.ts';
import { cleanPayload } from '../core/payload.ts';
import { isObject, parseJson } from '../core/plain-json.ts';
import { isWhollyPrivate } from '../core/privacy.ts';
import { scrubValue } from '../secrets/scrub.ts';

type ReadMessage = { kind: 'envelope'; envelope: Envelope } | { kind: 'ping'; id: string } | { kind: 'bad'; error: string };

export function readMessage(line: string, now: number): ReadMessage {
  const json = parseJson(line);
  if (json === undefined) return { kind: 'bad', error: 'not JSON' };
  if (!isObject(json))
    return { kind: 'bad', error: 'it must be an object: an envelope, or a message of type ping, observation or finalize' };
  const wrong = FIELDS.find(([name, isRight]) => !isRight(json[name]));
  if (!wrong && (json.id !== undefined || isObject(json.payload))) return { kind: 'envelope', envelope: takeEnvelope(json) };
  if (json.type === 'ping' && isText(json.id)) return { kind: 'ping', id: json.id };
  const envelope = readPlain(json, now);
  return envelope ? { kind: 'envelope', envelope } : { kind: 'bad', error: explain(json, wrong?.[0] ?? 'id') };
}

/** The first field that is wrong, by its name. */
function explain({ type, session_id }: Record<string, unknown>, name: string): string {
  const isPlain = type === 'observation' || type === 'finalize';
  if (!isPlain) return `${name} is missing or wrong`;
  if (!isText(session_id) || session_id === '') return 'session_id is missing: say which session it belongs to';
  return type === 'observation' ? 'tool_name is missing or wrong' : 'cwd must be text';
}

/** The year 2100, in milliseconds. */
const LATEST = 4_102_444_800_000;
const BAD_REASONS: unknown[] = ['empty', 'not-json', 'not-an-object'];

const isText = (value: unknown): value is string => typeof value === 'string';
const isFlag = (value: unknown) => value === undefined || typeof value === 'boolean';

/** By hand, not by a schema: every event comes this way, and to make one takes a worker that starts longer than to open its database. */
const FIELDS: [keyof Envelope, (value: unknown) => boolean][] = [
  ['id', (id) => id === undefined || (isText(id) && /^[0-9a-f]{16,64}$/.test(id))],
  ['v', Number.isFinite],
  ['host', isText],
  ['event', (event) => HOOK_COMMANDS.some((name) => name === event)],
  ['receivedAt', (at) => typeof at === 'number' && at > 0 && at <= LATEST],
  ['payload', () => true],
  ['private', isFlag],
  ['unattended', isFlag],
  ['incognito', isFlag],
  ['incomplete', isFlag],
  ['bad', (bad) => bad === undefined || (isObject(bad) && BAD_REASONS.includes(bad.reason))],
];

/** Of what was looked at; whatever else is in there is nobody's word: that it is from a transcript, say. */
function takeEnvelope(json: Record<string, unknown>): Envelope {
  const known = FIELDS.flatMap(([name]) => (name in json ? [[name, json[name]]] : []));
  // Each field was found to be what the type says.
  const envelope = Object.fromEntries(known) as Envelope;
  const whole = { ...envelope, receivedAt: Math.trunc(envelope.receivedAt) };
  return { ...whole, id: envelope.id ?? idOf(whole) };
}

/** The two messages of the first socket protocol, when they say which session they belong to. */
function readPlain({ type, session_id, cwd, tool_name, tool_input, tool_output }: Record<string, unknown>, now: number): Envelope | null {
  const isTool = type === 'observation' && isText(tool_name);
  if (!isText(session_id) || session_id === '' || !(cwd === undefined || isText(cwd)) || !(isTool || type === 'finalize')) return null;
  const tool = isTool ? { tool_name, tool_input: unwrapJson(tool_input), tool_response: unwrapJson(tool_output) } : {};
  const payload = { session_id, cwd, ...tool };
  const id = hashParts([session_id, type, JSON.stringify(payload), isTool ? '' : String(now)]);
  return { id, v: WIRE_VERSION, host: 'claude-code', event: isTool ? 'save' : 'summary', receivedAt: now, payload };
}

/** That protocol sends tool data as JSON inside a string; plain text is as good: the tool simply said that. */
function unwrapJson(value: unknown): unknown {
  const said = typeof value === 'string' ? parseJson(value) : undefined;
  return said === undefined ? value : said;
}

export const pong = (id: string, more: Pick<Pong, 'refuses'> = {}): string =>
  JSON.stringify({ id, ok: true, pid: process.pid, ...more } satisfies Pong);

// An envelope made ready for the store: parsed, stripped, scrubbed. Everything that needs no database.

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
