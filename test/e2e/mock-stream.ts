// One answer of the mock as the server-sent events of the Messages API.
import type { Step } from './mock-api.ts';

const USAGE = { input_tokens: 1000, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 50 };

export function answerStream(step: Step, model: string): Response {
  const blocks = [...textBlocks(step), ...toolBlocks(step)];
  const message = { id: newId('msg'), type: 'message', role: 'assistant', model, content: [], stop_reason: null };
  const stopReason = step.tools === undefined ? 'end_turn' : 'tool_use';
  const events = [
    { type: 'message_start', message: { ...message, stop_sequence: null, usage: USAGE } },
    ...blocks.flatMap(blockEvents),
    { type: 'message_delta', delta: { stop_reason: stopReason, stop_sequence: null }, usage: { output_tokens: 50 } },
    { type: 'message_stop' },
  ];
  const body = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
  return new Response(body, { headers: { 'content-type': 'text/event-stream', 'request-id': newId('req') } });
}

function textBlocks(step: Step) {
  if (step.text === undefined) return [];
  return [{ start: { type: 'text', text: '' }, delta: { type: 'text_delta', text: step.text } }];
}

function toolBlocks(step: Step) {
  return (step.tools ?? []).map((tool) => ({
    start: { type: 'tool_use', id: newId('toolu'), name: tool.name, input: {} },
    delta: { type: 'input_json_delta', partial_json: JSON.stringify(tool.input) },
  }));
}

function blockEvents(block: { start: object; delta: object }, index: number) {
  return [
    { type: 'content_block_start', index, content_block: block.start },
    { type: 'content_block_delta', index, delta: block.delta },
    { type: 'content_block_stop', index },
  ];
}

function newId(prefix: string): string {
  return `${prefix}_${crypto.randomUUID().replaceAll('-', '').slice(0, 24)}`;
}
