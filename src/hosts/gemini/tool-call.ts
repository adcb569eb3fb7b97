// A tool call in a Gemini CLI chat → the fields of the hook after it; null while it is not over.
import { asRecord, type Fields, text } from '../fields.ts';
import { readResult } from './tool-answer.ts';

export function describeCall(call: Fields): Fields | null {
  const tool = text(call.name);
  const status = text(call.status);
  if (tool === '' || !OVER.has(status)) return null;
  const { words, error } = readResult(call.result);
  const failed = status === 'success' ? null : error || words || text(call.resultDisplay) || 'failed without a message';
  return {
    tool_name: tool,
    tool_input: asRecord(call.args),
    tool_response: {
      llmContent: words,
      returnDisplay: call.resultDisplay,
      ...(failed !== null && { error: { message: failed } }),
    },
    ...(status === 'cancelled' && { is_undone: true }),
  };
}

const OVER = new Set(['success', 'error', 'cancelled']);
