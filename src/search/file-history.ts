// Every memory that read or changed a file, under all the names it had.
import type { Database } from 'bun:sqlite';
import { AskError } from '../core/ask-error.ts';
import { formatRef } from '../core/memory.ts';
import type { FileHistoryAnswer } from '../core/shapes/memory.ts';
import { type FileMemory, listFileMemories } from '../memory/lists.ts';
import { readRows } from '../memory/read.ts';

type FileHistoryQuery = {
  /** Absolute, relative to cwd or to the root of the project, or the end of a path. */
  path: string;
  cwd: string | null;
  /** The asker's work tree; null when it is not known. */
  root: string | null;
  projectIds: number[] | null;
  limit: number;
  offset: number;
};

/** The names that a file of the work tree had before, the latest first; none when nobody knows. */
type FindEarlierNames = (path: string) => Promise<string[]>;

export async function readFileHistory(
  db: Database,
  query: FileHistoryQuery,
  findEarlierNames: FindEarlierNames,
): Promise<FileHistoryAnswer> {
  const { projectIds, limit, offset } = query;
  const { path, isCertain } = resolveFile(db, query);
  const earlierNames = isCertain ? await findEarlierNames(path) : [];
  const names = [path, ...earlierNames].flatMap((name) => [name, ...absoluteForm(name, query.root)]);
  const isWanted = isCertain ? (file: string) => names.includes(file) : (file: string) => endsWithPath(file, path);
  const found = listFileMemories(db, names, projectIds).flatMap((memory) => {
    const did = judge(memory, isWanted);
    return did ? [{ ...memory, did }] : [];
  });
  const page = found.slice(offset, offset + limit);
  const rows = readRows(db, page);
  const results = page.flatMap(({ did, ...ref }) => {
    const row = rows.get(formatRef(ref));
    return row ? [{ ...row, did }] : [];
  });
  return { path, earlierNames, results, total: found.length, limit, offset };
}

function judge({ changed, read }: FileMemory, isWanted: (file: string) => boolean): 'changed' | 'read' | null {
  if (changed.some(isWanted)) return 'changed';
  return read.some(isWanted) ? 'read' : null;
}

/** Memories name files relative to the root, or absolutely when they are outside. */
const absoluteForm = (name: string, root: string | null) => (root && !isAbsolute(name) ? [`${root}/${name}`] : []);

/** `isCertain`: the path is of one file. Otherwise it is the end of several, and all of them are meant. */
type Resolved = { path: string; isCertain: boolean };

/** The first reading of the path that anything is remembered of. */
function resolveFile(db: Database, { path, cwd, root, projectIds }: FileHistoryQuery): Resolved {
  const given = normalPath(path);
  if (given === '') throw new AskError('invalid', 'path is empty.', 'Give the path of a file, or the end of one.');
  const readings = [...new Set([...fromCwd(given, cwd, root), withoutRoot(given, root)])];
  const known = [...new Set(listFileMemories(db, [given, ...readings], projectIds).flatMap(filesOf))];
  const exact = readings.find((reading) => known.some((file) => file === reading || file === `${root}/${reading}`));
  if (exact !== undefined) return { path: exact, isCertain: true };
  const ending = known.filter((file) => endsWithPath(file, given));
  if (ending.length === 1 && ending[0] !== undefined) return { path: ending[0], isCertain: true };
  if (ending.length > 1) return { path: given, isCertain: false };
  // Nothing under this name: perhaps under an earlier one.
  return { path: readings[0] ?? given, isCertain: true };
}

const filesOf = ({ changed, read }: FileMemory) => [...changed, ...read];

const fromCwd = (path: string, cwd: string | null, root: string | null) =>
  cwd === null || isAbsolute(path) ? [] : [withoutRoot(normalPath(`${cwd}/${path}`), root)];

const withoutRoot = (path: string, root: string | null) => (root && path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path);

const endsWithPath = (file: string, end: string) => file === end || file.endsWith(`/${end}`);

const isAbsolute = (path: string) => path.startsWith('/') || /^[A-Za-z]:\//.test(path);

/** Forward slashes, without `.` and `..` and doubled ones. */
function normalPath(path: string): string {
  const parts: string[] = [];
  for (const part of path.trim().replaceAll('\\', '/').split('/')) {
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '') parts.pop();
    else if (part !== '.' && part !== '..' && (part !== '' || parts.length === 0)) parts.push(part);
  }
  return parts.join('/');
}
