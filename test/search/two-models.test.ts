// While the vectors of a better model are made, and when a model fails: nothing is lost, nothing comes twice, nothing is preferred for it.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { type Embedder, EmbedderError } from '../../src/search/embed/embedder.ts';
import { MINILM_ID } from '../../src/search/embed/minilm.ts';
import { loadStatic, STATIC_ID } from '../../src/search/embed/static.ts';
import { seededRandom } from '../core/seeded-random.ts';
import { ASSETS } from './embed/assets.ts';
import { createTestMemory, NOW, type TestMemory } from './test-memory.ts';

const DIMENSION = 64;
const TOPICS = ['lamp', 'boat', 'tree', 'coin', 'song', 'moth', 'rope', 'sand'];

/** Vectors that say which topics a text names, over a ground that all texts share, as real models have it. */
function createTopicEmbedder(id: string, ground: number): Embedder {
  return {
    id,
    dimension: DIMENSION,
    embed: async (texts) =>
      texts.map((text) => {
        const noise = seededRandom(Bun.hash.crc32(text));
        return Int8Array.from({ length: DIMENSION }, (_, at) => {
          if (at === 0) return ground;
          const topic = TOPICS[at - 1];
          return topic && text.includes(topic) ? 100 : noise.below(21) - 10;
        });
      }),
    close: async () => undefined,
  };
}

let memory: TestMemory;
let ids: string[];
beforeEach(() => {
  memory = createTestMemory();
  memory.db.transaction(() => {
    ids = Array.from({ length: 200 }, (_, n) =>
      memory.shelf('/home/dev/shop', `s${n}`).observe(`${TOPICS[n % 8]} w${n}`, NOW - n * 60_000),
    );
  })();
});
afterEach(() => memory.close());

const documentsOf = (isWanted: (n: number) => boolean) => ids.flatMap((_, n) => (isWanted(n) ? n + 1 : []));
const ofTopic = (at: number) => ids.filter((_, n) => n % 8 === at).toSorted();
/** By meaning alone: no memory has such a word. */
const askFor = async (topic: string) =>
  (await memory.search(`the${topic}ish`, { limit: 200 })).results.flatMap(({ id, alike }) => [id, ...alike]);

describe('an index that is half made anew', () => {
  test.each([
    ['half', (n: number) => n % 2 === 0],
    ['the newest tenth', (n: number) => n < 20],
    ['the oldest tenth', (n: number) => n >= 180],
    ['a twentieth here and there', (n: number) => n % 20 === 3],
    ['none', () => false],
    ['all', () => true],
  ])('of which the better model has %s, finds every document, none twice, and each topic before all else', async (_, isMade) => {
    const better = memory.addModel(createTopicEmbedder(MINILM_ID, 35), () => ids.every((__, n) => isMade(n)));
    const usual = memory.addModel(createTopicEmbedder(STATIC_ID, 50));
    await better.embed(documentsOf(isMade));
    await usual.embed();
    for (const [at, topic] of TOPICS.entries()) {
      const found = await askFor(topic);
      expect(new Set(found).size).toBe(found.length);
      expect(found.slice(0, 25).toSorted()).toEqual(ofTopic(at));
    }
  });

  test('finds by words what has no vector at all yet', async () => {
    const model = memory.addModel(createTopicEmbedder(MINILM_ID, 35), () => false);
    await model.embed(documentsOf((n) => n > 0));
    expect((await memory.find('w0'))[0]).toBe(ids[0] ?? '');
  });
});

describe('a model that fails', () => {
  const broken: Embedder = {
    id: MINILM_ID,
    dimension: DIMENSION,
    embed: async () => {
      throw new EmbedderError('transient', 'the child has died');
    },
    close: async () => undefined,
  };

  test('alone: the words answer, and it is said', async () => {
    memory.addModel(broken);
    const answer = await memory.search('w7');
    expect(answer.results.map(({ id }) => id)).toEqual([ids[7] ?? '']);
    expect(answer.note).toBe('Searched by words alone: the child has died');
    expect((await memory.search('nothingofthis')).note).toContain('the child has died');
  });

  test('before another: that one answers', async () => {
    memory.addModel(broken);
    await memory.addModel(createTopicEmbedder(STATIC_ID, 50)).embed();
    const found = await askFor('coin');
    expect(found.slice(0, 25).toSorted()).toEqual(ofTopic(3));
    expect((await memory.search('thecoinish')).note).toBeNull();
  });

  test('that has nothing to say of a query: the words answer', async () => {
    const model = memory.addModel(loadStatic(ASSETS));
    await model.embed();
    expect((await memory.find('w7'))[0]).toBe(ids[7] ?? '');
    expect((await memory.search('🙈')).note).toBeString();
  });
});
