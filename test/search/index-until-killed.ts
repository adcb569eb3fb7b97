// A process that indexes so many documents into an index.db and notes each text that it embeds, until it is killed or done.
import { appendFileSync } from 'node:fs';
import { createIndexer } from '../../src/search/indexer.ts';
import { openIndex } from '../../src/store/index/index-db.ts';
import { createFakeDocuments, createFakeEmbedder } from './fake-documents.ts';
import { kernel } from './vectors/index-in-memory.ts';

const [path = '', notes = '', count = '0'] = process.argv.slice(2);
const documents = createFakeDocuments();
for (let i = 0; i < Number(count); i++) documents.write();
const embedder = createFakeEmbedder('a');
embedder.before = async (texts) => {
  appendFileSync(notes, texts.map((text) => `${text}\n`).join(''));
  await Bun.sleep(Math.random() * 4);
};
const silent = () => undefined;
const indexer = createIndexer({
  db: openIndex(path),
  source: documents.source,
  kernel,
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
