// The wire format of Anthropic's Messages API: as one JSON for those with a key, as server-sent events for `claude`.
import { z } from 'zod';
import type { Asked, Spoken, Wire } from './wire.ts';

const STOP = { done: 'end_turn', limit: 'max_tokens', 'tool call': 'tool_use', refusal: 'refusal' };
const INPUT = { input_tokens: 1000, cache_creation_input_tokens: 30, cache_read_input_tokens: 20 };
const MESSAGE = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-haiku-4-5', stop_sequence: null };

export const messagesWire: Wire = {
  answer: (spoken) => ({ contentType: 'application/json', body: JSON.stringify(wholeMessage(spoken)) }),
  withoutEnd: (spoken) => ({ contentType: 'application/json', body: JSON.stringify(wholeMessage(spoken)).slice(0, -1) }),
  drip: { contentType: 'application/json', begin: '{"id":"', goOn: 'x' },
  error: (type, message) => ({ type: 'error', error: { type, message } }),
  readAsked,
};

const EVENT_STREAM = 'text/event-stream';

export const messagesStreamWire: Wire = {
  answer: (spoken) => ({ contentType: EVENT_STREAM, body: [...beginning(), ...blocksOf(spoken), ...ending(spoken)].join('') }),
  withoutEnd: (spoken) => ({ contentType: EVENT_STREAM, body: [...beginning(), ...blocksOf(spoken)].join('') }),
  drip: {
    contentType: EVENT_STREAM,
    begin: [...beginning(), event({ type: 'content_block_start', index: 0, content_block: textStart() })].join(''),
    goOn: event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'x' } }),
  },
  error: messagesWire.error,
  readAsked,
};

function wholeMessage(spoken: Spoken): object {
  const text = spoken.text === undefined ? [] : [{ type: 'text', text: spoken.text }];
  const extra = spoken.extra === undefined ? [] : [EXTRA[spoken.extra].whole];
  const content = [...extra, ...text];
  return { ...MESSAGE, content, stop_reason: STOP[spoken.stop], usage: { ...INPUT, output_tokens: 50 } };
}

function beginning(): string[] {
  const message = { ...MESSAGE, content: [], stop_reason: null, usage: { ...INPUT, output_tokens: 1 } };
  return [event({ type: 'message_start', message })];
}

function blocksOf({ text, extra }: Spoken): string[] {
  const textBlocks = text === undefined ? [] : [{ start: textStart(), delta: { type: 'text_delta', text } }];
  const blocks = [...(extra === undefined ? [] : [EXTRA[extra].streamed]), ...textBlocks];
  return blocks.flatMap(({ start, delta }, index) => [
    event({ type: 'content_block_start', index, content_block: start }),
    event({ type: 'content_block_delta', index, delta }),
    event({ type: 'content_block_stop', index }),
  ]);
}

function ending({ stop }: Spoken): string[] {
  const delta = { stop_reason: STOP[stop], stop_sequence: null };
  return [event({ type: 'message_delta', delta, usage: { output_tokens: 50 } }), event({ type: 'message_stop' })];
}

function event(data: { type: string } & Record<string, unknown>): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
}

function textStart() {
  return { type: 'text', text: '' };
}

const EXTRA = {
  'tool call': {
    whole: { type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { command: 'id' } },
    streamed: {
      start: { type: 'tool_use', id: 'toolu_1', name: 'Bash', input: {} },
      delta: { type: 'input_json_delta', partial_json: '{"command":"id"}' },
    },
  },
  thinking: {
    whole: { type: 'thinking', thinking: 'Let me think.', signature: '' },
    streamed: { start: { type: 'thinking', thinking: '', signature: '' }, delta: { type: 'thinking_delta', thinking: 'Let me think.' } },
  },
};

/** The instructions are the last block of the system prompt, the prompt is the last block of the only message. */
function readAsked(body: unknown): Asked {
  const { system, messages, max_tokens, tools } = Body.parse(body);
  const [{ content }] = messages;
  return {
    instructions: system.at(-1)?.text ?? '',
    prompt: typeof content === 'string' ? content : (content.at(-1)?.text ?? ''),
    maxOutputTokens: max_tokens,
    hasTools: tools.length > 0,
  };
}

const Text = z.looseObject({ type: z.literal('text'), text: z.string() });
const CachedText = Text.extend({ cache_control: z.object({ type: z.literal('ephemeral') }).optional() });
const Body = z.object({
  system: z.array(CachedText),
  messages: z.tuple([z.object({ role: z.literal('user'), content: z.union([z.string(), z.array(Text)]) })]),
  max_tokens: z.number(),
  thinking: z.object({ type: z.literal('disabled') }),
  tools: z.array(z.unknown()).default([]),
});
