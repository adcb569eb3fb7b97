// A process that indexes so many documents into an index.db and notes each text that it embeds, until it is killed or done.
import { appendFileSync } from 'node:fs';
import { openIndex } from '../../src/search/index-db.ts';
import { Indexer } from '../../src/search/indexer.ts';
import { createFakeDocuments, createFakeEmbedder } from './fake-documents.ts';

const [path = '', notes = '', count = '0'] = process.argv.slice(2);
const documents = createFakeDocuments();
for (let i = 0; i < Number(count); i++) documents.write();
const embedder = createFakeEmbedder('a');
embedder.before = async (texts) => {
  appendFileSync(notes, texts.map((text) => `${text}\n`).join(''));
  await Bun.sleep(Math.random() * 4);
};
const silent = () => undefined;
const indexer = new Indexer({
  db: openIndex(path),
  source: documents.source,
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
