// The guard of the HTTP server: any page in a browser can try this port, so every request is judged before it is routed.
import { TrieRouter } from 'hono/router/trie-router';
import type { Access, Route } from './route.ts';

type GuardDeps = {
  port: number;
  /** Takes the same time whatever is wrong. */
  isToken: (said: string) => boolean;
  /** A file of the viewer: nothing in it is anybody's secret. */
  isStatic: (path: string) => boolean;
  accessOf: (method: string, path: string) => Access;
};

type Verdict =
  | { kind: 'refused'; refusal: Refusal }
  | { kind: 'static'; path: string }
  | { kind: 'passed'; path: string; isTrusted: boolean; maxBytes: number };

export type Guard = (head: Head) => Verdict;

const METHODS = ['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE'];

/** Where it comes from, then what it asks for, then who asks, then what it brings. */
export function createGuard(deps: GuardDeps): Guard {
  return (head) => {
    const { port, isStatic } = deps;
    if (!isOwnHost(head, port)) return refused(REFUSALS.host);
    if (!isOwnOrigin(head, port)) return refused(REFUSALS.origin);
    if (!METHODS.includes(head.method)) return refused(REFUSALS.method);
    const path = readPath(head.target);
    if (path === null) return refused(REFUSALS.target);
    const isRead = head.method === 'GET' || head.method === 'HEAD';
    if (!isRead || !isStatic(path)) return judgeCall(head, path, deps);
    const refusal = judgeBody(head, 0);
    return refusal ? refused(refusal) : { kind: 'static', path };
  };
}

function judgeCall(head: Head, path: string, { accessOf, isToken }: GuardDeps): Verdict {
  const access = accessOf(head.method, path);
  if (access === 'socket') return refused(REFUSALS.route);
  const isTrusted = isToken(readToken(head));
  if (!isTrusted && access !== 'anyone') return refused(REFUSALS.token);
  const maxBytes = maxBodyBytes(path, isTrusted);
  const refusal = judgeBody(head, maxBytes, isTrusted && isOfSession(path));
  return refusal ? refused(refusal) : { kind: 'passed', path, isTrusted, maxBytes };
}

function readToken(head: Head): string {
  const [said, ...more] = readHeader(head, 'authorization');
  return more.length === 0 ? (/^Bearer ([0-9a-f]{64})$/.exec(said ?? '')?.[1] ?? '') : '';
}

const refused = (refusal: Refusal): Verdict => ({ kind: 'refused', refusal });

// What is sent along: JSON by its own word, which no form of a web page can say, and not too much of it.

const JSON_TYPE = /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;
/** What `fetch` says of a text. A form can say it, too, but has no token: it is heard from editors that report a session. */
const PLAIN_TYPE = /^text\/plain\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;
const ALWAYS_JSON = ['POST', 'PATCH', 'PUT'];

const MEGABYTE = 1024 * 1024;
/** A one-time code and no more: whoever sends it has shown nothing yet. */
const UNKNOWN_CALLER_BYTES = 4096;
/** What tools put out is long: as much as a hook takes, and cut as there (route.ts). */
const SESSION_BYTES = 16 * MEGABYTE;

function judgeBody(head: Head, maxBytes: number, mayBePlain = false): Refusal | null {
  const length = Number(readHeader(head, 'content-length')[0] ?? 0);
  const hasBody = length > 0 || readHeader(head, 'transfer-encoding').length > 0;
  const mayHaveBody = head.method === 'DELETE' || ALWAYS_JSON.includes(head.method);
  if (!mayHaveBody) return hasBody ? REFUSALS.body : null;
  if ((hasBody || head.method !== 'DELETE') && !isJson(head, mayBePlain)) return REFUSALS.type;
  return length > maxBytes ? REFUSALS.size : null;
}

function isJson(head: Head, mayBePlain: boolean): boolean {
  const [type = '', ...more] = readHeader(head, 'content-type');
  return (
    more.length === 0 &&
    (JSON_TYPE.test(type) || (mayBePlain && PLAIN_TYPE.test(type))) &&
    readHeader(head, 'content-encoding').length === 0
  );
}

function maxBodyBytes(path: string, isTrusted: boolean): number {
  if (!isTrusted) return UNKNOWN_CALLER_BYTES;
  return isOfSession(path) ? SESSION_BYTES : MEGABYTE;
}

const isOfSession = (path: string) => /^(\/api)?\/sessions\//.test(path);

// The head of a request as it was sent: nothing joined, decoded or put right before it is judged.

type Head = {
  method: string;
  /** What stands after the method, unchanged. */
  target: string;
  /** Name, value, name, value, as they came. */
  rawHeaders: readonly string[];
};

/** Every value that was sent under a name. Two of one name are one too many for all that the guard looks at. */
function readHeader({ rawHeaders }: Head, name: string): string[] {
  const values: string[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.toLowerCase() === name) values.push(rawHeaders[at + 1] ?? '');
  }
  return values;
}

// Which page a request comes from: a browser says so, and only our own pages are served.

/** Browsers write both in lower case; a name that only resolves to us (DNS rebinding) is another name. */
const NAMES = ['127.0.0.1', 'localhost'];

/** The exact bytes, once. Upper case, a missing port, a closing dot: whoever writes these is no browser that we opened. */
function isOwnHost(head: Head, port: number): boolean {
  const [host, ...more] = readHeader(head, 'host');
  return more.length === 0 && NAMES.some((name) => host === `${name}:${port}`);
}

/** Programs send neither header. A link typed or opened from a terminal is `none`. */
function isOwnOrigin(head: Head, port: number): boolean {
  const origins = readHeader(head, 'origin');
  const sites = readHeader(head, 'sec-fetch-site');
  const isOwn = (origin: string) => NAMES.some((name) => origin === `http://${name}:${port}`);
  const isOwnSite = (site: string) => site === 'same-origin' || site === 'none';
  return origins.length <= 1 && origins.every(isOwn) && sites.length <= 1 && sites.every(isOwnSite);
}

// The path that a request asks for, if it is written plainly.

const MAX_LENGTH = 8192;
/** Visible ASCII without backslash and fragment. */
const PLAIN = /^\/[!"$-[\]-~]*$/;
/** What would be another path after decoding: a slash, a backslash, a control character. */
const HIDDEN = /%(2f|5c|[01][0-9a-f]|7f)/i;

/** Decoded, as routes are matched; null when two readers could read it in two ways. */
function readPath(target: string): string | null {
  if (target.length > MAX_LENGTH || !PLAIN.test(target)) return null;
  const [raw = ''] = target.split('?', 1);
  if (raw.includes('//') || HIDDEN.test(raw)) return null;
  const path = decode(raw);
  if (path === null || path.split('/').some((part) => part === '.' || part === '..')) return null;
  return path;
}

function decode(raw: string): string | null {
  try {
    return decodeURIComponent(raw);
  } catch {
    // Not percent-encoded UTF-8: nobody can say what is meant.
    return null;
  }
}

// What is said to whoever is turned away: the same words for every route.

export type Refusal = { status: number; error: string; hint: string };

const refuse = (status: number, error: string, hint: string): Refusal => ({ status, error, hint });

export const REFUSALS = {
  target: refuse(400, 'The address cannot be read.', 'Ask for a plain path, like /api/search?query=words.'),
  request: refuse(400, 'The request cannot be read.', 'Send plain HTTP/1.1.'),
  body: refuse(400, 'A GET request has no body.', 'Send it as parameters, or with POST.'),
  token: refuse(401, 'The token is missing or wrong.', 'Run `claude-mem viewer` for a link, or `claude-mem token`.'),
  host: refuse(403, 'This host name is not served.', 'Ask for 127.0.0.1 or localhost, with the port.'),
  origin: refuse(403, 'Other web pages are not served.', 'Open the viewer itself: `claude-mem viewer`.'),
  route: refuse(404, 'There is no such route.', 'docs/api.md lists them.'),
  method: refuse(405, 'This method is not known.', 'Use GET, HEAD, POST, PATCH, PUT or DELETE.'),
  slow: refuse(408, 'The request took too long.', 'Send it at once.'),
  size: refuse(413, 'The body is too large.', 'Send less at a time.'),
  type: refuse(415, 'The body must be JSON.', 'Say so: Content-Type: application/json.'),
  headers: refuse(431, 'The headers are too large.', 'Send fewer and shorter ones.'),
  failed: refuse(500, 'The worker failed to answer.', 'See `claude-mem logs`.'),
  busy: refuse(503, 'Too many connections are open.', 'Close some tabs, or try again.'),
} as const;

export const sayRefusal = ({ error, hint }: Refusal) => JSON.stringify({ error, hint });

// Who may call what stands under a path, by what the routes say of themselves.

type Said = Pick<Route, 'method' | 'path' | 'access'>;

/** The strictest of all routes that match, as the app matches them. What no route says is not open either: it may still be served. */
export function createAccess(routes: readonly Said[]): (method: string, path: string) => Access {
  const router = new TrieRouter<Access>();
  for (const { method, path, access = 'token' } of routes) router.add(method, path, access);
  return (method, path) => {
    // Hono answers HEAD with the route of GET.
    const [found] = router.match(method === 'HEAD' ? 'GET' : method, path);
    const allowed = found.map(([access]) => access);
    if (allowed.includes('socket')) return 'socket';
    return allowed.length > 0 && allowed.every((access) => access === 'anyone') ? 'anyone' : 'token';
  };
}
