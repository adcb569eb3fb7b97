// Whether a memory is here already: a file brings what was made here of the same session, or a transcript what a file has brought.

import type { Database } from 'bun:sqlite';
import type { ObservationDraft, SummaryDraft } from '../core/observation.ts';
import { bareWords } from '../core/text.ts';
import { hashesOf } from '../memory/observations.ts';
import type { FindKnown } from '../observe/process-turn.ts';
import { isNearlySame, stemsOf } from '../search/alike.ts';
import { joinTexts, readAll, readFirst } from '../store/read.ts';

/** Two programs that saw the same turn noted it within so long, however they count the prompts. */
const SAME_TURN_MS = 10 * 60_000;
/** What one store heard from hooks and another read from the transcript has two times, so far apart at most. */
const SAME_MOMENT_MS = 60_000;

type Row = {
  id: number;
  projectId: number;
  promptNumber: number | null;
  type: string;
  title: string | null;
  hash: string;
  sources: string;
  filesModified: string;
  isEdited: number;
  /** Made here, of events. */
  isOwn: number;
  at: number;
};

const ROWS = `SELECT id, project_id AS projectId, prompt_number AS promptNumber, type, title, hash, sources,
  files_modified AS filesModified, edited_at IS NOT NULL AS isEdited, batch_id IS NOT NULL AS isOwn, created_at_epoch AS at
  FROM observations`;

type Coming = { projectId: number; promptNumber: number; draft: ObservationDraft; isEdited: boolean };

export type Twins = ReturnType<typeof createTwins>;

type Known = {
  /** The first in these words, by project, moment and hash. */
  same: Map<string, number>;
  /** Nobody's twins yet, by project and moment. */
  free: Map<string, Map<number, Row>>;
  own: Row[];
};

/**
 * Of one session, or of what none made in a project. It is looked up once: it may have thousands, all of one moment, and what comes to it
 * meanwhile comes by its lines.
 */
export function createTwins(db: Database) {
  const taken = new Set<number>();
  let known: Known | null = null;
  return {
    /**
     * The id of the same memory, if it is there: of the same session and moment, in the same words whatever came of it; made here of the
     * same turn under the same title; or made of the same events, when a person has edited one of the two.
     */
    find(sessionId: number | null, { projectId, promptNumber, draft, isEdited }: Coming): number | null {
      known ??= load(db, { sessionId, projectId }, taken);
      const moment = momentOf({ projectId, at: draft.at });
      for (const hash of known.same.size > 0 ? hashesOf(draft) : []) {
        const same = known.same.get(`${moment} ${hash}`);
        if (same !== undefined) return same;
      }
      const own = known.own.filter((row) => row.projectId === projectId && !taken.has(row.id) && isOfTurn(row, promptNumber, draft.at));
      const mayBeEdited = [...(known.free.get(moment)?.values() ?? []), ...own];
      const twin =
        own.find(({ title }) => isSameText(title, draft.title)) ??
        mayBeEdited.find((row) => (isEdited || row.isEdited === 1) && isOfSameWork(row, draft));
      return twin?.id ?? null;
    },
    /** It is the twin of a line, or came with one: of no other line, but one in the same words. */
    take(id: number) {
      taken.add(id);
      const row = known && readFirst<Row>(db, `${ROWS} WHERE id = ?`, id);
      if (!known || !row) return;
      known.free.get(momentOf(row))?.delete(id);
      addWords(known, row);
    },
  };
}

function load(db: Database, whose: { sessionId: number | null; projectId: number }, taken: Set<number>): Known {
  const known: Known = { same: new Map(), free: new Map(), own: [] };
  const sql = `${ROWS} WHERE session_id IS $sessionId AND ($sessionId IS NOT NULL OR project_id = $projectId) ORDER BY id`;
  const rows = db.query<Row, [typeof whose]>(sql);
  for (const row of rows.all(whose)) {
    addWords(known, row);
    if (row.isOwn) known.own.push(row);
    const moment = momentOf(row);
    if (!taken.has(row.id)) known.free.set(moment, (known.free.get(moment) ?? new Map()).set(row.id, row));
  }
  return known;
}

const momentOf = ({ projectId, at }: Pick<Row, 'projectId' | 'at'>) => `${projectId} ${at}`;

function addWords({ same }: Known, row: Row): void {
  const words = `${momentOf(row)} ${row.hash}`;
  if (!same.has(words)) same.set(words, row.id);
}

/** What another store brought of a session before its own events came: by it the memories of a turn are known again. */
export function createFindKnown(db: Database): FindKnown {
  return ({ sessionId, promptNumber }) => {
    const brought = readAll<Row>(db, `${ROWS} WHERE session_id = ? AND batch_id IS NULL`, sessionId);
    const summaries = listSummaries(db, sessionId, promptNumber).filter(({ isOwn }) => !isOwn);
    if (brought.length + summaries.length === 0) return null;
    const taken = new Set<Row>();
    return {
      hasObservation(draft) {
        const free = brought.filter((row) => !taken.has(row));
        const twin = findBrought(free, draft, promptNumber);
        if (twin) taken.add(twin);
        return twin !== undefined;
      },
      hasSummary: (draft) => summaries.some(({ words }) => isSameText(words, wordsOf(draft))),
    };
  };
}

function findBrought(brought: Row[], draft: ObservationDraft, promptNumber: number): Row | undefined {
  if (brought.length === 0) return undefined;
  const hashes = hashesOf(draft);
  // A title may come again in another turn, of other work.
  const ofTurn = brought.filter((row) => isOfTurn(row, promptNumber, draft.at));
  return (
    brought.find(({ hash }) => hashes.includes(hash)) ??
    ofTurn.find(({ title }) => isSameText(title, draft.title)) ??
    // A person gave it other words.
    ofTurn.find((row) => row.isEdited === 1 && isOfSameWork(row, draft))
  );
}

const isOfTurn = (row: Row, promptNumber: number, at: number) => row.promptNumber === promptNumber || Math.abs(row.at - at) <= SAME_TURN_MS;

function isSameText(one: string | null, other: string | null): boolean {
  if (one === null || other === null) return false;
  return bareWords(one) === bareWords(other) || isNearlySame(stemsOf(one), stemsOf(other));
}

/** It rests on the same events; or, where these are called otherwise, changed the same files. */
function isOfSameWork({ sources, type, filesModified }: Row, draft: ObservationDraft): boolean {
  if (sources === JSON.stringify(draft.sources)) return true;
  return type === draft.type && draft.filesModified.length > 0 && filesModified === JSON.stringify(draft.filesModified);
}

/** One for each turn: what was taken out of its words since is not brought back. */
export function findSummary(db: Database, sessionId: number, promptNumber: number, draft: SummaryDraft): number | null {
  const isSame = ({ at, isOwn, words }: SummaryRow) =>
    at === draft.at || (isOwn === 1 && (Math.abs(at - draft.at) <= SAME_MOMENT_MS || isSameText(words, wordsOf(draft))));
  return listSummaries(db, sessionId, promptNumber).find(isSame)?.id ?? null;
}

type SummaryRow = { id: number; words: string; isOwn: number; at: number };

const listSummaries = (db: Database, sessionId: number, promptNumber: number) => {
  const sql = `SELECT id, ${joinTexts('request, investigated, learned, completed, next_steps, notes', "' '")} AS words,
    batch_id IS NOT NULL AS isOwn, created_at_epoch AS at FROM summaries WHERE session_id = ? AND prompt_number IS ?`;
  return readAll<SummaryRow>(db, sql, sessionId, promptNumber);
};

const wordsOf = ({ request, investigated, learned, completed, nextSteps, notes }: SummaryDraft) =>
  [request, investigated, learned, completed, nextSteps, notes].filter((text) => text !== null).join(' ');
