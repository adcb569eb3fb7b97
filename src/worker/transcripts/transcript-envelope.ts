// What a transcript says, as the envelope that a hook would have sent.
import { type Envelope, WIRE_VERSION } from '../../core/envelope.ts';
import { hashParts } from '../../core/ids.ts';
import { stripPrivate } from '../../core/privacy.ts';
import { SAID, type TranscriptRecord } from '../../hosts/transcript.ts';

/** Its id is the same at every reading, also of a copy in a fork. It happened when the record says: pauses are judged by it. */
export function envelopeOf(host: string, { command, payload, at }: TranscriptRecord): Envelope {
  const { hook_event_name: name, tool_use_id: tool, prompt_id: prompt, agent_id: agent } = payload;
  const said = [payload.prompt, payload.last_assistant_message, payload.compact_summary].find(isText) ?? '';
  // The same few words may be said twice in a turn.
  const when = name === SAID ? [String(at)] : [];
  const asked = payload.told?.askedMark === undefined ? [] : [payload.told.askedMark];
  const own = isText(tool) ? [tool] : [textOf(prompt), textOf(agent), stripPrivate(said).text, ...when, ...asked];
  return {
    id: hashParts(['transcript', host, textOf(name), ...own]),
    v: WIRE_VERSION,
    host,
    event: command,
    receivedAt: at,
    payload,
    isFromTranscript: true,
  };
}

/** A session whose transcript is over has ended, whatever its last line says. */
export const endOf = (host: string, { payload, at }: TranscriptRecord): Envelope => ({
  id: hashParts(['transcript-end', host, payload.session_id, String(at)]),
  v: WIRE_VERSION,
  host,
  event: 'cleanup',
  receivedAt: at,
  payload: {
    session_id: payload.session_id,
    cwd: payload.cwd,
    hook_event_name: 'SessionEnd',
    reason: 'transcript',
    timestamp: at,
  },
  isFromTranscript: true,
});

const isText = (value: unknown): value is string => typeof value === 'string';
const textOf = (value: unknown): string => (isText(value) ? value : '');
