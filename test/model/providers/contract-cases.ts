// Everything a model's server can do to us, and what each must come to. One table for all providers.
import type { ModelErrorKind } from '../../../src/model/providers/contract.ts';
import { drip, type Reply, truncate } from './fake-server.ts';
import type { Wire } from './wire.ts';

export type FailureCase = {
  name: string;
  reply: (wire: Wire) => Reply;
  kind: ModelErrorKind;
  /** In how many seconds the provider may be asked again; the providers that are told say so. */
  untilSeconds?: number;
  /** It spoke, so it billed. */
  isBilled?: true;
  /** Nothing comes but the deadline. */
  isEndless?: true;
};

const refuse =
  (status: number, type: string, message: string, headers: Record<string, string> = {}) =>
  (wire: Wire): Reply =>
  () =>
    Response.json(wire.error(type, message), { status, headers });

export const sayAnswer =
  (...[spoken]: Parameters<Wire['answer']>) =>
  (wire: Wire): Reply =>
  () =>
    say(wire.answer(spoken));

const page = (body: string, contentType: string) => (): Reply => () => say({ body, contentType });

function say({ body, contentType }: { body: string; contentType: string }): Response {
  return new Response(body, { headers: { 'content-type': contentType } });
}

export const FAILURES: FailureCase[] = [
  { name: '401', reply: refuse(401, 'authentication_error', 'invalid key'), kind: 'auth' },
  { name: '403', reply: refuse(403, 'permission_error', 'not allowed'), kind: 'auth' },
  {
    name: '400 for an empty account',
    reply: refuse(400, 'invalid_request_error', 'Your credit balance is too low to access the API.'),
    kind: 'auth',
  },
  { name: '429', reply: refuse(429, 'rate_limit_error', 'slow down'), kind: 'rate-limited' },
  {
    name: '429 with Retry-After',
    reply: refuse(429, 'rate_limit_error', 'slow down', { 'retry-after': '77' }),
    kind: 'rate-limited',
    untilSeconds: 77,
  },
  { name: '500', reply: refuse(500, 'api_error', 'boom'), kind: 'transient' },
  { name: '529', reply: refuse(529, 'overloaded_error', 'Overloaded'), kind: 'transient' },
  { name: '400', reply: refuse(400, 'invalid_request_error', 'messages: not like this'), kind: 'unrecoverable' },
  {
    name: '400 for a prompt that is too long',
    reply: refuse(400, 'invalid_request_error', 'prompt is too long: 250000 tokens > 200000 maximum'),
    kind: 'unrecoverable',
  },
  { name: '404', reply: refuse(404, 'not_found_error', 'no such model'), kind: 'unrecoverable' },
  { name: '413', reply: refuse(413, 'request_too_large', 'too large'), kind: 'unrecoverable' },
  { name: 'no answer at all', reply: () => () => new Promise(() => null), kind: 'transient', isEndless: true },
  { name: 'an answer that drips', reply: (wire) => () => drip(wire.drip), kind: 'transient', isEndless: true },
  {
    name: 'an answer that breaks off',
    reply: (wire) => () => truncate(wire.answer({ text: 'x'.repeat(2000), stop: 'done' })),
    kind: 'transient',
  },
  {
    name: 'an answer that lacks only its end',
    reply: (wire) => () => say(wire.withoutEnd({ text: 'x'.repeat(2000), stop: 'done' })),
    kind: 'transient',
  },
  { name: 'an HTML page', reply: page('<html><h1>Welcome to the hotel</h1></html>', 'text/html'), kind: 'transient' },
  { name: 'an empty body', reply: page('', 'application/json'), kind: 'transient' },
  { name: 'other JSON', reply: page('{"hello":"world"}', 'application/json'), kind: 'transient' },
  { name: '10 MB of text', reply: sayAnswer({ text: 'y'.repeat(10 * 1024 * 1024), stop: 'done' }), kind: 'bad-answer' },
  {
    name: 'a text a little too long',
    reply: sayAnswer({ text: 'y'.repeat(256 * 1024 + 1), stop: 'done' }),
    kind: 'bad-answer',
    isBilled: true,
  },
  { name: 'a tool call only', reply: sayAnswer({ extra: 'tool call', stop: 'tool call' }), kind: 'bad-answer', isBilled: true },
  { name: 'thinking only', reply: sayAnswer({ extra: 'thinking', stop: 'done' }), kind: 'bad-answer', isBilled: true },
  { name: 'a refusal', reply: sayAnswer({ stop: 'refusal' }), kind: 'bad-answer', isBilled: true },
  { name: 'white space only', reply: sayAnswer({ text: ' \n', stop: 'done' }), kind: 'bad-answer', isBilled: true },
];
