// A key goes to the host it was set for, and to no other.
import { expect, test } from 'bun:test';
import { ModelError } from '../../../src/model/providers/contract.ts';
import { checkEndpoint } from '../../../src/model/providers/http.ts';

const keyFor = (host: string) => ({ value: 'sk-secret', host });

test.each([
  ['https://api.openai.com/v1', 'https://api.openai.com/v1', 'api.openai.com'],
  ['https://api.openai.com:443/v1/', 'https://api.openai.com/v1', 'api.openai.com'],
  ['https://gateway.example:8443//v1//', 'https://gateway.example:8443//v1', 'gateway.example:8443'],
  ['http://localhost:11434/v1', 'http://localhost:11434/v1', 'localhost:11434'],
])('sends the key of its host to %s', (baseUrl, endpoint, host) => {
  expect(checkEndpoint({ baseUrl, key: keyFor(host) })).toBe(endpoint);
});

test.each(['http://127.0.0.1:11434/v1', 'http://127.1:8080', 'http://[::1]:11434', 'http://localhost'])(
  'needs no key on this machine: %s',
  (baseUrl) => {
    expect(checkEndpoint({ baseUrl, key: null })).toStartWith('http://');
  },
);

test.each([
  ['http://api.openai.com/v1', 'api.openai.com'],
  ['http://127.0.0.1.evil.example/v1', '127.0.0.1.evil.example'],
  ['http://localhost.evil.example', 'localhost.evil.example'],
  ['http://128.0.0.1', '128.0.0.1'],
  ['ftp://localhost', 'localhost'],
  ['file:///etc/passwd', ''],
  ['https://user:pass@api.openai.com', 'api.openai.com'],
  ['https://api.openai.com/v1?x=1', 'api.openai.com'],
  ['https://api.openai.com/v1#x', 'api.openai.com'],
  ['api.openai.com/v1', 'api.openai.com'],
  ['', ''],
])('refuses the base URL %p', (baseUrl, host) => {
  expect(failureOf(baseUrl, host).kind).toBe('auth');
});

test.each([
  ['another host', 'https://api.openai.com', 'api.anthropic.com'],
  ['a part of its name', 'https://api.openai.com.evil.example', 'api.openai.com'],
  ['another port', 'https://api.openai.com:8443', 'api.openai.com'],
])('does not send a key to %s', (_, baseUrl, host) => {
  const { kind, message } = failureOf(baseUrl, host);
  expect(kind).toBe('auth');
  expect(message).toContain(`set for ${host}`);
  expect(message).toContain(`again for ${new URL(baseUrl).host}`);
  expect(message).not.toContain('sk-secret');
});

test('does not repeat a password', () => {
  expect(failureOf('https://user:hunter2@api.openai.com', 'api.openai.com').message).not.toContain('hunter2');
  expect(failureOf('user:hunter2@api.openai.com', 'api.openai.com').message).not.toContain('hunter2');
});

test('needs a key elsewhere', () => {
  expect(() => checkEndpoint({ baseUrl: 'https://api.openai.com', key: null })).toThrow('needs a key');
});

test.each(['', ' ', 'sk-1\n', 'sk 1', 'sk-1\r\nx-other: 1', 'schlüssel'])('takes no key like %p', (value) => {
  const key = { value, host: 'api.openai.com' };
  expect(() => checkEndpoint({ baseUrl: 'https://api.openai.com', key })).toThrow('Set it again');
});

function failureOf(baseUrl: string, host: string): ModelError {
  try {
    checkEndpoint({ baseUrl, key: keyFor(host) });
  } catch (error) {
    if (error instanceof ModelError) return error;
    throw error;
  }
  return expect.unreachable(`${baseUrl} was taken`);
}
