// Which documents are missing or say something else than they would if they were made now, and making these again.
import type { Database } from 'bun:sqlite';
import type { MemoryRef } from '../../core/memory.ts';
import { WORD_TABLES, type WordTable } from './check-words.ts';
import { type Document, documentOf, insertDocument, readSource, type Source } from './documents.ts';

/** What a memory's document should be, and what it was made of. Null twice for one that is to have none. */
export type Prepared = { ref: MemoryRef; source: Source | null; document: Document | null };

export function prepareDocument(db: Database, { kind, id }: MemoryRef): Prepared {
  const ref = { kind, id };
  const source = readSource(db, ref);
  return { ref, source, document: source && documentOf(ref, source) };
}

/** Whether there is a document where there should be one and none where not, and it says what it should. */
export function isCurrent(db: Database, { ref, document }: Prepared): boolean {
  const stored = findDocument(db, ref);
  if (!stored || !document) return stored === null && document === null;
  return FIELDS.every((field) => stored[field] === document[field]);
}

const FIELDS = ['projectId', 'sessionId', 'type', 'at', 'headline', 'facts', 'parts', 'names', 'whence'] as const;

/**
 * In the order they are given, behind all others of their session. What stands beside each is told to it and to the others once, not once
 * for every one that comes. Inside a transaction.
 */
export function remakeDocuments(db: Database, prepared: Prepared[]): void {
  const touched = new Set<number>();
  for (const { ref } of prepared) for (const id of takeOut(db, ref)) touched.add(id);
  const documents = prepared.flatMap((one) => asOfNow(db, one) ?? []);
  for (const ofSession of Map.groupBy(documents, ({ sessionId }) => sessionId).values()) {
    const [first] = ofSession;
    if (first) for (const id of append(db, first.sessionId, ofSession)) touched.add(id);
  }
  for (const id of touched) tellNeighbours(db, id);
}

/** Somebody may have edited or forgotten it since it was prepared. */
function asOfNow(db: Database, { ref, source, document }: Prepared): Document | null {
  const now = readSource(db, ref);
  const isSame = now && source && SOURCE_FIELDS.every((field) => now[field] === source[field]);
  return isSame ? document : now && documentOf(ref, now);
}

const SOURCE_FIELDS = [
  ...(['projectId', 'projectName', 'sessionId', 'type', 'at', 'day', 'headline', 'facts', 'text'] as const),
];

/** Gives the documents that it stood beside. */
function takeOut(db: Database, ref: MemoryRef): number[] {
  const stored = findDocument(db, ref);
  if (!stored) return [];
  const beside = listBeside(db, stored).map(({ id }) => id);
  // Alone: its neighbours are told afterwards.
  db.query('UPDATE documents SET session_id = ? WHERE id = ?').run(ALONE - stored.id, stored.id);
  db.query('DELETE FROM documents WHERE id = ?').run(stored.id);
  return beside;
}

/** No session has such an id. */
const ALONE = -(2 ** 52);

/** Gives the last two that were there before. */
function append(db: Database, sessionId: number, documents: Document[]): number[] {
  const before = listBeside(db, { id: Number.MAX_SAFE_INTEGER, sessionId });
  const headlines = [...before.map(({ headline }) => headline).reverse(), ...documents.map(({ headline }) => headline)];
  for (const [at, document] of documents.entries()) {
    const own = at + before.length;
    const beside = [...headlines.slice(Math.max(0, own - 2), own).reverse(), ...headlines.slice(own + 1, own + 3)];
    insertDocument(db, document, beside.join('\n'));
  }
  return before.map(({ id }) => id);
}

function tellNeighbours(db: Database, id: number): void {
  const stored = db
    .query<Place & { neighbours: string }, [number]>(
      'SELECT id, session_id AS sessionId, neighbours FROM documents WHERE id = ?',
    )
    .get(id);
  if (!stored) return;
  const told = listBeside(db, stored)
    .map(({ headline }) => headline)
    .join('\n');
  // Triggers index it again.
  if (told !== stored.neighbours) db.query('UPDATE documents SET neighbours = ? WHERE id = ?').run(told, id);
}

type Place = { id: number; sessionId: number };

/** Two before it, the nearest first, and two after it: as the triggers of the schema have it. */
function listBeside(db: Database, { id, sessionId }: Place): { id: number; headline: string }[] {
  const near = (isBefore: boolean) =>
    db
      .query<{ id: number; headline: string }, [number, number]>(
        `SELECT id, headline FROM documents WHERE session_id = ? AND id ${isBefore ? '<' : '>'} ?
         ORDER BY id ${isBefore ? 'DESC' : 'ASC'} LIMIT 2`,
      )
      .all(sessionId, id);
  return [...near(true), ...near(false)];
}

const findDocument = (db: Database, { kind, id }: MemoryRef) =>
  db
    .query<Document & { id: number }, [string, number]>(
      `SELECT id, kind, ref, project_id AS projectId, session_id AS sessionId, type, at, headline, facts, parts, names, whence
       FROM documents WHERE kind = ? AND ref = ?`,
    )
    .get(kind, id);

/** Whether its words are in the index. Without a document there are none to be missing. */
export function isIndexed(db: Database, ref: MemoryRef): boolean {
  const stored = findDocument(db, ref);
  return stored === null || listUnindexed(db, stored.id).length === 0;
}

/**
 * To be called before a document of the session is made again: triggers take the words of what changes out of the index, and what is not in
 * there would leave it with less than nothing. Inside a transaction.
 */
export function indexWords(db: Database, refs: MemoryRef[]): void {
  for (const ref of refs) {
    const stored = findDocument(db, ref);
    for (const table of stored ? listUnindexed(db, stored.id) : []) db.query(ADD_WORDS[table]).run(stored?.id ?? 0);
  }
}

const COLUMNS = 'title, subtitle, narrative, facts, concepts, files, prompt, neighbours, parts, whence';
const ADD_WORDS: Record<WordTable, string> = {
  words: `INSERT INTO words (rowid, ${COLUMNS}) SELECT id, ${COLUMNS} FROM document_texts WHERE id = ?`,
  fragments: 'INSERT INTO fragments (rowid, names) SELECT id, names FROM documents WHERE id = ?',
};

/** FTS5 has a row for each document that it knows the words of. */
const listUnindexed = (db: Database, id: number): WordTable[] =>
  WORD_TABLES.filter((table) => db.query(`SELECT 1 FROM ${table}_docsize WHERE id = ?`).get(id) === null);
