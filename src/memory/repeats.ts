// Living memories that still say what was erased: for its receipt, which offers to erase them, too.
import type { Database } from 'bun:sqlite';
import type { MemoryRef } from '../core/memory.ts';
import type { SummaryWords } from '../core/observation.ts';
import { apart, COMMON_WORDS, type Pieces, shareMost } from '../core/same-words.ts';
import { splitSentences, withoutSentences } from '../core/text.ts';
import { addDocument } from '../store/documents.ts';
import { readAll, readColumn, readValue } from '../store/read.ts';
import { rewriteSummary } from './summaries.ts';
import { ownWords } from './traces.ts';

const MOST_SAYERS = 20;
/** Each costs a look into the index. */
const MOST_NAMES = 200;

/**
 * Those that have a name or a number of it which only a few have, a run of its words that tells, or half of all its runs. How a
 * sentence is built tells nothing, nor does one plain word: in a small memory nearly every word is rare.
 */
export function listSayers(db: Database, { telling }: Pieces, texts: string[]): MemoryRef[] {
  const few = countFew(db);
  const naming = listNames(texts)
    .map((name) => listWith(db, name, few + 1))
    .filter((ids) => ids.length <= few)
    .flat();
  const repeating = listRepeating(
    db,
    telling.filter((piece) => /\s/.test(piece)),
    few,
  );
  const sql = 'SELECT kind, ref AS id FROM documents WHERE id IN (SELECT value FROM json_each(?)) ORDER BY at DESC, id DESC LIMIT ? + 0';
  return readAll<MemoryRef>(db, sql, JSON.stringify([...naming, ...repeating]), MOST_SAYERS);
}

function listRepeating(db: Database, runs: string[], few: number): number[] {
  const found = runs.map((run) => ({ run, ids: listWith(db, run, few + 1) }));
  const times = new Map<number, number>();
  for (const id of found.flatMap(({ ids }) => ids)) times.set(id, (times.get(id) ?? 0) + 1);
  const half = [...times].filter(([, count]) => count >= Math.max(2, runs.length / 2)).map(([id]) => id);
  return [...half, ...found.filter(({ run, ids }) => ids.length <= few && tells(run)).flatMap(({ ids }) => ids)];
}

/** Those that tell by themselves: names that only a few memories have, and runs of words that carry a meaning. */
export function listTelling(db: Database, pieces: string[]): string[] {
  const few = countFew(db);
  return pieces.filter((piece) => (/\s/.test(piece) ? tells(piece) : listWith(db, piece, few + 1).length <= few));
}

/** A fifth of a small memory, ten of a large one. */
export function countFew(db: Database): number {
  const documents = readValue<number>(db, 'SELECT count(*) FROM documents') ?? 0;
  return Math.min(10, Math.max(4, Math.floor(documents / 5)));
}

const listWith = (db: Database, piece: string, limit: number) =>
  readColumn<number>(db, 'SELECT rowid FROM words WHERE words MATCH ? LIMIT ? + 0', ownWords(piece), limit);

const WORD = /[\p{L}\p{N}_$]+/gu;
/** vault.quellmont.internal, 10.20.3.17: three parts at least. A file's name is no host's, however many dots it has. */
const HOST =
  /(?<![\w./-])(?:[a-z\d][a-z\d-]{0,62}\.){2,6}(?:com|net|org|io|dev|app|internal|local|lan|\d{1,3})(?![\w/.-]*\.[a-z]{1,5}\b)/gi;
const LONGEST = 160;

/** An identifier, a number, a key, a host, or a run of a script without spaces: nobody writes it by chance. */
function listNames(texts: string[]): string[] {
  const isName = (word: string) =>
    word.length <= LONGEST &&
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]{4}|^(?=.{6}).*(?:\p{N}|\p{L}[_$]+\p{L}|\p{Ll}\p{Lu})/u.test(
      word,
    );
  const words = texts.flatMap((text) => text.match(WORD) ?? []).filter(isName);
  return [...new Set([...texts.flatMap((text) => text.match(HOST) ?? []), ...words])].slice(0, MOST_NAMES);
}

/** Three words of it carry a meaning: "we decided to use the" is said of anything. A path is one of them, however deep. */
const tells = (run: string) => new Set(apart(run.toLowerCase()).filter((part) => part.match(WORD)?.some(hasMeaning))).size >= 3;

const hasMeaning = (word: string) => word.length >= 4 && !COMMON_WORDS.has(word);

type Unsaid = { sessionId: number | null; promptNumber: number | null; texts: string[] };

const FIELDS = ['request', 'investigated', 'learned', 'completed', 'nextSteps', 'notes'] as const;
/** In the summaries and open steps of its own turn, sentence by sentence. What has nothing left to say goes. Inside a transaction. */
export function unsayInSummaries(db: Database, { sessionId, promptNumber, texts }: Unsaid): void {
  if (sessionId === null || promptNumber === null || texts.length === 0) return;
  const gone = texts.flatMap((text) => [text, ...splitSentences(text)]).map(wordsOf);
  const isGone = (sentence: string) => gone.some((words) => shareMost(wordsOf(sentence), words));
  const unsay = (text: string | null) => text && withoutSentences(text, isGone);
  for (const { id, ...words } of listSummaries(db, sessionId, promptNumber)) {
    const left = Object.fromEntries(FIELDS.map((field) => [field, unsay(words[field])])) as SummaryWords;
    if (FIELDS.every((field) => left[field] === words[field])) continue;
    if (FIELDS.every((field) => left[field] === null)) db.query('DELETE FROM summaries WHERE id = ?').run(id);
    else rewriteSummary(db, id, left);
    if (FIELDS.some((field) => left[field] !== null)) addDocument(db, { kind: 'summary', id });
    db.query('UPDATE injections SET text = NULL WHERE summary_id = ?').run(id);
  }
  dropSteps(db, { sessionId, promptNumber }, isGone);
}

/** The open steps of a turn that say what is gone. Inside a transaction. */
export function dropSteps(
  db: Database,
  { sessionId, promptNumber }: { sessionId: number; promptNumber: number },
  isGone: (text: string) => boolean,
): void {
  const sql = 'SELECT id, text FROM open_steps WHERE session_id = ? AND prompt_number = ?';
  const steps = readAll<{ id: number; text: string }>(db, sql, sessionId, promptNumber);
  for (const { id, text } of steps) if (isGone(text)) db.query('DELETE FROM open_steps WHERE id = ?').run(id);
}

type Row = { id: number } & SummaryWords;

const listSummaries = (db: Database, sessionId: number, promptNumber: number) => {
  const sql = `SELECT id, request, investigated, learned, completed, next_steps AS nextSteps, notes FROM summaries
    WHERE session_id = ? AND prompt_number = ?`;
  return readAll<Row>(db, sql, sessionId, promptNumber);
};

const wordsOf = (text: string) => new Set(text.toLowerCase().match(/[\p{L}\p{N}_]{3,}/gu) ?? []);
