// What the web door says to whoever it turns away: the same words for every route.

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
