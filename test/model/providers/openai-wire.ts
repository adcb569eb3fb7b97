// The wire format of OpenAI's chat completions.
import { z } from 'zod';
import type { Spoken, Wire } from './wire.ts';

const STOP = { done: 'stop', limit: 'length', 'tool call': 'tool_calls', refusal: 'content_filter' };
const USAGE = { prompt_tokens: 1050, completion_tokens: 50, prompt_tokens_details: { cached_tokens: 20 } };

export const openAiWire: Wire = {
  answer: (spoken) => ({ contentType: 'application/json', body: JSON.stringify(completion(spoken)) }),
  withoutEnd: (spoken) => ({ contentType: 'application/json', body: JSON.stringify(completion(spoken)).slice(0, -1) }),
  drip: { contentType: 'application/json', begin: '{"id":"', goOn: 'x' },
  error: (type, message) => ({ error: { message, type, code: type } }),
  readAsked: (body) => {
    const { messages, max_tokens, tools } = Body.parse(body);
    const [system, user] = messages;
    return { instructions: system.content, prompt: user.content, maxOutputTokens: max_tokens, hasTools: tools !== undefined };
  },
};

function completion({ text, extra, stop }: Spoken): object {
  const call = { id: 'call_1', type: 'function', function: { name: 'run', arguments: '{}' } };
  const reasoning = extra === 'thinking' ? { reasoning: 'Let me think.' } : {};
  const calls = extra === 'tool call' ? { tool_calls: [call] } : {};
  const message = { role: 'assistant', content: text ?? null, ...reasoning, ...calls };
  return { id: 'chatcmpl-1', choices: [{ index: 0, message, finish_reason: STOP[stop] }], usage: USAGE };
}

const Message = <Role extends string>(role: Role) => z.strictObject({ role: z.literal(role), content: z.string() });
const Body = z.object({
  model: z.string(),
  messages: z.tuple([Message('system'), Message('user')]),
  max_tokens: z.number(),
  stream: z.literal(false),
  tools: z.unknown().optional(),
});
