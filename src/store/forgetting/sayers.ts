// Living memories that still say what was erased: for its receipt, which offers to erase them, too.
import type { Database } from 'bun:sqlite';
import { COMMON_WORDS } from '../../core/common-words.ts';
import type { MemoryRef } from '../../core/memory.ts';
import type { Pieces } from '../../core/telling-pieces.ts';
import { ownWords } from './erase-traces.ts';

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
  return db
    .query<MemoryRef, [string, number]>(
      'SELECT kind, ref AS id FROM documents WHERE id IN (SELECT value FROM json_each(?)) ORDER BY at DESC, id DESC LIMIT ?',
    )
    .all(JSON.stringify([...naming, ...repeating]), MOST_SAYERS);
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
function countFew(db: Database): number {
  const { n } = db.query<{ n: number }, []>('SELECT count(*) AS n FROM documents').get() ?? { n: 0 };
  return Math.min(10, Math.max(4, Math.floor(n / 5)));
}

const listWith = (db: Database, piece: string, limit: number) =>
  db
    .query<{ id: number }, [string, number]>('SELECT rowid AS id FROM words WHERE words MATCH ? LIMIT ?')
    .all(ownWords(piece), limit)
    .map(({ id }) => id);

const WORD = /[\p{L}\p{N}_$]+/gu;
/** vault.quellmont.internal, 10.20.3.17: three parts at least. A file's name is no host's, however many dots it has. */
const HOST =
  /(?<![\w./-])(?:[a-z\d][a-z\d-]{0,62}\.){2,6}(?:com|net|org|io|dev|app|cloud|internal|local|lan|corp|intra|\d{1,3})(?![\w/.-]*\.[a-z]{1,5}\b)/gi;
const SHORTEST = 6;
const LONGEST = 160;

function listNames(texts: string[]): string[] {
  const words = texts.flatMap((text) => text.match(WORD) ?? []).filter(isName);
  const hosts = texts.flatMap((text) => text.match(HOST) ?? []).filter((host) => !OWN_HOST.test(host));
  return [...new Set([...hosts, ...words])].slice(0, MOST_NAMES);
}

const OWN_HOST = /^(?:127|0)\.|^\d+\.\d+\.\d+$|(?:^|\.)example\.(?:com|net|org)$/;

/** An identifier, a number, a key, or a run of a script without spaces: nobody writes it by chance. */
function isName(word: string): boolean {
  if (word.length > LONGEST) return false;
  if (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]{4}/u.test(word)) return true;
  if (word.length < SHORTEST || KNOWN.has(word.toLowerCase()) || A_SIZE.test(word)) return false;
  return /\p{N}|\p{L}[_$]+\p{L}|\p{Ll}\p{Lu}/u.test(word);
}

/** 30000ms, 1920x1080, 100000, 20260131: sizes, round numbers and days are anybody's. */
const A_SIZE = /^(?:\d+\p{L}{1,7}|\d+x\d+|\d{1,3}0{3,}|(?:19|20)\d{6})$/u;

/** Written as if they were names of somebody's own. */
const KNOWN = new Set(
  `javascript typescript coffeescript webassembly postgresql mysql mariadb mongodb dynamodb graphql nodejs nextjs github gitlab bitbucket
  openai chatgpt macos iphone youtube linkedin webkit websocket websockets jetbrains intellij powershell fastapi pytorch tensorflow
  rabbitmq elasticsearch opentelemetry devops readme sqlite3 python3 oauth2 sha256 sha512 base64 base32 ed25519 utf8mb4 iso8601
  http2 http3 node_modules package_json __init__ __main__ __dirname __filename usestate useeffect usememo localhost addeventlistener
  localstorage tostring innerhtml settimeout setinterval`.split(/\s+/),
);

/** Three words of it carry a meaning: "we decided to use the" is said of anything. */
const tells = (run: string) =>
  new Set(
    run
      .toLowerCase()
      .match(WORD)
      ?.filter((word) => word.length >= 4 && !COMMON_WORDS.has(word)),
  ).size >= 3;
