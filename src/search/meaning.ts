// Search by meaning: the documents whose vectors are nearest to the query's, in a measure that all models share.
import { hasCjk } from '../core/words.ts';
import { MINILM_ID } from './embed/minilm.ts';
import { STATIC_ID } from './embed/static.ts';
import type { SearchableModel } from './indexer.ts';
import { isInOtherLanguage } from './stop-words.ts';
import type { Accept } from './vector-index.ts';

type Nearness = {
  /** The cosine, in terms of MiniLM's: 0.1 is usual, 0.5 is about the same. */
  likeness: number;
  /** How far the cosine stands out from what this query has with any document, in standard deviations. */
  standing: number;
};

export type Meaning = {
  near: Map<number, Nearness>;
  /** The same for some documents. */
  of: (documents: number[]) => Map<number, Nearness>;
  /** Every document was looked at: one without a nearness has nothing in common with the query. */
  isWhole: boolean;
  /** Why a part of the memory could not be asked for its meaning. */
  problem: string | null;
};

type MeaningQuery = {
  query: string;
  accept: Accept | undefined;
  limit: number;
  /** Some documents of the scope, to learn what is usual. */
  sample: number[];
};

/** Before so many cosines were seen, what is usual is taken from experience. */
const EXPERIENCE = { count: 10, mean: 0.1, deviation: 0.1 };
/** How much higher than MiniLM's its cosines are; of other models it is learned with each question. */
const UNRELATED: Record<string, number> = { [MINILM_ID]: 0, [STATIC_ID]: 0.1 };
const LEAST_DEVIATION = 0.02;

/** Models best first. One whose vectors are complete answers alone; else the next ones answer for what it has no vectors of. */
export async function findMeaning(models: SearchableModel[], question: MeaningQuery): Promise<Meaning> {
  const asked: Asked[] = [];
  let problem: string | null = null;
  let isWhole = false;
  for (const model of models) {
    try {
      asked.push(await ask(model, question));
    } catch (error) {
      // The words still answer, and so may the next model.
      problem ??= error instanceof Error ? error.message : String(error);
      continue;
    }
    isWhole = model.isComplete();
    if (isWhole) break;
  }
  const of = (documents: number[]) => {
    const found = new Map<number, Nearness>();
    for (const { scores } of asked) {
      const left = documents.filter((document) => !found.has(document));
      if (left.length > 0) for (const [document, nearness] of scores(left)) found.set(document, nearness);
    }
    return found;
  };
  const [first, ...others] = asked;
  const near = new Map(first?.near);
  for (const other of others) {
    // Whatever the better model knows, it knows better.
    const known = of([...other.near.keys()]);
    for (const [document, nearness] of known) near.set(document, nearness);
  }
  return { near, of, isWhole, problem: problem && !near.size ? problem : null };
}

/** The models that we bring read English: of Chinese or Thai they know hardly more than the characters. */
export function understands(model: string, query: string): boolean {
  const letters = query.match(/\p{L}/gu) ?? [];
  if (letters.length === 0) return false;
  return !(model in UNRELATED) || letters.filter(hasCjk).length < letters.length / 2;
}

/** Words alone read English too. */
export const isRead = (models: SearchableModel[], query: string) =>
  models.some(({ embedder }) => !(embedder.id in UNRELATED)) || !isInOtherLanguage(query);

type Asked = { near: Map<number, Nearness>; scores: (documents: number[]) => Map<number, Nearness> };

async function ask({ embedder, index, isComplete }: SearchableModel, question: MeaningQuery): Promise<Asked> {
  const { query, accept, limit, sample } = question;
  const [vector] = await inTime(embedder.embed([query], 'query'), embedder.id);
  if (!vector) throw new Error(`${embedder.id} gave no vector for the query`);
  const seen = index.sampleScores(vector, sample);
  const { mean, deviation } = learnUsual(seen, isComplete() ? sample.length : seen.size);
  const toNearness = (cosine: number): Nearness => ({
    likeness: cosine - (UNRELATED[embedder.id] ?? mean - EXPERIENCE.mean),
    standing: (cosine - mean) / deviation,
  });
  const found = await index.search(vector, { limit, accept });
  return {
    near: new Map(found.map(({ document, score }) => [document, toNearness(score)])),
    scores: (documents) => new Map([...index.scores(vector, documents)].map(([document, cosine]) => [document, toNearness(cosine)])),
  };
}

/** Whoever asks waits for words and a faster model rather than for a slow one. */
const PATIENCE_MS = 1500;

function inTime<T>(answer: Promise<T>, name: string): Promise<T> {
  const late = Bun.sleep(PATIENCE_MS).then(() => Promise.reject(new Error(`${name} did not answer within ${PATIENCE_MS / 1000} s`)));
  return Promise.race([answer, late]);
}

/** Documents without a cosine have nothing in common with the query. */
function learnUsual(cosines: Map<number, number>, count: number): { mean: number; deviation: number } {
  const { count: before, mean: usual, deviation: scatter } = EXPERIENCE;
  let [sum, squares] = [before * usual, before * (usual ** 2 + scatter ** 2)];
  for (const cosine of cosines.values()) {
    sum += cosine;
    squares += cosine ** 2;
  }
  const mean = sum / (count + before);
  return { mean, deviation: Math.max(LEAST_DEVIATION, Math.sqrt(Math.max(0, squares / (count + before) - mean ** 2))) };
}
