// Our stems are those of the word index: what is counted by a stem is what MATCH finds.
import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { foldMarks, splitParts } from '../../src/core/words.ts';
import { readQuery, stemWord } from '../../src/search/query-words.ts';

const ROOT = join(import.meta.dir, '../..');
const TOKENIZER = 'porter unicode61 remove_diacritics 2';
let db: Database;

beforeAll(() => {
  db = new Database(':memory:');
  db.run(`CREATE VIRTUAL TABLE texts USING fts5(text, tokenize='${TOKENIZER}')`);
  db.run("CREATE VIRTUAL TABLE known USING fts5vocab(texts, 'instance')");
});
afterAll(() => db.close());

/** Every word that the source and the documents of this very project have, as it is written there. */
function readOwnWords(): string[] {
  const files = ['src/**/*.ts', 'test/**/*.ts', 'docs/**/*.md', '*.md'].flatMap((glob) => [...new Bun.Glob(glob).scanSync({ cwd: ROOT })]);
  const words = new Set<string>();
  for (const file of files) {
    const text = readFileSync(join(ROOT, file), 'utf8');
    for (const [word] of text.matchAll(/(?<![\p{L}\p{N}\p{M}\p{Co}])[\p{L}\p{N}][\p{L}\p{N}\p{M}]{0,60}(?![\p{L}\p{N}\p{M}\p{Co}])/gu))
      words.add(word);
  }
  return [...words];
}

/** As the index has them, by the row of each. */
function stemByIndex(words: string[]): Map<number, string[]> {
  db.run('DELETE FROM texts');
  const insert = db.query('INSERT INTO texts (rowid, text) VALUES (?, ?)');
  db.transaction(() => {
    for (const [at, word] of words.entries()) insert.run(at + 1, word);
  })();
  const stems = new Map<number, string[]>();
  for (const { doc, term } of db.query<{ doc: number; term: string }, []>('SELECT doc, term FROM known').all()) {
    stems.set(doc - 1, [...(stems.get(doc - 1) ?? []), term]);
  }
  return stems;
}

test('every word of this project has the stem that the index gives it', () => {
  // Of other alphabets the index knows no endings, and takes some words apart: those are found, not counted.
  const words = readOwnWords().filter((word) => /^[\x00-\x7f]+$/.test(foldMarks(word)));
  expect(words.length).toBeGreaterThan(4000);
  const byIndex = stemByIndex(words);
  const different = words.flatMap((word, at) => {
    const stems = byIndex.get(at) ?? [];
    return stems.length === 1 && stems[0] === stemWord(word) ? [] : [{ word, ours: stemWord(word), theirs: stems }];
  });
  expect(different).toEqual([]);
});

test('a query for any word of this project matches a text with that word', () => {
  const words = readOwnWords();
  stemByIndex(words.map((word) => `${word} ${splitParts(word)}`));
  const match = db.query<{ rowid: number }, [string, number]>('SELECT rowid FROM texts WHERE texts MATCH ? AND rowid = ?');
  const missed = words.filter((word, at) => !readQuery(word).some(({ expression }) => match.get(expression, at + 1)));
  expect(missed).toEqual([]);
});
