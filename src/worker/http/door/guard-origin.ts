// Which page a request comes from: a browser says so, and only our own pages are served.
import { type Head, readHeader } from './guard-head.ts';

/** Browsers write both in lower case; a name that only resolves to us (DNS rebinding) is another name. */
const NAMES = ['127.0.0.1', 'localhost'];

/** The exact bytes, once. Upper case, a missing port, a closing dot: whoever writes these is no browser that we opened. */
export function isOwnHost(head: Head, port: number): boolean {
  const [host, ...more] = readHeader(head, 'host');
  return more.length === 0 && NAMES.some((name) => host === `${name}:${port}`);
}

/** Programs send neither header. A link typed or opened from a terminal is `none`. */
export function isOwnOrigin(head: Head, port: number): boolean {
  const origins = readHeader(head, 'origin');
  const sites = readHeader(head, 'sec-fetch-site');
  const isOwn = (origin: string) => NAMES.some((name) => origin === `http://${name}:${port}`);
  const isOwnSite = (site: string) => site === 'same-origin' || site === 'none';
  return origins.length <= 1 && origins.every(isOwn) && sites.length <= 1 && sites.every(isOwnSite);
}
