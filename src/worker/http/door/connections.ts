// The connections of the web door: so many at once, each with a clock of its own. Who has not said all gives way to who comes.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { REFUSALS, type Refusal } from './refusal.ts';
import { rawRefusal } from './web-message.ts';

export type Connections = {
  count: () => number;
  /** A head is there; what is left of the request has its own time. */
  begin: (incoming: IncomingMessage, outgoing: ServerResponse) => void;
  /** The whole request is there: from now on it waits for us. */
  receive: (incoming: IncomingMessage) => void;
  dropAll: () => void;
};

export type ConnectionLimits = {
  connections: number;
  headMs: number;
  /** The whole request, head and body. */
  requestMs: number;
  keepAliveMs: number;
};

/** `silent`: not even a head came. `sending`: its body comes. `asking`: it waits for our answer. */
type Connection = { state: 'silent' | 'sending' | 'asking'; timer: Timer };

export function keepConnections(server: Server, limits: ConnectionLimits): Connections {
  /** The oldest first. */
  const open = new Map<Duplex, Connection>();

  const enter = (socket: Duplex, connection: Connection) => {
    const before = open.get(socket);
    if (before) clearTimeout(before.timer);
    open.delete(socket);
    open.set(socket, connection);
  };
  const leave = (socket: Duplex) => {
    clearTimeout(open.get(socket)?.timer);
    open.delete(socket);
  };
  const turnAway = (socket: Duplex, refusal: Refusal) => {
    leave(socket);
    sayRefused(socket, refusal);
  };
  const within = (socket: Duplex, ms: number) => setTimeout(() => turnAway(socket, REFUSALS.slow), ms);
  const findOldest = (state: Connection['state']) => [...open].find(([, one]) => one.state === state)?.[0];

  server.on('connection', (socket: Duplex) => {
    socket.once('close', () => leave(socket));
    if (open.size >= limits.connections) {
      const oldest = findOldest('silent') ?? findOldest('sending');
      turnAway(oldest ?? socket, REFUSALS.busy);
      if (!oldest) return;
    }
    enter(socket, { state: 'silent', timer: within(socket, limits.headMs) });
  });

  const receive = ({ socket }: IncomingMessage) => {
    const connection = open.get(socket);
    if (!connection) return;
    clearTimeout(connection.timer);
    connection.state = 'asking';
  };

  return {
    count: () => open.size,
    begin(incoming, outgoing) {
      const { socket } = incoming;
      if (!open.has(socket)) return;
      if (hasBody(incoming)) enter(socket, { state: 'sending', timer: within(socket, limits.requestMs) });
      else receive(incoming);
      outgoing.once('finish', () => {
        if (open.has(socket))
          enter(socket, { state: 'silent', timer: setTimeout(() => socket.destroy(), limits.keepAliveMs) });
      });
    },
    receive,
    dropAll: () => {
      for (const socket of open.keys()) socket.destroy();
    },
  };
}

const hasBody = ({ headers }: IncomingMessage) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** A caller that goes on sending does not hear it, and is not waited for. */
const HEAR_MS = 1000;

/** For what never became a request. */
export function sayRefused(socket: Duplex, refusal: Refusal): void {
  if (!socket.writable) return void socket.destroy();
  socket.end(rawRefusal(refusal));
  const timer = setTimeout(() => socket.destroy(), HEAR_MS);
  socket.once('close', () => clearTimeout(timer));
}
