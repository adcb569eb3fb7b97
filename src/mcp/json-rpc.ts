// JSON-RPC 2.0, as much of it as a server that only answers needs.

export type Id = string | number;

export type Message =
  | { kind: 'request'; id: Id; method: string; params: Record<string, unknown> }
  /** A notification, or an answer to a question we never ask: nothing is said to it. */
  | { kind: 'unasked' }
  | { kind: 'bad'; code: number; reason: string; id: Id | null };

export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const METHOD_NOT_FOUND = -32601;
export const INTERNAL_ERROR = -32603;

export function readLine(line: string): Message {
  try {
    return readMessage(JSON.parse(line));
  } catch {
    // Said to whoever wrote it; the next line may be sound.
    return { kind: 'bad', code: PARSE_ERROR, reason: 'This line is not JSON.', id: null };
  }
}

export function readMessage(message: unknown): Message {
  if (!isObject(message)) return { kind: 'bad', code: INVALID_REQUEST, reason: 'A message is one JSON object.', id: null };
  const { id, method, params } = message;
  const isAsked = typeof id === 'string' || typeof id === 'number';
  if (typeof method !== 'string') {
    if ('result' in message || 'error' in message) return { kind: 'unasked' };
    return { kind: 'bad', code: INVALID_REQUEST, reason: 'A request has a `method`.', id: isAsked ? id : null };
  }
  if (isAsked) return { kind: 'request', id, method, params: isObject(params) ? params : {} };
  if (id === undefined) return { kind: 'unasked' };
  return { kind: 'bad', code: INVALID_REQUEST, reason: 'The `id` of a request is a text or a number.', id: null };
}

export const resultLine = (id: Id, result: unknown) => JSON.stringify({ jsonrpc: '2.0', id, result });

export const errorLine = (id: Id | null, error: { code: number; message: string; data?: unknown }) =>
  JSON.stringify({ jsonrpc: '2.0', id, error });

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
