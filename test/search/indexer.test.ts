import type { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbedderError } from '../../src/search/embed/embedder.ts';
import { documentOf, listCovered, listIndexModels, openIndex, readSigns } from '../../src/search/index-db.ts';
import { Indexer } from '../../src/search/indexer.ts';
import { createTestStore, type TestStore } from '../support/store.ts';
import { until } from '../support/until.ts';
import { createDocuments, createFakeEmbedder, type FakeEmbedder, vectorOf } from './fake-documents.ts';

let folder: string;
let db: Database;
let indexer: Indexer | null = null;
let store: TestStore;
let documents: ReturnType<typeof createDocuments>;
const warnings: string[] = [];
const remember = (message: string, details?: object) => warnings.push(`${message} ${JSON.stringify(details)}`);
const log = { debug: () => undefined, info: remember, warn: remember, error: remember };

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cmem-indexer-'));
  db = openIndex(join(folder, 'index.db'));
  store = createTestStore();
  documents = createDocuments(store.db);
  warnings.length = 0;
});
afterEach(async () => {
  await indexer?.close();
  indexer = null;
  db.close();
  store.close();
  rmSync(folder, { recursive: true });
});

function start(embedders: FakeEmbedder[], more: Partial<ConstructorParameters<typeof Indexer>[0]> = {}): Indexer {
  indexer = new Indexer({
    db,
    memory: store.db,
    embedders: embedders.map((embedder) => ({ embedder, pace: { parts: 4, isCapped: false } })),
    kept: ['static'],
    log,
    clock: Date.now,
    onBroken: (error) => warnings.push(`broken: ${error}`),
    firstRetryMs: 5,
    ...more,
  });
  indexer.wake();
  return indexer;
}

const waiting = () => indexer?.status().models.reduce((sum, model) => sum + model.waiting, 0);
const done = () => until(() => waiting() === 0);
const stored = (model = 1) => readSigns(db, model, { after: 0, limit: 10_000 }).map(([key]) => documentOf(key));

describe('the indexer', () => {
  test('gives every document its vectors, and the next ones when they are written', async () => {
    documents.writeMany(50);
    const { wake, models, status } = start([createFakeEmbedder('a'), createFakeEmbedder('b', 16)]);
    await done();
    expect(stored(1)).toHaveLength(50);
    expect(stored(2)).toHaveLength(50);
    const id = documents.write('a very new thing');
    wake();
    await done();
    const found = await models()[0]?.index.search(vectorOf('a very new thing', 384), { limit: 1 });
    expect(found).toEqual([{ document: id, score: expect.closeTo(1, 4) }]);
    expect(status()).toMatchObject({
      documents: 51,
      models: [
        { name: 'a', vectors: 51, waiting: 0, problem: null },
        { name: 'b', vectors: 51, waiting: 0, problem: null },
      ],
      newestWaitingMs: null,
    });
    expect(listCovered(db, 1)).toEqual([{ low: 1, high: 51 }]);
  });

  test('takes what is new before what is old, and the old from the newest on', async () => {
    documents.writeMany(20);
    const embedder = createFakeEmbedder('a');
    embedder.before = async () => {
      if (embedder.calls.length === 2) documents.write('written meanwhile');
    };
    start([embedder]);
    await done();
    expect(embedder.seen.slice(0, 4)).toEqual([20, 19, 18, 17].map((id) => `document number ${id}`));
    expect(embedder.seen[8]).toBe('written meanwhile');
    expect(embedder.seen.at(-1)).toBe('document number 1');
    expect(embedder.seen).toHaveLength(21);
  });

  test('embeds a long text in parts under its title', async () => {
    documents.write(`The title\n${'A sentence about something else. '.repeat(200)}`);
    const embedder = createFakeEmbedder('a');
    const { models } = start([embedder]);
    await done();
    expect(embedder.seen.length).toBeGreaterThan(6);
    for (const text of embedder.seen) {
      expect(text).toStartWith('The title\n');
      expect(text).toEndWith('.');
      expect(text.length).toBeLessThanOrEqual(900);
    }
    const found = await models()[0]?.index.search(vectorOf(embedder.seen[5] ?? '', 384), { limit: 5 });
    expect(found).toEqual([{ document: 1, score: expect.closeTo(1, 4) }]);
  });

  test('rests with a failing embedder, says why, and goes on when it is back', async () => {
    documents.writeMany(6);
    const embedder = createFakeEmbedder('a');
    let isAway = true;
    embedder.before = async () => {
      if (isAway) throw new EmbedderError('transient', 'nobody answers at 127.0.0.1:11434');
    };
    const { status, hasWork, wake } = start([embedder]);
    await until(() => embedder.calls.length >= 4);
    expect(status().models[0]).toMatchObject({ waiting: 6, problem: 'nobody answers at 127.0.0.1:11434' });
    expect(hasWork()).toBe(false);
    const before = embedder.calls.length;
    for (let i = 0; i < 20; i++) wake();
    await Bun.sleep(30);
    expect(embedder.calls.length).toBeLessThan(before + 3);
    isAway = false;
    await done();
    expect(status().models[0]?.problem).toBeNull();
    expect(warnings.filter((line) => line.includes('could not be embedded'))).toHaveLength(1);
  });

  test('leaves a document without a vector that no embedder takes, and does the rest', async () => {
    for (let i = 0; i < 9; i++) documents.write(i === 4 ? 'poison' : undefined);
    const embedder = createFakeEmbedder('a');
    embedder.before = async (texts) => {
      if (texts.includes('poison')) throw new EmbedderError('bad-answer', 'too long');
    };
    start([embedder], { firstRetryMs: 1 });
    await done();
    expect(stored()).toEqual([1, 2, 3, 4, 6, 7, 8, 9]);
    expect(warnings.join()).toContain('left without a vector');
  });

  test('removes the vectors of another embedder when its own are complete, but not those of static', async () => {
    documents.writeMany(10);
    start([createFakeEmbedder('static'), createFakeEmbedder('old')]);
    await done();
    await indexer?.close();
    const replacement = createFakeEmbedder('new', 64);
    let isHeld = true;
    replacement.before = async () => {
      while (isHeld) await Bun.sleep(2);
    };
    start([replacement]);
    await Bun.sleep(50);
    expect(listIndexModels(db).map(({ name }) => name)).toEqual(['static', 'old', 'new']);
    isHeld = false;
    await until(() => listIndexModels(db).length === 2);
    expect(listIndexModels(db).map(({ name }) => name)).toEqual(['static', 'new']);
    expect(stored(2)).toEqual([]);
    expect(stored(3)).toHaveLength(10);
  });

  test('starts anew when a model of the same name has another dimension', async () => {
    documents.writeMany(10);
    start([createFakeEmbedder('endpoint', 768)]);
    await done();
    await indexer?.close();
    const { models } = start([createFakeEmbedder('endpoint', 1024)]);
    await done();
    await until(() => listIndexModels(db).length === 1);
    expect(listIndexModels(db)).toMatchObject([{ name: 'endpoint', dimension: 1024 }]);
    expect(await models()[0]?.index.search(vectorOf('document number 3', 1024), { limit: 1 })).toMatchObject([{ document: 3 }]);
  });

  test('waits for an endpoint to say how long its vectors are', async () => {
    documents.writeMany(3);
    const endpoint = createFakeEmbedder('endpoint', 768);
    let tries = 0;
    endpoint.before = async () => {
      if (++tries < 4) throw new EmbedderError('transient', 'nobody answers');
      unknown.dimension = 768;
    };
    const unknown = { ...endpoint, dimension: 0 };
    const { status } = start([unknown]);
    await until(() => tries > 1);
    expect(status().models).toEqual([{ name: 'endpoint', vectors: 0, waiting: 3, problem: 'nobody answers' }]);
    await done();
    expect(status().models).toEqual([{ name: 'endpoint', vectors: 3, waiting: 0, problem: null }]);
    expect(listIndexModels(db)).toMatchObject([{ dimension: 768 }]);
  });

  test('tells of damage instead of failing silently', async () => {
    documents.write();
    const elsewhere = createTestStore();
    elsewhere.close();
    start([createFakeEmbedder('a')], { memory: elsewhere.db });
    await until(() => warnings.some((line) => line.startsWith('broken')));
  });
});

describe('an indexer that is killed', () => {
  test('goes on where it was, again and again, and at most one batch is done twice each time', async () => {
    const [path, notes] = [join(folder, 'killed.db'), join(folder, 'notes')];
    const [documentCount, batch] = [600, 8];
    documents.writeMany(documentCount);
    const readNotes = () => (existsSync(notes) ? readFileSync(notes, 'utf8').split('\n').length - 1 : 0);
    let kills = 0;
    for (;;) {
      const before = readNotes();
      const child = Bun.spawn([process.execPath, join(import.meta.dir, 'index-until-killed.ts'), store.db.filename, path, notes], {
        stdout: 'ignore',
        stderr: 'inherit',
      });
      // In the middle of a batch, wherever that is.
      await until(() => child.exitCode !== null || readNotes() > before + 100);
      child.kill('SIGKILL');
      await child.exited;
      if (child.exitCode === 0) break;
      expect(child.signalCode).toBe('SIGKILL');
      kills++;
    }
    const index = openIndex(path);
    const keys = readSigns(index, 1, { after: 0, limit: 10_000 }).map(([key]) => documentOf(key));
    expect(keys).toEqual(Array.from({ length: documentCount }, (_, i) => i + 1));
    expect(listCovered(index, 1)).toEqual([{ low: 1, high: documentCount }]);
    expect(index.query('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
    index.close();
    expect(kills).toBeGreaterThan(2);
    expect(readNotes()).toBeLessThanOrEqual(documentCount + kills * batch);
  });
});

describe('a dropped document', () => {
  const bytesOnDisk = () =>
    ['', '-wal'].map((suffix) => {
      const path = join(folder, `index.db${suffix}`);
      return statSync(path, { throwIfNoEntry: false }) ? readFileSync(path) : Buffer.alloc(0);
    });
  const isOnDisk = (text: string) => {
    const vector = Buffer.from(vectorOf(text, 384));
    const pieces = [vector.subarray(0, 40), vector.subarray(200, 240)];
    return bytesOnDisk().some((file) => pieces.some((piece) => file.includes(piece)));
  };

  test('leaves no byte of its vectors in any file', async () => {
    documents.writeMany(600);
    const { removeDropped, models } = start([createFakeEmbedder('a'), createFakeEmbedder('b')]);
    await done();
    expect(isOnDisk('document number 300')).toBe(true);
    const gone = Array.from({ length: 150 }, (_, i) => 1 + ((i * 37) % 600));
    for (const id of gone) documents.drop(id);
    removeDropped();
    expect(documents.droppedLeft()).toBe(0);
    expect(gone.filter((id) => isOnDisk(`document number ${id}`))).toEqual([]);
    expect(isOnDisk('document number 3')).toBe(!gone.includes(3));
    const [first = 0] = gone;
    expect(await models()[0]?.index.search(vectorOf(`document number ${first}`, 384), { limit: 1 })).not.toMatchObject([
      { document: first },
    ]);
  });

  test('does not come back when it goes while it is embedded', async () => {
    documents.writeMany(3);
    const embedder = createFakeEmbedder('a');
    let isHeld = true;
    embedder.before = async () => {
      while (isHeld) await Bun.sleep(2);
    };
    const { removeDropped } = start([embedder]);
    await until(() => embedder.calls.length === 1);
    documents.drop(2);
    removeDropped();
    isHeld = false;
    await done();
    expect(stored()).toEqual([1, 3]);
  });
});
