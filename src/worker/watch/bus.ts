// What happens, told to whoever listens, and kept for a moment for whoever was cut off.
import type { StreamMessage, StreamType } from '../../core/stream.ts';

/** A message as it was published. */
export type Told = {
  /** `<start of the worker in base 36>-<sequence>`. */
  id: string;
  type: StreamType;
  /** Null: it is about no project, or about several. */
  project: string | null;
  /** The memory that it tells. */
  about: string | null;
  /** Its data. */
  json: string;
};

export type Bus = {
  /** Nothing happens when nobody watches. */
  publish: (message: StreamMessage) => void;
  /** Returns how to end it. */
  subscribe: (listener: (told: Told) => void) => () => void;
  /** What came after it, oldest first; null when that is not known: the id is another worker's, or too old. */
  since: (id: string) => Told[] | null;
  lastId: () => string;
  /** What was told is not told again: something in it was forgotten. Whoever comes back must ask anew. */
  forget: () => void;
  /** What was told of these memories is not told again, only that they are gone. */
  drop: (ids: ReadonlySet<string>) => void;
  /** Somebody listens, or did a moment ago and may come back. Only then is it worth to make a message. */
  isWatched: () => boolean;
  /** To be called before anybody listens. */
  onWatched: (watch: { begin: () => void; end: () => void }) => void;
  close: () => void;
};

export type BusDeps = {
  clock: () => number;
  mostKept?: number;
  mostBytes?: number;
  /** A page that is loaded again, or a connection that broke, is back within this. */
  graceMs?: number;
};

const MOST_KEPT = 10_000;
const MOST_BYTES = 8 * 1024 * 1024;
const GRACE_MS = 2 * 60_000;
/** Let go of together: to move what is kept with each message would cost. */
const SLACK = 0.1;

export function createBus(deps: BusDeps): Bus {
  const { clock, mostKept = MOST_KEPT, mostBytes = MOST_BYTES, graceMs = GRACE_MS } = deps;
  const start = clock().toString(36);
  const listeners = new Set<(told: Told) => void>();
  const watches: { begin: () => void; end: () => void }[] = [];
  /** Those with the numbers up to `last`, without a gap. */
  let kept: Told[] = [];
  let bytes = 0;
  let last = 0;
  let grace: Timer | null = null;

  const isWatched = () => listeners.size > 0 || grace !== null;

  const letGo = () => {
    let count = 0;
    while (kept.length - count > mostKept || bytes > mostBytes) bytes -= kept[count++]?.json.length ?? bytes;
    kept.splice(0, count);
  };

  /** From here on nothing is kept: an id of before says nothing about what came since. */
  const forget = () => {
    last++;
    kept = [];
    bytes = 0;
  };

  const lapse = () => {
    grace = null;
    forget();
    for (const { end } of watches) end();
  };

  const leave = (listener: (told: Told) => void) => {
    if (!listeners.delete(listener) || listeners.size > 0) return;
    grace = setTimeout(lapse, graceMs);
    grace.unref();
  };

  return {
    publish({ type, data }) {
      if (!isWatched()) return;
      const project = 'project' in data ? data.project : null;
      const about = 'kind' in data && 'title' in data ? data.id : null;
      const told = { id: `${start}-${++last}`, type, project, about, json: JSON.stringify(data) };
      kept.push(told);
      bytes += told.json.length;
      if (kept.length > mostKept * (1 + SLACK) || bytes > mostBytes * (1 + SLACK)) letGo();
      for (const listener of listeners) listener(told);
    },
    subscribe(listener) {
      if (!isWatched()) for (const { begin } of watches) begin();
      if (grace) clearTimeout(grace);
      grace = null;
      listeners.add(listener);
      return () => leave(listener);
    },
    since(id) {
      const [, worker, digits] = /^([a-z0-9]+)-(\d{1,15})$/.exec(id) ?? [];
      const missed = last - Number(digits);
      const isKnown = worker === start && missed >= 0 && missed <= kept.length;
      return isKnown ? kept.slice(kept.length - missed) : null;
    },
    lastId: () => `${start}-${last}`,
    forget,
    drop(ids) {
      kept = kept.map((told) => (told.about !== null && ids.has(told.about) ? asRemoved(told, told.about) : told));
    },
    isWatched,
    onWatched: (watch) => watches.push(watch),
    close() {
      if (grace) clearTimeout(grace);
      grace = null;
      listeners.clear();
    },
  };
}

const asRemoved = (told: Told, id: string): Told => ({
  ...told,
  type: 'removed',
  about: null,
  json: JSON.stringify({ ids: [id] }),
});
