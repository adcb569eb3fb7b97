// Somebody who watches: reads `GET /stream` from a worker's socket, message by message.
import { until } from './until.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of a message by expecting it.
export type Heard = { id: string; type: string; data: any };

export type StreamClient = {
  status: number;
  /** All but `ready`, in the order in which they came. */
  heard: Heard[];
  ready: () => Heard | null;
  /** The first of a type that fits; waits for it. */
  next: (type: string, fits?: (heard: Heard) => boolean) => Promise<Heard>;
  /** What an EventSource would send when it comes back. */
  lastId: () => string;
  isEnded: () => boolean;
  close: () => void;
};

export async function watch(socket: string, { query = '', lastId = '' } = {}): Promise<StreamClient> {
  const stop = new AbortController();
  const response = await fetch(`http://localhost/stream${query}`, {
    unix: socket,
    signal: stop.signal,
    headers: lastId ? { 'last-event-id': lastId } : {},
  });
  const heard: Heard[] = [];
  let [ready, last, isEnded]: [Heard | null, string, boolean] = [null, lastId, false];
  const take = (block: string) => {
    const fields = new Map(block.split('\n').map((line) => splitOnce(line)));
    last = fields.get('id') ?? last;
    const data = fields.get('data');
    if (data === undefined) return;
    const one = { id: last, type: fields.get('event') ?? 'message', data: JSON.parse(data) };
    if (one.type === 'ready') ready = one;
    else heard.push(one);
  };
  const read = async () => {
    let text = '';
    const decoder = new TextDecoder();
    for await (const bytes of response.body ?? []) {
      text += decoder.decode(bytes, { stream: true });
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      blocks.forEach(take);
    }
  };
  // A stream that is cut off has ended all the same.
  read()
    .catch(() => undefined)
    .finally(() => {
      isEnded = true;
    });
  if (response.status === 200) await until(() => ready);
  return {
    status: response.status,
    heard,
    ready: () => ready,
    next: (type, fits = () => true) => until(() => heard.find((one) => one.type === type && fits(one))),
    lastId: () => last,
    isEnded: () => isEnded,
    close: () => stop.abort(),
  };
}

function splitOnce(line: string): [string, string] {
  const at = line.indexOf(': ');
  return [line.slice(0, at), line.slice(at + 2)];
}
