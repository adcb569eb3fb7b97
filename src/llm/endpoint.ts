// Where a key may be sent: to the host it was set for, over TLS, and nowhere else.
import { isLoopback, readBaseUrl } from '../core/base-url.ts';
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
  const read = readBaseUrl(baseUrl);
  if (read.kind === 'good') return read.url;
  const whose = read.url?.host ? ` for ${read.url.host}` : '';
  throw new ModelError('auth', `The base URL${whose} ${read.reason}.`);
}

function checkKey(key: BoundKey, { host }: URL): void {
  if (!/^[\x21-\x7e]+$/.test(key.value)) {
    throw new ModelError('auth', `The key for ${host} is empty or has a space or line break in it. Set it again.`);
  }
  if (key.host.toLowerCase() === host) return;
  throw new ModelError('auth', `The key was set for ${key.host} and is not sent to ${host}. Set it again for ${host}.`);
}
