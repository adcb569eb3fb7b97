// One line from the socket or one file of the spool → an envelope we can trust the shape of.
import { z } from 'zod';
import { type Envelope, HOOK_COMMANDS, type Pong, WIRE_VERSION } from '../core/envelope.ts';
import { hashParts } from '../core/ids.ts';

type ReadMessage = { kind: 'envelope'; envelope: Envelope } | { kind: 'ping'; id: string } | { kind: 'bad'; error: string };

export function readMessage(line: string, now: number): ReadMessage {
  let json: unknown;
  try {
    json = JSON.parse(line);
  } catch {
    return { kind: 'bad', error: 'not JSON' };
  }
  const envelope = EnvelopeSchema.safeParse(json);
  if (envelope.success) return { kind: 'envelope', envelope: envelope.data };
  const ping = Ping.safeParse(json);
  if (ping.success) return { kind: 'ping', id: ping.data.id };
  const plain = PlainMessage.safeParse(json);
  if (plain.success) return { kind: 'envelope', envelope: fromPlain(plain.data, now) };
  return { kind: 'bad', error: explain(isPlain(json) ? plain.error : envelope.error) };
}

const isPlain = (json: unknown) => ['observation', 'finalize'].includes(String(Object(json).type));

/** The first field that is wrong, by its name. */
function explain({ issues: [issue] }: z.ZodError): string {
  const name = issue?.path.join('.');
  if (!issue || !name) return 'it must be an object: an envelope, or a message of type ping, observation or finalize';
  if (name === 'session_id') return 'session_id is missing: say which session it belongs to';
  return `${name}: ${issue.message}`;
}

/** The year 2100, in milliseconds. */
const LATEST = 4_102_444_800_000;

const EnvelopeSchema = z.object({
  id: z.string().regex(/^[0-9a-f]{16,64}$/),
  v: z.number(),
  host: z.string(),
  event: z.enum(HOOK_COMMANDS),
  receivedAt: z.number().positive().max(LATEST).transform(Math.trunc),
  payload: z.unknown().optional(),
  private: z.boolean().optional(),
  unattended: z.boolean().optional(),
  incognito: z.boolean().optional(),
  incomplete: z.boolean().optional(),
  bad: z.object({ reason: z.enum(['empty', 'not-json', 'not-an-object']) }).optional(),
});

const Ping = z.object({ type: z.literal('ping'), id: z.string() });

/** The two messages of the first socket protocol, when they say which session they belong to. */
const PlainMessage = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('observation'),
    session_id: z.string().min(1),
    cwd: z.string().optional(),
    tool_name: z.string(),
    tool_input: z.unknown().optional(),
    tool_output: z.unknown().optional(),
  }),
  z.object({ type: z.literal('finalize'), session_id: z.string().min(1), cwd: z.string().optional() }),
]);

function fromPlain(message: z.infer<typeof PlainMessage>, now: number): Envelope {
  const { type, session_id, cwd } = message;
  const payload =
    type === 'observation'
      ? {
          session_id,
          cwd,
          tool_name: message.tool_name,
          tool_input: unwrapJson(message.tool_input),
          tool_response: unwrapJson(message.tool_output),
        }
      : { session_id, cwd };
  return {
    id: hashParts([session_id, type, JSON.stringify(payload), type === 'finalize' ? String(now) : '']),
    v: WIRE_VERSION,
    host: 'claude-code',
    event: type === 'observation' ? 'save' : 'summary',
    receivedAt: now,
    payload,
  };
}

/** That protocol sends tool data as JSON inside a string. */
function unwrapJson(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    // Plain text is as good: the tool simply said that.
    return value;
  }
}

export const pong = (id: string, more: Pick<Pong, 'refuses'> = {}): string =>
  JSON.stringify({ id, ok: true, pid: process.pid, ...more } satisfies Pong);
