// The open streams: what the bus tells is gathered for a moment, encoded once, and handed to all of them.
import type { StreamType } from '../../core/stream.ts';
import type { Bus, Told } from '../watch/bus.ts';

export type Wanted = {
  /** Null: all. */
  types: StreamType[] | null;
  /** What is about no project comes in any case. */
  project: string | null;
  /** The last that was heard: what came after it is told first. */
  lastId: string | null;
};

export type Streams = {
  /** Null when there are too many. */
  open: (wanted: Wanted) => ReadableStream<Uint8Array> | null;
  count: () => number;
  /** Ends each of them in order; whoever still may comes back by itself. */
  closeAll: () => void;
};

export type StreamsDeps = {
  bus: Bus;
  mostStreams?: number;
  /** Whoever reads so much more slowly than things happen is cut off, and told what it missed when it is back. */
  mostBuffered?: number;
  flushMs?: number;
  heartbeatMs?: number;
};

const MOST_STREAMS = 60;
const MOST_BUFFERED = 4 * 1024 * 1024;
/** Nobody sees the difference, and a hundred messages are one write for each. */
const FLUSH_MS = 60;
/** The runtime cuts a connection that was silent for ten seconds, and on a unix socket its types allow no other time. */
const HEARTBEAT_MS = 5000;
/** A browser comes back after this. */
const RETRY_MS = 1000;

type Client = { wanted: Wanted; controller: ReadableStreamDefaultController<Uint8Array> };

export function createStreams(deps: StreamsDeps): Streams {
  const { bus, mostStreams = MOST_STREAMS, mostBuffered = MOST_BUFFERED } = deps;
  const { flushMs = FLUSH_MS, heartbeatMs = HEARTBEAT_MS } = deps;
  const clients = new Set<Client>();
  let pending: Told[] = [];
  let flushTimer: Timer | null = null;
  let heartbeat: Timer | null = null;
  let unsubscribe: (() => void) | null = null;

  const gather = (told: Told) => {
    pending.push(told);
    flushTimer ??= setTimeout(flush, flushMs);
  };

  const flush = () => {
    if (flushTimer) clearTimeout(flushTimer);
    flushTimer = null;
    if (pending.length === 0) return;
    const encode = onceForAlike(pending);
    pending = [];
    for (const client of [...clients]) send(client, encode(client.wanted));
  };

  const send = (client: Client, bytes: Uint8Array) => {
    if (bytes.length === 0) return;
    client.controller.enqueue(bytes);
    if ((client.controller.desiredSize ?? 0) >= 0) return;
    // Not close(): that would wait until all of it is read. Without a reason, which the runtime would print.
    client.controller.error();
    leave(client);
  };

  const beat = () => {
    flush();
    // An id alone is no message, but is remembered: whoever wants few of them can come back as well.
    const bytes = encoder.encode(`: here\nid: ${bus.lastId()}\n\n`);
    for (const client of [...clients]) send(client, bytes);
  };

  const begin = () => {
    unsubscribe ??= bus.subscribe(gather);
    heartbeat ??= setInterval(beat, heartbeatMs);
    // What is pending is for those that were here before: it is part of what a new one is told first.
    flush();
  };

  const leave = (client: Client) => {
    if (!clients.delete(client) || clients.size > 0) return;
    if (heartbeat) clearInterval(heartbeat);
    if (flushTimer) clearTimeout(flushTimer);
    unsubscribe?.();
    [heartbeat, flushTimer, unsubscribe, pending] = [null, null, null, []];
  };

  return {
    open(wanted) {
      if (clients.size >= mostStreams) return null;
      begin();
      const first = encoder.encode(greet(bus, wanted));
      let client: Client | null = null;
      return new ReadableStream<Uint8Array>(
        {
          start(controller) {
            client = { wanted, controller };
            clients.add(client);
            controller.enqueue(first);
          },
          cancel: () => {
            if (client) leave(client);
          },
        },
        new ByteLengthQueuingStrategy({ highWaterMark: mostBuffered + first.length }),
      );
    },
    count: () => clients.size,
    closeAll() {
      flush();
      for (const client of [...clients]) {
        leave(client);
        client.controller.close();
      }
    },
  };
}

const encoder = new TextEncoder();

/** First where it stands, then what it missed. The id is the one it has heard, until it has heard more. */
function greet(bus: Bus, wanted: Wanted): string {
  const missed = wanted.lastId === null ? [] : bus.since(wanted.lastId);
  const id = wanted.lastId !== null && missed ? wanted.lastId : bus.lastId();
  const ready = `retry: ${RETRY_MS}\nid: ${id}\nevent: ready\ndata: ${JSON.stringify({ id })}\n\n`;
  if (missed)
    return (
      ready +
      missed
        .filter((told) => isWanted(told, wanted))
        .map(frame)
        .join('')
    );
  return `${ready}event: reset\ndata: ${JSON.stringify(LOST)}\n\n`;
}

const LOST = { reason: 'What came since then is not known any more.' };

/** Most want the same: that is framed and encoded once. */
function onceForAlike(messages: Told[]): (wanted: Wanted) => Uint8Array {
  const made = new Map<string, Uint8Array>();
  return (wanted) => {
    const key = JSON.stringify([wanted.types, wanted.project]);
    const known = made.get(key);
    if (known) return known;
    const chosen = messages.filter((told) => isWanted(told, wanted));
    const bytes = encoder.encode(chosen.map(frame).join(''));
    made.set(key, bytes);
    return bytes;
  };
}

/** Whoever must ask anew has to know, whatever it wants to hear of. */
const isWanted = ({ type, project }: Told, wanted: Wanted) =>
  type === 'reset' ||
  ((wanted.types?.includes(type) ?? true) &&
    (wanted.project === null || project === null || project === wanted.project));

const frame = ({ id, type, json }: Told) => `id: ${id}\nevent: ${type}\ndata: ${json}\n\n`;
