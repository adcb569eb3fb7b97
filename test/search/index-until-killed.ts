// A process that indexes the documents of a memory.db into an index.db and notes each text that it embeds, until it is killed or done.
import { appendFileSync } from 'node:fs';
import { openIndex } from '../../src/search/index-db.ts';
import { Indexer } from '../../src/search/indexer.ts';
import { openStore } from '../../src/store/open.ts';
import { createFakeEmbedder } from './fake-documents.ts';

const [memory = '', path = '', notes = ''] = process.argv.slice(2);
const embedder = createFakeEmbedder('a');
embedder.before = async (texts) => {
  appendFileSync(notes, texts.map((text) => `${text}\n`).join(''));
  await Bun.sleep(Math.random() * 4);
};
const silent = () => undefined;
const indexer = new Indexer({
  db: openIndex(path),
  memory: openStore(memory),
  embedders: [{ embedder, pace: { parts: 8, isCapped: false } }],
  kept: [],
  log: { debug: silent, info: silent, warn: silent, error: silent },
  clock: Date.now,
  onBroken: (error) => {
    console.error(error);
    process.exit(1);
  },
});
indexer.wake();
while (indexer.status().models[0]?.waiting !== 0) await Bun.sleep(5);
process.exit(0);
