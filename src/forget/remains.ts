// Looking for what is left of an erased text in the files of the data dir, byte by byte.
import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { Pieces } from '../core/same-words.ts';
import type { Paths } from '../paths.ts';

// Looking for pieces of text in a file, byte by byte, whatever the case.

/** Those of the pieces that are in it: none where it has gone meanwhile. Read in slices, so that others are answered in between. */
export const findInFile = (path: string, pieces: string[]): Promise<string[]> =>
  lookThrough(path, pieces).catch((error) => {
    if (error?.code === 'ENOENT') return [];
    throw error;
  });

async function lookThrough(path: string, pieces: string[]): Promise<string[]> {
  const wanted = new Map(pieces.map((piece) => [piece, asBytes(piece)]));
  const found: string[] = [];
  const overlap = Math.max(0, ...[...wanted.values()].map((needle) => needle.length - 1));
  let tail = '';
  for await (const chunk of Bun.file(path).stream()) {
    const text = tail + asLetters(chunk);
    for (const [piece, needle] of wanted) {
      if (!text.includes(needle)) continue;
      found.push(piece);
      wanted.delete(piece);
    }
    tail = overlap > 0 ? text.slice(-overlap) : '';
  }
  return found;
}

/** One letter for each byte, in lower case: so any bytes can be compared as text. */
const asLetters = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1').toLowerCase();
const asBytes = (piece: string) => asLetters(Buffer.from(piece, 'utf8'));

/** Lines of the log and unreadable inputs that repeat the text go at once: nobody else ever removes them. */
export function cleanFiles({ logs, spool }: Paths, { telling, words }: Pieces): void {
  const needles = [...telling, ...words].map(asBytes);
  for (const path of listFiles(logs)) {
    // A copy that a killed worker did not put in its place.
    if (/\.log\.\d+$/.test(path)) rmSync(path, { force: true });
    else cleanLog(path, needles);
  }
  for (const path of listFiles(`${spool}/bad`)) if (holdsAny(readBytes(path), needles)) rmSync(path, { force: true });
}

type Remain = { path: string; piece: string };
type LookOrder = { paths: Paths; pieces: Pieces };

/**
 * In the databases, their logs, and the spool. Never in the process that has the databases open: whoever closes a file there drops all
 * locks that SQLite holds on it, and the next program that closes the database takes the log away from under the worker.
 */
export async function findRemains({ paths, pieces: { telling, words } }: LookOrder): Promise<Remain[]> {
  const databases = [paths.database, paths.indexDatabase].flatMap((path) => [path, `${path}-wal`, `${path}-journal`]);
  const files = [...databases, ...listFiles(paths.spool), ...listFiles(`${paths.spool}/bad`)];
  const pieces = [...telling, ...words];
  const remains: Remain[] = [];
  for (const path of files) {
    if (!statSync(path, { throwIfNoEntry: false })?.isFile()) continue;
    for (const piece of await findInFile(path, pieces)) remains.push({ path, piece });
  }
  // A common word may be one of the log's own.
  for (const path of listFiles(paths.logs)) for (const piece of await findInFile(path, telling)) remains.push({ path, piece });
  return remains;
}

const readBytes = (path: string) => asLetters(readFileSync(path));
const holdsAny = (text: string, needles: string[]) => needles.some((needle) => text.includes(needle));

/** A word that is in more lines than this is the log's own. */
const OWN_LINES = 20;

function cleanLog(path: string, needles: string[]): void {
  const lines = readFileSync(path, 'latin1').split('\n');
  const folded = lines.map((line) => line.toLowerCase());
  const repeated = needles.filter((needle) => {
    const times = folded.filter((line) => line.includes(needle)).length;
    return times > 0 && times <= OWN_LINES;
  });
  if (repeated.length === 0) return;
  const own = `${path}.${process.pid}`;
  const kept = lines.filter((_, at) => !holdsAny(folded[at] ?? '', repeated));
  writeFileSync(own, kept.join('\n'), { encoding: 'latin1', mode: 0o600, flush: true });
  renameSync(own, path);
}

function listFiles(folder: string): string[] {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${folder}/${entry.name}`);
}
