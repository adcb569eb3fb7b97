// Where a key may be sent: to the host it was set for, over TLS, and nowhere else.
import { ModelError } from './model-error.ts';

/** A key and the host it was given for (with the port, unless it is the default one). */
export type BoundKey = { value: string; host: string };

/** The base URL without a slash at its end. Throws a ModelError of kind auth when the key must not be sent there. */
export function checkEndpoint({ baseUrl, key }: { baseUrl: string; key: BoundKey | null }): string {
  const url = parseBaseUrl(baseUrl);
  if (key === null && !isLoopback(url)) throw new ModelError('auth', `${url.host} needs a key, and none is set.`);
  if (key !== null) checkKey(key, url);
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

/** Binds a key to the host of the base URL it is set for. */
export function bindKey(value: string, baseUrl: string): BoundKey {
  const key = { value, host: parseBaseUrl(baseUrl).host };
  checkEndpoint({ baseUrl, key });
  return key;
}

function parseBaseUrl(baseUrl: string): URL {
  const url = URL.parse(baseUrl);
  // It may hold a password: never repeat it.
  if (url === null) throw new ModelError('auth', 'The base URL is not a URL; it should look like https://host/v1.');
  if (url.username !== '' || url.password !== '') refuse(url, 'has a user or password in it; set the key instead');
  if (/[?#]/.test(baseUrl)) refuse(url, 'has a query or a fragment; leave it out');
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url))) return url;
  return refuse(url, 'must begin with https:// (http:// is only for this machine)');
}

function refuse({ host }: URL, reason: string): never {
  throw new ModelError('auth', `The base URL for ${host} ${reason}.`);
}

/** By the parsed name: the parser has already brought 127.1 and 0x7f000001 into this form. */
function isLoopback({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

function checkKey(key: BoundKey, { host }: URL): void {
  if (!/^[\x21-\x7e]+$/.test(key.value)) {
    throw new ModelError('auth', `The key for ${host} is empty or has a space or line break in it. Set it again.`);
  }
  if (key.host.toLowerCase() === host) return;
  throw new ModelError('auth', `The key was set for ${key.host} and is not sent to ${host}. Set it again for ${host}.`);
}
