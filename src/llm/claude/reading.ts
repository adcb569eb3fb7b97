// What a run of `claude` has told so far, line by line.
import type { Usage } from '../../core/usage.ts';
import { INITIALIZE } from './command.ts';
import { type LineOf, parseLine } from './line.ts';

export type Reading = {
  /** It has taken the instructions. */
  isReady: boolean;
  sessionId: string | null;
  /** The first answer of the model: should claude go on by itself, the others do not count. */
  messageId: string | null;
  text: string;
  usage: Usage | null;
  /** An error of claude or of the API, which looks like an answer otherwise. */
  failure: Failure | null;
  /** Epoch seconds, when the limit of the account is reached. */
  resetsAt: number | null;
  isRefused: boolean;
  result: LineOf<'result'> | null;
};

export type Failure = { code: string; status: number | null; text: string };

export const NOTHING_READ: Reading = {
  isReady: false,
  sessionId: null,
  messageId: null,
  text: '',
  usage: null,
  failure: null,
  resetsAt: null,
  isRefused: false,
  result: null,
};

/** Lines that are not JSON, or of a kind we do not know, change nothing. */
export function readLine(reading: Reading, line: string): Reading {
  const message = parseLine(line);
  if (message === null) return reading;
  switch (message.type) {
    case 'system':
      if (message.subtype === 'init') return { ...reading, sessionId: message.session_id ?? null };
      return { ...reading, isRefused: reading.isRefused || message.subtype.startsWith('model_refusal') };
    case 'control_response':
      return readControl(reading, message.response);
    case 'assistant':
      return readAssistant(reading, message);
    case 'rate_limit_event':
      return { ...reading, resetsAt: readReset(message.rate_limit_info) ?? reading.resetsAt };
    case 'result':
      return { ...reading, result: message, usage: sumUsage(message) ?? reading.usage };
  }
}

/** An older version answers that it does not know the request. */
function readControl(
  reading: Reading,
  { subtype, request_id, error }: LineOf<'control_response'>['response'],
): Reading {
  if (request_id !== INITIALIZE) return reading;
  if (subtype === 'success') return { ...reading, isReady: true };
  return { ...reading, failure: { code: 'instructions_refused', status: null, text: error } };
}

function readAssistant(reading: Reading, { error, api_error_status, message }: LineOf<'assistant'>): Reading {
  const text = message.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
  if (error) return { ...reading, failure: { code: error, status: api_error_status ?? null, text } };
  const messageId = reading.messageId ?? message.id;
  if (message.id !== messageId) return reading;
  return { ...reading, messageId, text: reading.text + text, usage: message.usage ?? reading.usage };
}

function readReset({ status, resetsAt }: LineOf<'rate_limit_event'>['rate_limit_info']): number | null {
  return status === 'rejected' ? (resetsAt ?? null) : null;
}

/** Counted by model, also where the total is left at zero. */
function sumUsage({ modelUsage, usage }: LineOf<'result'>): Usage | null {
  const counts = Object.values(modelUsage ?? {});
  if (counts.length === 0) return usage && usage.inputTokens + usage.outputTokens > 0 ? usage : null;
  const sum = (pick: (count: (typeof counts)[number]) => number) => counts.reduce((all, one) => all + pick(one), 0);
  return {
    inputTokens: sum((count) => count.inputTokens + count.cacheCreationInputTokens),
    cachedTokens: sum((count) => count.cacheReadInputTokens),
    outputTokens: sum((count) => count.outputTokens),
  };
}
