// Those who watch in the watch benchmark: `watch-viewers.ts ADDRESS COUNT TOKEN_FILE`. Says "ready" when all are there; answers each line with what they heard so far, as JSON.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

export type ViewersReport = {
  /** Streams that are still open. */
  open: number;
  /** Of the first, message by message. */
  messages: number;
  events: number;
  /** Messages whose id is not the one after the last. */
  gaps: number;
  /** Events that came more than once. */
  twice: number;
  /** From when it happened until it was heard. */
  lagsMs: number[];
  /** Those that heard byte for byte the same as the first. */
  alike: number;
};

type Viewer = { digest: Bun.CryptoHasher; bytes: number; isOpen: boolean };

async function main([address = '', count = '', tokenFile = '']: string[]): Promise<void> {
  const token = readFileSync(tokenFile, 'utf8').trim();
  const first = createListener();
  const viewers: Viewer[] = [];
  for (let at = 0; at < Number(count); at++) viewers.push(await open(address, token, at === 0 ? first.hear : null));
  // A sign of life may have come to those that were there before the others: only from here on must all hear the same.
  await Bun.sleep(100);
  for (const viewer of viewers) Object.assign(viewer, heardNothing());
  console.log('ready');
  for await (const _ of createInterface({ input: process.stdin })) {
    const digests = viewers.map(({ digest, bytes }) => `${bytes} ${digest.copy().digest('hex')}`);
    const report: ViewersReport = {
      open: viewers.filter(({ isOpen }) => isOpen).length,
      ...first.read(),
      alike: digests.filter((digest) => digest === digests[0]).length,
    };
    console.log(JSON.stringify(report));
  }
  process.exit(0);
}

const heardNothing = () => ({ digest: new Bun.CryptoHasher('sha1'), bytes: 0 });

async function open(address: string, token: string, hear: ((text: string) => void) | null): Promise<Viewer> {
  const response = await fetch(`${address}/stream`, { headers: { authorization: `Bearer ${token}` } });
  if (response.status !== 200 || !response.body) throw new Error(`/stream answered ${response.status}`);
  const viewer: Viewer = { ...heardNothing(), isOpen: true };
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  const read = async () => {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      viewer.digest.update(piece.value);
      viewer.bytes += piece.value.length;
      hear?.(decoder.decode(piece.value, { stream: true }));
    }
  };
  read()
    .catch((error) => console.error(String(error)))
    .finally(() => {
      viewer.isOpen = false;
    });
  return viewer;
}

function createListener() {
  let text = '';
  let [messages, gaps, last] = [0, 0, 0];
  const seen = new Map<string, number>();
  const lagsMs: number[] = [];
  const take = (block: string) => {
    const [, sequence, type, json] = /^id: \w+-(\d+)\nevent: (\w+)\ndata: (.*)$/.exec(block) ?? [];
    if (!sequence || !json) return;
    messages++;
    if (last > 0 && Number(sequence) !== last + 1) gaps++;
    last = Number(sequence);
    if (type !== 'event') return;
    const { id, at } = JSON.parse(json);
    lagsMs.push(Date.now() - at);
    seen.set(id, (seen.get(id) ?? 0) + 1);
  };
  return {
    hear(piece: string) {
      const blocks = (text + piece).split('\n\n');
      text = blocks.pop() ?? '';
      blocks.forEach(take);
    },
    read: () => ({
      messages,
      gaps,
      events: seen.size,
      twice: [...seen.values()].filter((times) => times > 1).length,
      lagsMs,
    }),
  };
}

main(process.argv.slice(2));
