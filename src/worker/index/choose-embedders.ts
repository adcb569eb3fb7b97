// Which embedders are set, from the settings and from nothing that a repository can set.
import { join } from 'node:path';
import type { Config } from '../../config.ts';
import type { Log } from '../../log.ts';
import { createChildEmbedder } from '../../search/embed/child-embedder.ts';
import type { Embedder } from '../../search/embed/embedder.ts';
import { ENGINES } from '../../search/embed/engines.ts';
import { findEmbedder } from '../../search/embed/find-embedder.ts';
import { createOpenAiEmbedder } from '../../search/embed/openai.ts';
import type { Pace } from '../../search/index-lane.ts';
import { createLazyEmbedder } from '../../search/lazy-embedder.ts';

export type ChosenEmbedder = { embedder: Embedder; pace: Pace };

export type Choice = {
  /** `static` first: its vectors are there at once. */
  embedders: ChosenEmbedder[];
  /** Why one that is set cannot be used. */
  problem: string | null;
};

/** In this process, a third of a millisecond for each: with so many the event loop is held for 3 ms. */
const STATIC_PACE: Pace = { parts: 8, isCapped: false };
/** At most 0.1 s for each: what is new waits for no more than these. */
const MODEL_PACE: Pace = { parts: 6, isCapped: true };
const ENDPOINT_PACE: Pace = { parts: 32, isCapped: true };

/** Changes when other embedders are set. */
export const stampEmbedders = ({ embedder, embedderUrl, embedderModel, apiKey }: Config): string =>
  JSON.stringify(embedder === 'openai' ? [embedder, embedderUrl, embedderModel, apiKey] : [embedder]);

export function chooseEmbedders(config: Config, log: Log): Choice {
  const chosen = config.embedder;
  if (chosen === 'off') return { embedders: [], problem: null };
  const fast = { embedder: createStatic(), pace: STATIC_PACE };
  if (chosen === 'static') return { embedders: [fast], problem: null };
  if (chosen === 'minilm') {
    return { embedders: [fast, { embedder: createMinilm(log), pace: MODEL_PACE }], problem: null };
  }
  try {
    return { embedders: [fast, { embedder: createEndpoint(config), pace: ENDPOINT_PACE }], problem: null };
  } catch (error) {
    return { embedders: [fast], problem: error instanceof Error ? error.message : String(error) };
  }
}

/** Kept whatever is set: its vectors are the first that a changed setting can be searched by. */
export const STATIC_MODEL = ENGINES.static.id;

export const findScanKernel = (): string => join(findEmbedder().assets, 'scan.wasm');

function createStatic(): Embedder {
  const { id, dimension, load } = ENGINES.static;
  return createLazyEmbedder({ id, dimension, load: () => load(findEmbedder().assets) });
}

function createMinilm(log: Log): Embedder {
  return createChildEmbedder({
    engine: 'minilm',
    child: findEmbedder(),
    onEvent: ({ kind, ...details }) => log.debug(`the embedding process ${kind}`, details),
  });
}

/** The key of the model's provider, if it was set for the same host: it is sent nowhere else. */
function createEndpoint({ embedderUrl, embedderModel, apiKey }: Config): Embedder {
  const key = apiKey && apiKey.host === URL.parse(embedderUrl)?.host ? apiKey : null;
  return createOpenAiEmbedder({ baseUrl: embedderUrl, model: embedderModel, key });
}
