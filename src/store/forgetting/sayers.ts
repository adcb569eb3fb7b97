// Living memories that still say what was erased: for its receipt.
import type { Database } from 'bun:sqlite';
import type { MemoryRef } from '../../core/memory.ts';
import type { Pieces } from '../../core/telling-pieces.ts';
import { ownWords } from './erase-traces.ts';

const MOST_SAYERS = 20;
/** Each costs a look into the index. */
const MOST_WORDS = 200;

/** Those that have a word of it which only a few have, or half of its runs of words. How a sentence is built tells nothing. */
export function listSayers(db: Database, { telling }: Pieces, words: string[]): MemoryRef[] {
  const few = countFew(db);
  const runs = telling.filter((piece) => /\s/.test(piece));
  const odd = telling.filter((piece) => !/\s/.test(piece));
  const rare = [...new Set([...odd, ...words.filter(mayTell)])]
    .slice(0, MOST_WORDS)
    .map((word) => listWith(db, word, few + 1))
    .filter((ids) => ids.length <= few)
    .flat();
  const times = new Map<number, number>();
  for (const id of runs.flatMap((run) => listWith(db, run, few + 1))) times.set(id, (times.get(id) ?? 0) + 1);
  const repeating = [...times].filter(([, count]) => count >= Math.max(2, runs.length / 2)).map(([id]) => id);
  return db
    .query<MemoryRef, [string, number]>(
      'SELECT kind, ref AS id FROM documents WHERE id IN (SELECT value FROM json_each(?)) ORDER BY at DESC, id DESC LIMIT ?',
    )
    .all(JSON.stringify([...rare, ...repeating]), MOST_SAYERS);
}

/** A fifth of a small memory, ten of a large one. */
function countFew(db: Database): number {
  const { n } = db.query<{ n: number }, []>('SELECT count(*) AS n FROM documents').get() ?? { n: 0 };
  return Math.min(10, Math.max(4, Math.floor(n / 5)));
}

const listWith = (db: Database, piece: string, limit: number) =>
  db
    .query<{ id: number }, [string, number]>('SELECT rowid AS id FROM words WHERE words MATCH ? LIMIT ?')
    .all(ownWords(piece), limit)
    .map(({ id }) => id);

const mayTell = (word: string) => word.length >= 6 && !COMMON.has(word.toLowerCase());

/** In a memory of a few sentences these are rare, too. */
const COMMON = new Set(
  `across actually adding already always another anything around became because become before behind being below better between
  called cannot change changed changes checked commit correct created decide decided decision deleted different during either
  enough every everything exactly expected failed fails failing finally finished first fixed follow following found further
  getting happens having however implemented instead itself keeping likely longer making matter missing moved myself needed needs
  neither never nobody nothing number otherwise passed passes passing perhaps please possible previous problem project rather reads really
  reason removed rename renamed replace replaced request result return returns running second should simple simply single something still
  stored support tested testing thanks their themselves therefore things through together toward trying unless update updated updates
  useful usually using verified version wanted whatever whenever whether without working would writes writing written wrong yourself`.split(
    /\s+/,
  ),
);
