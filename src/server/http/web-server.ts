// The HTTP server on the port of this machine: for the viewer, and for other programs that have the token. So many connections at once,
// each with a clock of its own; whoever has not said all gives way to who comes.
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Log } from '../../log.ts';
import type { Api } from './api.ts';
import { createAccess, createGuard, type Guard, REFUSALS, type Refusal, sayRefusal } from './guard.ts';
import type { StaticFiles } from './static-files.ts';
import { LOOPBACK, portsFrom, type Token } from './token.ts';

export type WebServer = {
  /** `http://127.0.0.1:37777`; null when there is none. */
  address: string | null;
  connections: () => number;
  close: () => Promise<void>;
};

type WebServerDeps = {
  /** Where to begin; 0: there is none. */
  port: number;
  api: Api;
  token: Pick<Token, 'isRight' | 'onRotate'>;
  staticFiles: StaticFiles;
  log: Log;
  limits?: Partial<Limits>;
};

const MAX_HEAD_BYTES = 16_384;
/** `requestMs`: the whole request, head and body. `stallMs`: how long a caller may leave an answer unread. */
const LIMITS = { connections: 100, headMs: 5000, requestMs: 30_000, keepAliveMs: 5000, stallMs: 30_000 };
type Limits = typeof LIMITS;

export async function openWebServer(deps: WebServerDeps): Promise<WebServer> {
  const limits = { ...LIMITS, ...deps.limits };
  const server = deps.port === 0 ? null : await listen(deps.port);
  if (!server) {
    if (deps.port !== 0) deps.log.warn('no port is free: there is no viewer', { from: deps.port });
    return { address: null, connections: () => 0, close: async () => undefined };
  }
  const { port } = server.address() as AddressInfo;
  const connections = keepConnections(server, limits);
  deps.token.onRotate(connections.dropAll);
  server.on('clientError', (error: Error & { code?: string }, socket) =>
    sayRefused(socket, error.code === 'HPE_HEADER_OVERFLOW' ? REFUSALS.headers : REFUSALS.request),
  );
  server.on('upgrade', (_request, socket) => sayRefused(socket, REFUSALS.request));
  server.on('connect', (_request, socket) => sayRefused(socket, REFUSALS.method));
  answerRequests(server, { ...deps, port, limits, connections });
  deps.log.info('the viewer can be opened', { port });
  return {
    address: `http://${LOOPBACK}:${port}`,
    connections: connections.count,
    close: () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      connections.dropAll();
      server.closeAllConnections();
      return closed;
    },
  };
}

async function listen(first: number): Promise<Server | null> {
  for (const port of portsFrom(first)) {
    const server = createServer({
      maxHeaderSize: MAX_HEAD_BYTES,
      // Each connection has a timer of its own: a sweep comes too late for whoever waits behind a hundred silent ones.
      headersTimeout: 0,
      requestTimeout: 0,
      keepAliveTimeout: 0,
      // The guard says what is wrong, in its own words.
      requireHostHeader: false,
    });
    const isOpen = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(port, LOOPBACK, () => resolve(true));
    });
    if (isOpen) return server;
  }
  return null;
}

type AnswerDeps = WebServerDeps & { port: number; limits: Limits; connections: Connections };

function answerRequests(server: Server, deps: AnswerDeps): void {
  const { port, token, staticFiles, limits, log, api, connections } = deps;
  const takeTurn = createTurns();
  const guard = createGuard({ port, isToken: token.isRight, isStatic: staticFiles.isKnown, accessOf: createAccess(api.routes) });
  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const aborter = new AbortController();
    outgoing.once('close', () => aborter.abort());
    await takeTurn();
    const response = await answerSafely(deps, { guard, incoming, outgoing, signal: aborter.signal });
    await sendResponse(response, outgoing, limits.stallMs);
  };
  const onRequest = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    // Whoever sends the next before this one is answered would have us keep every answer.
    if (!connections.begin(incoming, outgoing)) return void incoming.socket.destroy();
    answer(incoming, outgoing).catch((error) => {
      log.debug('an answer broke off', { error: String(error) });
      outgoing.destroy();
    });
  };
  server.on('request', onRequest);
  // The body is asked for only when the guard has let its head pass; what else might be expected, it decides like of any other.
  server.on('checkContinue', onRequest);
  server.on('checkExpectation', onRequest);
}

type Exchange = { guard: Guard; incoming: IncomingMessage; outgoing: ServerResponse; signal: AbortSignal };

async function answerSafely(deps: AnswerDeps, exchange: Exchange): Promise<Response> {
  try {
    return await answerOne(deps, exchange);
  } catch (error) {
    if (exchange.signal.aborted || isHangUp(error)) {
      deps.log.debug('a caller hung up', { error: String(error) });
      return refusalResponse(REFUSALS.request);
    }
    deps.log.error('a request could not be answered', { error: error instanceof Error ? error.stack : String(error) });
    return refusalResponse(REFUSALS.failed);
  }
}

const isHangUp = (error: unknown) =>
  error instanceof Error && (error.message === 'aborted' || ('code' in error && error.code === 'ECONNRESET'));

async function answerOne({ api, staticFiles, port, connections }: AnswerDeps, { guard, incoming, outgoing, signal }: Exchange) {
  const { method = '', url: target = '', rawHeaders, headers } = incoming;
  const verdict = guard({ method, target, rawHeaders });
  if (verdict.kind === 'refused') return refusalResponse(verdict.refusal);
  if (verdict.kind === 'static')
    return staticFiles.answer(verdict.path, { acceptsGzip: /\bgzip\b/.test(String(headers['accept-encoding'] ?? '')) });
  if (headers.expect?.toLowerCase() === '100-continue') outgoing.writeContinue();
  const body = await readBytes(incoming, verdict.maxBytes);
  if (body === null) return refusalResponse(REFUSALS.size);
  connections.receive(incoming);
  return api.app.fetch(makeRequest({ incoming, port, body, signal }), { isTrusted: verdict.isTrusted });
}

/** One request in a turn of the event loop: sockets that are always ready would keep hooks from being heard. */
function createTurns(): () => Promise<void> {
  let last = Promise.resolve();
  return () => {
    last = last.then(() => new Promise((resolve) => setTimeout(resolve, 1)));
    return last;
  };
}

/** `silent`: not even a head came. `sending`: its body comes. `asking`: it waits for our answer. */
type Connection = { state: 'silent' | 'sending' | 'asking'; timer: Timer };
type Connections = ReturnType<typeof keepConnections>;

function keepConnections(server: Server, limits: Limits) {
  /** The oldest first. */
  const open = new Map<Duplex, Connection>();
  const leave = (socket: Duplex) => {
    clearTimeout(open.get(socket)?.timer);
    open.delete(socket);
  };
  const enter = (socket: Duplex, state: Connection['state'], ms: number, onLate = () => turnAway(socket, REFUSALS.slow)) => {
    leave(socket);
    open.set(socket, { state, timer: setTimeout(onLate, ms) });
  };
  const turnAway = (socket: Duplex, refusal: Refusal) => {
    leave(socket);
    sayRefused(socket, refusal);
  };
  const findOldest = (state: Connection['state']) => [...open].find(([, one]) => one.state === state)?.[0];

  server.on('connection', (socket: Duplex) => {
    socket.once('close', () => leave(socket));
    if (open.size >= limits.connections) {
      const oldest = findOldest('silent') ?? findOldest('sending');
      turnAway(oldest ?? socket, REFUSALS.busy);
      if (!oldest) return;
    }
    enter(socket, 'silent', limits.headMs);
  });

  /** The whole request is there: from now on it waits for us. */
  const receive = ({ socket }: IncomingMessage) => {
    const connection = open.get(socket);
    if (!connection) return;
    clearTimeout(connection.timer);
    connection.state = 'asking';
  };
  return {
    count: () => open.size,
    receive,
    /** A head is there; what is left of the request has its own time. False while the one before is not answered. */
    begin(incoming: IncomingMessage, outgoing: ServerResponse): boolean {
      const { socket, headers } = incoming;
      if (open.get(socket)?.state !== 'silent') return false;
      const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
      if (hasBody) enter(socket, 'sending', limits.requestMs);
      else receive(incoming);
      outgoing.once('finish', () => {
        if (open.has(socket)) enter(socket, 'silent', limits.keepAliveMs, () => socket.destroy());
      });
      return true;
    },
    dropAll: () => {
      for (const socket of open.keys()) socket.destroy();
    },
  };
}

/** A caller that goes on sending does not hear it, and is not waited for. */
const HEAR_MS = 1000;

/** For what never became a request. */
function sayRefused(socket: Duplex, refusal: Refusal): void {
  if (!socket.writable) return void socket.destroy();
  socket.end(rawRefusal(refusal));
  const timer = setTimeout(() => socket.destroy(), HEAR_MS);
  socket.once('close', () => clearTimeout(timer));
}

/** Null when it is larger. Rejects when the caller hangs up. */
async function readBytes(incoming: IncomingMessage, maxBytes: number): Promise<Uint8Array<ArrayBuffer> | null> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of incoming) {
    size += chunk.length;
    if (size > maxBytes) return null;
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}

type Asked = { incoming: IncomingMessage; port: number; body: Uint8Array<ArrayBuffer>; signal: AbortSignal };

/** The guard has seen that host and target are plain. */
function makeRequest({ incoming, port, body, signal }: Asked): Request {
  const { method = 'GET', url, rawHeaders } = incoming;
  const headers = rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [[name, rawHeaders[at + 1] ?? ''] as [string, string]] : []));
  return new Request(`http://${LOOPBACK}:${port}${url}`, { method, headers, signal, ...(body.length > 0 ? { body } : {}) });
}

const refusalResponse = (refusal: Refusal) =>
  new Response(sayRefusal(refusal), {
    status: refusal.status,
    headers: { 'Content-Type': 'application/json', Connection: 'close' },
  });

/** A caller that does not read is let go after `stallMs`: what waits for it is held in our memory. */
async function sendResponse(response: Response, outgoing: ServerResponse, stallMs: number): Promise<void> {
  for (const [name, value] of response.headers) {
    if (!name.startsWith('access-control-')) outgoing.setHeader(name, value);
  }
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) outgoing.setHeader(name, value);
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  await (isStream ? sendStream : sendWhole)(response, outgoing, stallMs);
  outgoing.end();
}

async function sendWhole(response: Response, outgoing: ServerResponse, stallMs: number): Promise<void> {
  const bytes = new Uint8Array(await response.arrayBuffer());
  outgoing.statusCode = response.status;
  // Of a HEAD without a body it is not known.
  if (bytes.length === 0) return;
  outgoing.setHeader('Content-Length', bytes.length);
  if (!outgoing.write(bytes)) await waitForDrain(outgoing, stallMs);
}

async function sendStream(response: Response, outgoing: ServerResponse, stallMs: number): Promise<void> {
  outgoing.writeHead(response.status);
  // The page learns that it is connected, even if nothing happens for a while.
  outgoing.flushHeaders();
  const reader = response.body?.getReader();
  const stop = () => void reader?.cancel().catch(() => undefined);
  outgoing.once('close', stop);
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    if (done || outgoing.destroyed) break;
    if (!outgoing.write(value)) await waitForDrain(outgoing, stallMs);
  }
  outgoing.off('close', stop);
  stop();
}

function waitForDrain(outgoing: ServerResponse, stallMs: number): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      outgoing.off('drain', done).off('close', done);
      resolve();
    };
    const timer = setTimeout(() => outgoing.destroy(), stallMs);
    outgoing.once('drain', done).once('close', done);
  });
}

/** For what never became a request. */
function rawRefusal(refusal: Refusal): string {
  const body = sayRefusal(refusal);
  const headers = {
    ...SECURITY_HEADERS,
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(body)),
    Connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}`, ...lines, '', body].join('\r\n');
}

// The headers of everything that the HTTP server sends, also of errors. There is none that lets another page read it.

const POLICY = [
  "default-src 'none'",
  ...['script', 'style', 'img', 'font', 'connect', 'manifest'].map((kind) => `${kind}-src 'self'`),
  ...['base-uri', 'form-action', 'frame-ancestors'].map((what) => `${what} 'none'`),
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
];

/** Nothing is kept by the browser: what was forgotten must not live on in its cache. */
const SECURITY_HEADERS: Record<string, string> = {
  'Content-Security-Policy': POLICY.join('; '),
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'X-Frame-Options': 'DENY',
  'Permissions-Policy': 'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()',
};
