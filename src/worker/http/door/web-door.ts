// The web door: HTTP on this machine's loopback alone, for the viewer and for programs that have the token.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Log } from '../../../log.ts';
import type { Api } from '../route.ts';
import { type ConnectionLimits, type Connections, keepConnections, sayRefused } from './connections.ts';
import { createGuard, type Guard, type Verdict } from './guard.ts';
import { REFUSALS, type Refusal } from './refusal.ts';
import { createAccess } from './route-access.ts';
import type { StaticFiles } from './static-files.ts';
import type { Token } from './token.ts';
import { makeRequest, readBytes, refusalResponse, sendResponse } from './web-message.ts';

export type WebDoor = {
  /** `http://127.0.0.1:37777`; null when there is none. */
  address: () => string | null;
  connections: () => number;
  close: () => Promise<void>;
};

export type Limits = ConnectionLimits & {
  /** How long a caller may leave an answer unread. */
  stallMs: number;
};

export type WebDoorDeps = {
  /** Where to begin; 0: no web door. */
  port: number;
  /** Asked for when the first call comes. */
  api: () => Promise<Api>;
  token: Pick<Token, 'isRight' | 'onRotate'>;
  staticFiles: StaticFiles;
  log: Log;
  limits?: Partial<Limits>;
};

/** No setting can change this: what is kept here is for this machine alone. */
const LOOPBACK = '127.0.0.1';
const MOST_TRIES = 50;
const MAX_HEAD_BYTES = 16_384;

const LIMITS: Limits = {
  connections: 100,
  headMs: 5000,
  requestMs: 30_000,
  keepAliveMs: 5000,
  stallMs: 30_000,
};

export async function openWebDoor(deps: WebDoorDeps): Promise<WebDoor> {
  const limits = { ...LIMITS, ...deps.limits };
  const opened = deps.port === 0 ? null : await listen(deps.port);
  if (!opened) {
    if (deps.port !== 0) deps.log.warn('no port is free: there is no web door', { from: deps.port });
    return { address: () => null, connections: () => 0, close: async () => undefined };
  }
  const { server, port } = opened;
  const connections = keepConnections(server, limits);
  deps.token.onRotate(connections.dropAll);
  refuseMalformed(server);
  answerRequests(server, { ...deps, port, limits, connections });
  deps.log.info('the web door is open', { port });
  return {
    address: () => `http://${LOOPBACK}:${port}`,
    connections: connections.count,
    close: () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      connections.dropAll();
      server.closeAllConnections();
      return closed;
    },
  };
}

async function listen(first: number): Promise<{ server: Server; port: number } | null> {
  for (let port = first; port < first + MOST_TRIES && port < 65_536; port += 1) {
    const server = await tryListen(port);
    if (server) return { server, port: (server.address() as AddressInfo).port };
  }
  return null;
}

function tryListen(port: number): Promise<Server | null> {
  const server = createServer({
    maxHeaderSize: MAX_HEAD_BYTES,
    // Each connection has a timer of its own: a sweep comes too late for whoever waits behind a hundred silent ones.
    headersTimeout: 0,
    requestTimeout: 0,
    keepAliveTimeout: 0,
    // The guard says what is wrong, in its own words.
    requireHostHeader: false,
  });
  return new Promise((resolve) => {
    server.once('error', () => resolve(null));
    server.listen(port, LOOPBACK, () => resolve(server));
  });
}

function refuseMalformed(server: Server): void {
  server.on('clientError', (error: Error & { code?: string }, socket) => sayRefused(socket, refusalOf(error.code)));
  server.on('upgrade', (_request, socket) => sayRefused(socket, REFUSALS.request));
  server.on('connect', (_request, socket) => sayRefused(socket, REFUSALS.method));
}

function refusalOf(code: string | undefined): Refusal {
  return code === 'HPE_HEADER_OVERFLOW' ? REFUSALS.headers : REFUSALS.request;
}

type AnswerDeps = WebDoorDeps & { port: number; limits: Limits; connections: Connections };

function answerRequests(server: Server, deps: AnswerDeps): void {
  const { port, token, staticFiles, limits, log } = deps;
  let accessOf: ReturnType<typeof createAccess> | null = null;
  const takeTurn = createTurns();
  const guard = createGuard({
    port,
    isToken: token.isRight,
    isStatic: staticFiles.isKnown,
    accessOf: async (method, path) => {
      accessOf ??= createAccess((await deps.api()).routes);
      return accessOf(method, path);
    },
  });
  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const aborter = new AbortController();
    outgoing.once('close', () => aborter.abort());
    await takeTurn();
    const response = await answerSafely(deps, { guard, incoming, outgoing, signal: aborter.signal });
    await sendResponse(response, outgoing, limits.stallMs);
  };
  const busy = new WeakSet<object>();
  const onRequest = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const { socket } = incoming;
    // Whoever sends the next before this one is answered would have us keep every answer.
    if (busy.has(socket)) return void socket.destroy();
    busy.add(socket);
    deps.connections.begin(incoming, outgoing);
    const free = () => busy.delete(socket);
    outgoing.once('finish', free).once('close', free);
    answer(incoming, outgoing).catch((error) => {
      log.debug('an answer of the web door broke off', { error: String(error) });
      outgoing.destroy();
    });
  };
  server.on('request', onRequest);
  // The body is asked for only when the guard has let its head pass.
  server.on('checkContinue', onRequest);
  // What else might be expected: the guard decides, like of any other.
  server.on('checkExpectation', onRequest);
}

const isHangUp = (error: unknown) =>
  error instanceof Error && (error.message === 'aborted' || ('code' in error && error.code === 'ECONNRESET'));

type Exchange = { guard: Guard; incoming: IncomingMessage; outgoing: ServerResponse; signal: AbortSignal };

async function answerSafely(deps: AnswerDeps, exchange: Exchange): Promise<Response> {
  const { method = '', url = '', rawHeaders } = exchange.incoming;
  try {
    const verdict = await exchange.guard({ method, target: url, rawHeaders });
    return await answerVerdict(deps, verdict, exchange);
  } catch (error) {
    if (exchange.signal.aborted || isHangUp(error)) {
      deps.log.debug('a caller hung up', { error: String(error) });
      return refusalResponse(REFUSALS.request);
    }
    deps.log.error('the web door failed to answer', { error: error instanceof Error ? error.stack : String(error) });
    return refusalResponse(REFUSALS.failed);
  }
}

async function answerVerdict(
  { api, staticFiles, port, connections }: AnswerDeps,
  verdict: Verdict,
  exchange: Exchange,
) {
  const { incoming, outgoing, signal } = exchange;
  if (verdict.kind === 'refused') return refusalResponse(verdict.refusal);
  if (verdict.kind === 'static') {
    const acceptsGzip = /\bgzip\b/.test(String(incoming.headers['accept-encoding'] ?? ''));
    return staticFiles.answer(verdict.path, { acceptsGzip });
  }
  if (incoming.headers.expect?.toLowerCase() === '100-continue') outgoing.writeContinue();
  const body = await readBytes(incoming, verdict.maxBytes);
  if (body === null) return refusalResponse(REFUSALS.size);
  connections.receive(incoming);
  const { app } = await api();
  return app.fetch(makeRequest({ incoming, port, body, signal }), { door: 'web', isTrusted: verdict.isTrusted });
}

/** One request in a turn of the event loop: sockets that are always ready would keep hooks from being heard. */
function createTurns(): () => Promise<void> {
  let last = Promise.resolve();
  return () => {
    last = last.then(() => new Promise((resolve) => setTimeout(resolve, 1)));
    return last;
  };
}
