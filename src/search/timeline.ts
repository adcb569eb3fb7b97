// What happened around a memory, a moment, or the best answer to a question; and every memory of a file, under all the names it had.
import type { Database } from 'bun:sqlite';
import { AskError } from '../core/ask-error.ts';
import { formatRef, type MemoryRef, parseRef } from '../core/memory.ts';
import type { FileHistoryAnswer, MemoryRow, TimelineAnswer } from '../core/shapes/memory.ts';
import { parseIsoSpan } from '../core/time.ts';
import { type FileMemory, findPlace, listFileMemories, listNear, type Place } from '../memory/lists.ts';
import { readRows } from '../memory/read.ts';
import { tellTurn } from './turn-of.ts';

type TimelineQuery = {
  /** An id or an ISO time. */
  anchor?: string;
  query?: string;
  depthBefore: number;
  depthAfter: number;
  /** As documents have them: types of observations, `summary`, `prompt`. */
  types?: string[];
  /** Where to look; null: everywhere. */
  projectIds: number[] | null;
  /** The projects were named, not taken from where the asker is: then an anchor elsewhere is a mistake. */
  isNamed: boolean;
};

/** The best hit for a query in the same projects, or null when nothing is relevant. */
type FindBest = (query: string) => Promise<MemoryRef | null>;

export async function readTimeline(db: Database, query: TimelineQuery, findBest: FindBest): Promise<TimelineAnswer> {
  const anchor = await findAnchor(db, query, findBest);
  if (!anchor) return { anchor: null, items: [], record: null, note: 'Nothing relevant was found for the query.' };
  const { ref, place, projectIds } = anchor;
  const near = { place, projectIds, types: query.types };
  const before = listNear(db, { ...near, direction: 'before', limit: query.depthBefore });
  const after = listNear(db, { ...near, direction: 'after', limit: query.depthAfter });
  const isShown = ref !== null && (query.types?.includes(anchor.type) ?? true);
  const items = toRows(db, [...before.reverse(), ...(isShown ? [ref] : []), ...after]);
  const note = noteOf({ ...anchor, isShown, isEmpty: items.length === 0 });
  return { anchor: ref && formatRef(ref), items, record: readRecordOf(db, ref), note };
}

/** Whoever names a prompt wants to know what came of it. */
function readRecordOf(db: Database, ref: MemoryRef | null): TimelineAnswer['record'] {
  if (ref?.kind !== 'prompt') return null;
  const id = formatRef(ref);
  const told = tellTurn(db, id);
  return told && { id, ...told };
}

type Anchor = {
  /** Null for a moment. */
  ref: MemoryRef | null;
  type: string;
  place: Place;
  projectIds: number[] | null;
  /** It is of another project than the asker's. */
  isElsewhere: boolean;
};

async function findAnchor(db: Database, query: TimelineQuery, findBest: FindBest): Promise<Anchor | null> {
  if ((query.anchor === undefined) === (query.query === undefined)) {
    throw new AskError('invalid', 'Either anchor or query must be given.', ANCHOR_HINT);
  }
  if (query.query !== undefined) {
    const best = await findBest(query.query);
    return best && placeRef(db, best, query);
  }
  const text = query.anchor ?? '';
  const ref = parseRef(text);
  if (ref) return placeRef(db, ref, query);
  const span = parseIsoSpan(text);
  if (!span) throw new AskError('invalid', `"${text.slice(0, 60)}" is neither an id nor a time.`, ANCHOR_HINT);
  // Before all that happened at this very moment.
  const place = { at: span.start, rank: 0, ref: 0 };
  return { ref: null, type: '', place, projectIds: query.projectIds, isElsewhere: false };
}

const ANCHOR_HINT = 'An anchor is an id (123, S12, P34) or a time (2026-01-05T14:30); a query is words to search for.';

function placeRef(db: Database, ref: MemoryRef, { projectIds, isNamed }: TimelineQuery): Anchor {
  const place = findPlace(db, ref);
  if (!place) {
    throw new AskError('unknown', `There is no memory ${formatRef(ref)}.`, 'Look for it with search.');
  }
  const isElsewhere = projectIds !== null && !projectIds.includes(place.projectId);
  if (!isElsewhere) return { ref, type: place.type, place, projectIds, isElsewhere };
  if (isNamed) {
    const message = `${formatRef(ref)} is of another project.`;
    throw new AskError('conflict', message, 'Leave the project out, or ask with all=true.');
  }
  // Whoever names a memory asks for its surroundings, and for nothing else of that project's neighbours.
  return { ref, type: place.type, place, projectIds: [place.projectId], isElsewhere };
}

function toRows(db: Database, refs: MemoryRef[]): MemoryRow[] {
  const rows = readRows(db, refs);
  return refs.flatMap((ref) => rows.get(formatRef(ref)) ?? []);
}

function noteOf({ ref, type, isShown, isElsewhere, isEmpty }: Anchor & { isShown: boolean; isEmpty: boolean }) {
  if (ref && !isShown) return `${formatRef(ref)} itself is a ${type} and left out by the filter.`;
  if (isElsewhere && ref) return `${formatRef(ref)} is of another project; this is what happened there.`;
  return isEmpty ? 'Nothing is remembered around this time.' : null;
}

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
