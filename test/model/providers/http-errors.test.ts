// A refusal over HTTP is told by what it means, with the time to come back and without the key.
import { expect, test } from 'bun:test';
import { errorOfRefusal } from '../../../src/model/providers/http.ts';

const NOW = Date.parse('2026-11-15T12:00:00Z');
const DAY = 86_400_000;

const refusal = (status: number, headers: Record<string, string> = {}, body = '') =>
  errorOfRefusal({ status, headers: new Headers(headers), body, keyValue: 'sk-very-secret', now: NOW });

test.each([
  ['auth', [401, 402, 403]],
  ['rate-limited', [429]],
  ['transient', [408, 409, 425, 500, 502, 503, 504, 520, 529]],
  ['unrecoverable', [300, 400, 404, 405, 410, 413, 415, 422, 451]],
] as const)('is %s: %p', (kind, statuses) => {
  for (const status of statuses) expect([status, refusal(status).kind]).toEqual([status, kind]);
});

test.each([
  ['seconds', { 'retry-after': '77' }, 77_000],
  ['a date', { 'retry-after': 'Sun, 15 Nov 2026 12:10:00 GMT' }, 600_000],
  ['at most seven days', { 'retry-after': '99999999' }, 7 * DAY],
] as const)('is told when to come back by %s', (_, headers, afterMs) => {
  expect(refusal(429, headers).until).toBe(NOW + afterMs);
});

test.each([
  ['no header', {}],
  ['a date that has passed', { 'retry-after': 'Sun, 15 Nov 2026 11:00:00 GMT' }],
  ['no time at all', { 'retry-after': '0' }],
  ['nonsense', { 'retry-after': 'soon' }],
])('is not told when to come back by %s', (_, headers: Record<string, string>) => {
  expect(refusal(429, headers)).toMatchObject({ kind: 'rate-limited', until: null });
});

test.each([503, 529])('waits when a busy server says how long: %d', (status) => {
  expect(refusal(status, { 'retry-after': '9' })).toMatchObject({ kind: 'rate-limited', until: NOW + 9000 });
});

test.each([
  [429, { error: { type: 'requests', code: 'insufficient_quota', message: 'You exceeded your quota' } }],
  [429, { error: { type: 'insufficient_quota', code: null, message: 'You exceeded your quota' } }],
  [400, { error: { type: 'invalid_request_error', message: 'Your credit balance is too low to access' } }],
])('needs a person when the money is gone: %d', (status, body) => {
  expect(refusal(status, { 'retry-after': '9' }, JSON.stringify(body))).toMatchObject({ kind: 'auth', until: null });
});

test('does not take the question for what the server says', () => {
  const body = JSON.stringify({ error: { message: 'Not like this.' }, input: 'my credit balance is too low' });
  expect(refusal(422, {}, body).kind).toBe('unrecoverable');
});

test.each([
  ['the message of the error', '{"error":{"message":"no such\\n model"}}', 'no such model'],
  ['an error that is a text', '{"error":"no such model"}', 'no such model'],
  ['a page', '<h1>Not\n here</h1>', '<h1>Not here</h1>'],
])('says what the server said: %s', (_, body, said) => {
  expect(refusal(404, {}, body).message).toBe(`The model's server answered 404: ${said}`);
});

test('says little, and never a key', () => {
  const { message } = refusal(401, {}, `{"error":{"message":"Wrong: sk-very-secret ${'or so '.repeat(200)}"}}`);
  expect(message).not.toContain('sk-very-secret');
  expect(message).toContain('[key]');
  expect(message.length).toBeLessThan(250);
  const other = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
  expect(refusal(400, {}, `{"error":"${other}"}`).message).not.toContain(other);
});
