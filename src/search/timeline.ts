// What happened around a memory, a moment, or the best answer to a question.
import type { Database } from 'bun:sqlite';
import { AskError } from '../core/ask-error.ts';
import { formatRef, type MemoryRef, parseRef } from '../core/memory.ts';
import type { MemoryRow, TimelineAnswer } from '../core/shapes/memory.ts';
import { parseIsoSpan } from '../core/time.ts';
import { findPlace, listNear, type Place } from '../memory/lists.ts';
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
