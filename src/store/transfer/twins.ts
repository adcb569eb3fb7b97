// Which memory of an export is there already, as what. A session is looked up once: it may have thousands, all of one moment.
import type { Database } from 'bun:sqlite';
import { bareWords } from '../../core/bare-words.ts';
import type { ObservationDraft } from '../../core/observation.ts';
import { type Brought, hashesOf, isOfSameWork, type Owned, SAME_MOMENT_MS } from './import-rows.ts';

export type Twins = {
  /**
   * The id of the same memory, if it is there: of the same session and moment, in the same words whatever came of it; or made of the
   * same events, when a person has edited one of the two. What was distilled here of the same session may be of a moment beside it.
   */
  find: (owned: Owned, draft: ObservationDraft, isEdited: boolean) => number | null;
  /** It is the twin of a line, or came with one: of no other line, but one in the same words. */
  take: (id: number) => void;
};

type TwinRow = Omit<Brought, 'promptNumber'> & { projectId: number; isOwn: number };

type Known = {
  /** The first in these words, by project, moment and hash. */
  same: Map<string, number>;
  /** Nobody's twins yet, by project and moment. */
  free: Map<string, Map<number, TwinRow>>;
  /** Distilled here. */
  own: TwinRow[];
};

/** Of one session, whose lines are being read: what comes to it meanwhile comes by them. */
export function createTwins(db: Database): Twins {
  const taken = new Set<number>();
  let known: Known | null = null;

  const load = (sessionId: number): Known => {
    const loaded: Known = { same: new Map(), free: new Map(), own: [] };
    for (const row of listOfSession(db, sessionId)) {
      addWords(loaded, row);
      if (row.isOwn) loaded.own.push(row);
      if (taken.has(row.id)) continue;
      const moment = momentOf(row);
      loaded.free.set(moment, (loaded.free.get(moment) ?? new Map()).set(row.id, row));
    }
    return loaded;
  };

  return {
    find({ sessionId, projectId }, draft, isEdited) {
      known ??= load(sessionId);
      const moment = momentOf({ projectId, at: draft.at });
      for (const hash of known.same.size > 0 ? hashesOf(draft) : []) {
        const same = known.same.get(`${moment} ${hash}`);
        if (same !== undefined) return same;
      }
      const around = listAround(known.own, projectId, draft.at).filter(({ id }) => !taken.has(id));
      const twin =
        around.find((row) => row.type === draft.type && isSameTitle(row.title, draft.title)) ??
        [...(known.free.get(moment)?.values() ?? []), ...around].find(
          (row) => (isEdited || row.isEdited === 1) && isOfSameWork(row, draft),
        );
      return twin?.id ?? null;
    },
    take(id) {
      taken.add(id);
      const row = known && readRow(db, id);
      if (!known || !row) return;
      known.free.get(momentOf(row))?.delete(id);
      addWords(known, row);
    },
  };
}

const momentOf = ({ projectId, at }: Pick<TwinRow, 'projectId' | 'at'>) => `${projectId} ${at}`;

function addWords({ same }: Known, row: TwinRow): void {
  const words = `${momentOf(row)} ${row.hash}`;
  if (!same.has(words)) same.set(words, row.id);
}

/** The nearest first. */
const listAround = (rows: TwinRow[], projectId: number, at: number) =>
  rows
    .filter((row) => row.projectId === projectId && Math.abs(row.at - at) <= SAME_MOMENT_MS)
    .sort((one, other) => Math.abs(one.at - at) - Math.abs(other.at - at) || one.id - other.id);

const TWIN = `SELECT id, project_id AS projectId, type, title, hash, sources, files_modified AS filesModified,
  edited_at IS NOT NULL AS isEdited, batch_id IS NOT NULL AS isOwn, created_at_epoch AS at FROM observations`;

const readRow = (db: Database, id: number) => db.query<TwinRow, [number]>(`${TWIN} WHERE id = ?`).get(id);

const listOfSession = (db: Database, sessionId: number) =>
  db.query<TwinRow, [number]>(`${TWIN} WHERE session_id = ? ORDER BY id`).all(sessionId);

const isSameTitle = (one: string | null, other: string | null) =>
  one !== null && other !== null && bareWords(one) === bareWords(other);
