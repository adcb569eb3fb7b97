// What happens, sent to every open stream, and kept for a moment for whoever was cut off: gathered, encoded once, handed to all of them.
import type { StreamMessage, StreamType } from '../core/shapes/stream.ts';

type Wanted = {
  types: StreamType[] | null;
  /** What is about no project comes in any case. */
  project: string | null;
  /** The last that was heard: what came after it is sent first. */
  lastId: string | null;
};

/** A message as it was published: `about` is the memory that it is of, `project` null when it is about none or several. */
type Sent = { id: string; type: StreamType; project: string | null; about: string | null; json: string };
type Client = { wanted: Wanted; controller: ReadableStreamDefaultController<Uint8Array> };

const LIMITS = {
  streams: 60,
  /** Whoever reads so much more slowly than things happen is cut off, and sent what it missed when it is back. */
  bufferedBytes: 4 * 1024 * 1024,
  kept: 10_000,
  keptBytes: 8 * 1024 * 1024,
  /** A page that is loaded again, or a connection that broke, is back within this. */
  graceMs: 2 * 60_000,
  /** Nobody sees the difference, and a hundred messages are one write for each. */
  flushMs: 60,
  /** The runtime cuts a connection that was silent for ten seconds, and on a unix socket its types allow no other time. */
  heartbeatMs: 5000,
};
/** Let go of together: to move what is kept with each message would cost. */
const SLACK = 1.1;
/** A browser comes back after this. */
const RETRY_MS = 1000;

export class Stream {
  readonly #limits: typeof LIMITS;
  readonly #start: string;
  readonly #clients = new Set<Client>();
  readonly #watches: { begin: () => void; end: () => void }[] = [];
  /** Those with the numbers up to `last`, without a gap; of these so many were not sent yet. */
  #kept: Sent[] = [];
  #bytes = 0;
  #last = 0;
  #pending = 0;
  #flushTimer: Timer | null = null;
  #heartbeat: Timer | null = null;
  #grace: Timer | null = null;

  constructor({ clock, limits }: { clock: () => number; limits?: Partial<typeof LIMITS> }) {
    this.#limits = { ...LIMITS, ...limits };
    this.#start = clock().toString(36);
  }

  /** Somebody listens, or did a moment ago and may come back. Only then is it worth to make a message. */
  isWatched = () => this.#clients.size > 0 || this.#grace !== null;

  /** To be called before anybody listens. */
  onWatched = (watch: { begin: () => void; end: () => void }) => this.#watches.push(watch);

  count = () => this.#clients.size;

  /** Nothing happens when nobody watches. */
  publish({ type, data }: StreamMessage): void {
    if (!this.isWatched()) return;
    const { kept, keptBytes, flushMs } = this.#limits;
    const project = 'project' in data ? data.project : null;
    const about = 'kind' in data && 'title' in data ? data.id : null;
    const json = JSON.stringify(data);
    this.#last++;
    this.#kept.push({ id: this.#lastId(), type, project, about, json });
    this.#bytes += json.length;
    if (this.#clients.size > 0) {
      this.#pending++;
      this.#flushTimer ??= setTimeout(this.#flush, flushMs);
    }
    if (this.#kept.length <= kept * SLACK && this.#bytes <= keptBytes * SLACK) return;
    this.#flush();
    while (this.#kept.length > kept || this.#bytes > keptBytes) this.#bytes -= this.#kept.shift()?.json.length ?? this.#bytes;
  }

  open(wanted: Wanted): ReadableStream<Uint8Array> | null {
    if (this.#clients.size >= this.#limits.streams) return null;
    this.#enter();
    const first = encode(this.#greet(wanted));
    let client: Client | null = null;
    return new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          client = { wanted, controller };
          this.#clients.add(client);
          controller.enqueue(first);
        },
        cancel: () => {
          if (client) this.#leave(client);
        },
      },
      new ByteLengthQueuingStrategy({ highWaterMark: this.#limits.bufferedBytes + first.length }),
    );
  }

  /** What was sent is not sent again: something in it was forgotten. An id of before says nothing about what came since. */
  forget(): void {
    this.#flush();
    this.#last++;
    [this.#kept, this.#bytes] = [[], 0];
  }

  /** What was sent of these memories is not sent again, only that they are gone. */
  drop(ids: ReadonlySet<string>): void {
    const removed = (id: string) => ({ type: 'removed' as const, about: null, json: JSON.stringify({ ids: [id] }) });
    this.#kept = this.#kept.map((sent) => (sent.about !== null && ids.has(sent.about) ? { ...sent, ...removed(sent.about) } : sent));
  }

  /** Ends each of them in order; whoever still may comes back by itself. */
  close(): void {
    this.#flush();
    for (const client of [...this.#clients]) {
      this.#leave(client);
      client.controller.close();
    }
    if (this.#grace) clearTimeout(this.#grace);
    this.#grace = null;
  }

  #lastId = () => `${this.#start}-${this.#last}`;

  #flush = () => {
    if (this.#flushTimer) clearTimeout(this.#flushTimer);
    this.#flushTimer = null;
    const messages = this.#pending > 0 ? this.#kept.slice(-this.#pending) : [];
    this.#pending = 0;
    const made = new Map<string, Uint8Array>();
    for (const client of [...this.#clients]) {
      const { types, project } = client.wanted;
      // Most want the same: that is framed and encoded once.
      const key = JSON.stringify([types, project]);
      const bytes = made.get(key) ?? encode(frame(messages, client.wanted));
      made.set(key, bytes);
      this.#send(client, bytes);
    }
  };

  #send(client: Client, bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    client.controller.enqueue(bytes);
    if ((client.controller.desiredSize ?? 0) >= 0) return;
    // Not close(): that would wait until all of it is read. Without a reason, which the runtime would print.
    client.controller.error();
    this.#leave(client);
  }

  #beat = () => {
    this.#flush();
    // An id alone is no message, but is remembered: whoever wants few of them can come back as well.
    const bytes = encode(`: here\nid: ${this.#lastId()}\n\n`);
    for (const client of [...this.#clients]) this.#send(client, bytes);
  };

  #enter(): void {
    if (!this.isWatched()) for (const { begin } of this.#watches) begin();
    if (this.#grace) clearTimeout(this.#grace);
    this.#grace = null;
    this.#heartbeat ??= setInterval(this.#beat, this.#limits.heartbeatMs);
    // What is pending is for those that were here before: it is part of what a new one is sent first.
    this.#flush();
  }

  #leave(client: Client): void {
    if (!this.#clients.delete(client) || this.#clients.size > 0) return;
    if (this.#heartbeat) clearInterval(this.#heartbeat);
    if (this.#flushTimer) clearTimeout(this.#flushTimer);
    [this.#heartbeat, this.#flushTimer, this.#pending] = [null, null, 0];
    this.#grace = setTimeout(() => {
      this.#grace = null;
      this.forget();
      for (const { end } of this.#watches) end();
    }, this.#limits.graceMs);
    this.#grace.unref();
  }

  /** First where it stands, then what it missed. The id is the one it has heard, until it has heard more. */
  #greet(wanted: Wanted): string {
    const missed = wanted.lastId === null ? [] : this.#since(wanted.lastId);
    const id = wanted.lastId !== null && missed ? wanted.lastId : this.#lastId();
    const ready = `retry: ${RETRY_MS}\nid: ${id}\nevent: ready\ndata: ${JSON.stringify({ id })}\n\n`;
    return ready + (missed ? frame(missed, wanted) : `event: reset\ndata: ${JSON.stringify(LOST)}\n\n`);
  }

  /** What came after it, oldest first; null when that is not known: the id is another worker's, or too old. */
  #since(id: string): Sent[] | null {
    const [, worker, digits] = /^([a-z0-9]+)-(\d{1,15})$/.exec(id) ?? [];
    const missed = this.#last - Number(digits);
    const isKnown = worker === this.#start && missed >= 0 && missed <= this.#kept.length;
    return isKnown ? this.#kept.slice(this.#kept.length - missed) : null;
  }
}

const encode = (text: string) => new TextEncoder().encode(text);

const LOST = { reason: 'What came since then is not known any more.' };

/** Whoever must ask again has to know, whatever it wants to hear of. */
const isWanted = ({ type, project }: Sent, wanted: Wanted) =>
  type === 'reset' ||
  ((wanted.types?.includes(type) ?? true) && (wanted.project === null || project === null || project === wanted.project));

const frame = (messages: Sent[], wanted: Wanted) =>
  messages
    .filter((sent) => isWanted(sent, wanted))
    .map(({ id, type, json }) => `id: ${id}\nevent: ${type}\ndata: ${json}\n\n`)
    .join('');
