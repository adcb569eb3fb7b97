// The vectors of one model, made in the background: newest documents first, a batch at a time, each with what it covers.
import type { Database } from 'bun:sqlite';
import type { Log } from '../log.ts';
import type { DocumentSource } from '../store/index/document-source.ts';
import { addCovered, type IndexModel, listCovered } from '../store/index/index-models.ts';
import { countVectorDocuments, putVectors, type StoredVector } from '../store/index/vectors.ts';
import { type Embedder, EmbedderError } from './embed/embedder.ts';
import { countWaiting, type DocumentBatch, firstOf, nextBatch } from './next-batch.ts';
import { splitText } from './split-text.ts';
import type { VectorIndex } from './vectors/vector-index.ts';
import { createWakeableRest } from './wakeable-rest.ts';

/** How much of a core the lane may take, and how much it takes on at once. */
export type Pace = {
  /** Texts in one call: what is new waits for no more than these. */
  parts: number;
  /** Rests as long as it worked, unless what it does was just written. */
  isCapped: boolean;
};

export type LaneStatus = {
  name: string;
  /** Documents that have their vectors. */
  vectors: number;
  waiting: number;
  /** Why nothing is embedded just now. */
  problem: string | null;
};

export type Lane = {
  embedder: Embedder;
  index: VectorIndex;
  /** A document may wait: look now. */
  wake: () => void;
  isWorking: () => boolean;
  /** Every document has its vectors. */
  isComplete: () => boolean;
  /** The newest document that has its vectors. */
  newest: () => number;
  /** Documents that had vectors are gone. */
  noteRemoved: () => void;
  status: () => LaneStatus;
  close: () => Promise<void>;
};

export type LaneDeps = {
  db: Database;
  source: DocumentSource;
  embedder: Embedder;
  model: IndexModel;
  index: VectorIndex;
  pace: Pace;
  log: Log;
  /** Nothing waits any more. */
  onComplete: () => void;
  /** The index cannot be read or written. */
  onBroken: (error: unknown) => void;
  /** After a failure; twice as long after each that follows. */
  firstRetryMs: number;
  /** True while something else needs the processor more: a lane that takes much of it waits. */
  isBusy?: () => boolean;
  /** How long a batch of documents took. */
  onBatch?: (ms: number) => void;
};

/** So often it is looked whether the way is free. */
const BUSY_MS = 1000;
const LONGEST_RETRY_MS = 5 * 60_000;
/** After so many failures with one document it is left without a vector, if others get theirs: it must not hold up the rest. */
const MOST_FAILURES = 3;
const HARMLESS_TEXT = 'The tests pass again after the timeout was raised.';

export function createLane(deps: LaneDeps): Lane {
  const { db, source, embedder, model, index, pace, log, onComplete, onBroken, firstRetryMs, isBusy, onBatch } = deps;
  const pause = createWakeableRest();
  let running: Promise<void> | null = null;
  let isClosed = false;
  let failures = 0;
  let problem: string | null = null;
  let vectors: number | null = null;

  const run = async () => {
    while (!isClosed) {
      if (pace.isCapped && isBusy?.()) {
        await rest(BUSY_MS, false);
        continue;
      }
      const batch = takeBatch();
      if (!batch) return onComplete();
      const started = performance.now();
      await embed(batch);
      if (failures === 0) onBatch?.(performance.now() - started);
      // Resting for a failure ends only with its time; else whatever is new may cut it short.
      if (failures > 0 && !isClosed) await rest(Math.min(firstRetryMs * 2 ** (failures - 1), LONGEST_RETRY_MS), false);
      else await rest(pace.isCapped && !batch.isNew ? performance.now() - started : 0, true);
    }
  };

  const rest = async (ms: number, isWakeable: boolean) => {
    const until = performance.now() + ms;
    do await pause.rest(Math.max(0, until - performance.now()));
    while (!isWakeable && !isClosed && performance.now() < until);
  };

  const takeBatch = (): (DocumentBatch & { parts: Part[] }) | null => {
    // A document that an embedder may have choked on is tried by itself.
    const batch = nextBatch(source, listCovered(db, model.id), failures > 0 ? 1 : pace.parts);
    if (!batch) return null;
    const texts = new Map(source.texts(batch.ids).map(({ id, text }) => [id, text]));
    const parts: Part[] = [];
    let taken = 0;
    for (const id of batch.ids) {
      const own = splitText(texts.get(id) ?? '').map((text, part) => ({ document: id, part, text }));
      if (taken > 0 && parts.length + own.length > pace.parts) break;
      parts.push(...own);
      taken++;
    }
    return { ...firstOf(batch, taken), parts };
  };

  const embed = async (batch: DocumentBatch & { parts: Part[] }) => {
    try {
      const texts = batch.parts.map(({ text }) => text);
      const made = texts.length === 0 ? [] : await embedder.embed(texts, 'document');
      if (isClosed) return;
      store(batch, pairUp(batch.parts, made, model.dimension));
      [failures, problem] = [0, null];
    } catch (error) {
      if (!isClosed) await fail(batch, error);
    }
  };

  const store = (batch: DocumentBatch, made: StoredVector[]) => {
    // One that was dropped meanwhile has been removed already: it must not come back.
    const present = new Set(source.texts(batch.ids).map(({ id }) => id));
    const kept = made.filter(({ document }) => present.has(document));
    db.transaction(() => {
      putVectors(db, model.id, kept);
      addCovered(db, model.id, batch.covers);
    }).immediate();
    index.add(kept);
    if (vectors !== null) vectors += new Set(kept.map(({ document }) => document)).size;
  };

  const fail = async (batch: DocumentBatch, error: unknown) => {
    failures++;
    problem = error instanceof Error ? error.message : String(error);
    if (failures === 1) log.warn('documents could not be embedded', { model: model.name, error: problem });
    if (!(error instanceof EmbedderError)) return onBroken(error);
    if (failures <= MOST_FAILURES || batch.ids.length > 1 || !(await takesOthers())) return;
    log.warn('a document is left without a vector', { model: model.name, document: batch.ids[0], error: problem });
    store(batch, []);
    failures = 0;
  };

  const takesOthers = () =>
    embedder.embed([HARMLESS_TEXT], 'document').then(
      ([vector]) => vector?.length === model.dimension,
      () => false,
    );

  return {
    embedder,
    index,
    wake() {
      if (isClosed) return;
      pause.wake();
      running ??= run()
        .catch(onBroken)
        .finally(() => {
          running = null;
        });
    },
    isWorking: () => running !== null && failures === 0,
    isComplete: () => nextBatch(source, listCovered(db, model.id), 1) === null,
    newest: () => listCovered(db, model.id)[0]?.high ?? 0,
    noteRemoved: () => {
      vectors = null;
    },
    status() {
      vectors ??= countVectorDocuments(db, model.id);
      return { name: model.name, vectors, waiting: countWaiting(source, listCovered(db, model.id)), problem };
    },
    async close() {
      isClosed = true;
      pause.wake();
      await running;
    },
  };
}

type Part = { document: number; part: number; text: string };

function pairUp(parts: Part[], made: Int8Array[], dimension: number): StoredVector[] {
  if (made.length !== parts.length || made.some(({ length }) => length !== dimension)) {
    throw new EmbedderError('bad-answer', `${parts.length} texts were embedded, but ${made.length} vectors came back.`);
  }
  return parts.flatMap(({ document, part }, at) => {
    const vector = made[at];
    // Zeros: no word in it, so nothing can be near it.
    return vector?.some((component) => component !== 0) ? [{ document, part, vector }] : [];
  });
}
