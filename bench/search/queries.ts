// Queries about sessions that are in a made-up memory, all different, the same in every run.
import { SESSION_SIZE } from './fill-memory.ts';
import { createRandom } from './synthetic-vectors.ts';
import type { Language } from './synthetic-words.ts';

export function createQueries(language: Language, observations: number): () => string {
  const random = createRandom(99);
  const sessions = Math.ceil(observations / SESSION_SIZE);
  return () => language.query(random, language.topic(Math.floor(random() * sessions)));
}
