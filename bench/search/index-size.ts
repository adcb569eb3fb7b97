// What the index takes on disk for each observation, its share of prompts and summaries included.
import { Database } from 'bun:sqlite';
import { statSync } from 'node:fs';
import type { Figure } from '../spine/benchmark.ts';
import type { FilledMemory } from './filled-memory.ts';

export function measureIndexSize({ home, observations, documents, models }: FilledMemory): Figure {
  const db = new Database(home.paths.database, { readonly: true });
  const bytesOf = (names: string) =>
    (db
      .query<{ bytes: number | null }, []>(
        `SELECT sum((SELECT sum(pgsize) FROM dbstat WHERE dbstat.name = s.name AND aggregate = TRUE)) AS bytes
         FROM sqlite_schema s WHERE rootpage > 0 AND ${names}`,
      )
      .get()?.bytes ?? 0) / observations;
  const words = bytesOf("s.name GLOB 'words_*'");
  const fragments = bytesOf("s.name GLOB 'fragments_*'");
  const beside = bytesOf("s.tbl_name = 'documents'");
  const memories = bytesOf("s.tbl_name IN ('observations', 'summaries', 'prompts')");
  db.close();
  const vectors = statSync(home.paths.indexDatabase).size / models / observations;
  const part = (name: string, bytes: number) => `${name} ${bytes.toFixed(0)}`;
  return {
    what: `index bytes per observation, ${observations} observations`,
    figure: [
      part('words', words),
      part('pieces of names', fragments),
      part('documents', beside),
      `${part('vectors', vectors)} a model`,
      `${part('the memories', memories)} themselves`,
    ].join(', '),
    ratio: { value: (words + fragments + beside + vectors) / memories, to: 'the memories' },
    goal: null,
    values: { words, fragments, beside, vectors, memories, documents },
  };
}
