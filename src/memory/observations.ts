// observations: what is worth remembering, with a hash against silent change; citations and error_marks: the files an observation is about,
// as they were, and the errors it answers.
import type { Database } from 'bun:sqlite';
import { bareEvidence, type Citation, type Evidence } from '../core/evidence.ts';
import { hashParts } from '../core/ids.ts';
import { type ObservationContent, type ObservationDraft, type Origin, OUTCOMES, type Outcome, TRUST } from '../core/observation.ts';
import { isObject } from '../core/plain-json.ts';
import type { ReplacedBy } from '../core/shapes/memory.ts';
import { estimateTokens } from '../core/text.ts';
import { isoTime } from '../core/time.ts';
import { scrubValue } from '../secrets/scrub.ts';
import { addDocument, removeDocument } from '../store/documents.ts';
import { countRows, exists, readAll, readColumn, readFirst } from '../store/read.ts';
import { exhume, isForgotten } from '../store/tombstones.ts';

export type Owner = {
  sessionId: number;
  projectId: number;
  promptNumber: number;
  /** Null for what was said by hand. */
  batchId: number | null;
  /** Until the model has answered. */
  isProvisional: boolean;
};

/** No session made a note, a commit, and what a member of a team published: its author. */
export type AnyOwner = Omit<Owner, 'sessionId'> & { sessionId: number | null; author?: string | null };

export function insertObservation(db: Database, owner: AnyOwner, said: ObservationDraft, evidence: Evidence = bareEvidence(said)): number {
  // What was scrubbed in pieces may have been put together since.
  const draft = scrubValue(said).value;
  const content = contentOf(draft);
  const { lastInsertRowid } = db
    .query(
      `INSERT INTO observations (id, session_id, project_id, prompt_number, type, title, subtitle, narrative, facts, concepts,
         files_read, files_modified, outcome, origin, trust, sources, tokens, hash, created_at, created_at_epoch, batch_id,
         provisional, head, branch, quarantined, is_rule, steps, keywords, author)
       VALUES (${nextId('observations')}, $sessionId, $projectId, $promptNumber, $type, $title, $subtitle, $narrative, $facts, $concepts,
         $filesRead, $filesModified, $outcome, $origin, $trust, $sources, $tokens, $hash, $iso, $at, $batchId, $isProvisional,
         $head, $branch, $isQuarantined, $isRule, $steps, $keywords, $author)`,
    )
    .run({
      author: null,
      ...owner,
      ...content,
      head: evidence.head,
      branch: evidence.branch,
      trust: evidence.trust,
      isQuarantined: Number(evidence.isQuarantined),
      isProvisional: Number(owner.isProvisional),
      isRule: Number(draft.isRule ?? false),
      keywords: draft.keywords ?? null,
      steps: draft.steps ? JSON.stringify(draft.steps) : null,
      origin: draft.origin,
      sources: JSON.stringify(draft.sources),
      tokens: estimateTokens(readableText(draft)),
      hash: hashContent(content),
      iso: isoTime(draft.at),
      at: draft.at,
    });
  const id = Number(lastInsertRowid);
  insertCitations(db, { observationId: id, projectId: owner.projectId }, evidence.citations);
  const insertMark = db.query('INSERT OR IGNORE INTO error_marks (project_id, mark, observation_id) VALUES (?, ?, ?)');
  for (const mark of evidence.errorMarks) insertMark.run(owner.projectId, mark, id);
  addDocument(db, { kind: 'observation', id });
  return id;
}

/** For an INSERT: an id that no memory had before, also none that is gone. NULL lets SQLite choose. */
export const nextId = (table: 'observations' | 'summaries' | 'prompts') =>
  `(SELECT last + 1 FROM id_marks WHERE name = '${table}' AND last >= (SELECT coalesce(max(id), 0) FROM ${table}))`;

/** What the hash of a row is made of, as it is stored. */
export type StoredContent = Omit<ObservationContent, Lists> & Record<Lists, string>;
type Lists = 'facts' | 'concepts' | 'filesRead' | 'filesModified';

export const CONTENT =
  'type, title, subtitle, narrative, facts, concepts, files_read AS filesRead, files_modified AS filesModified, outcome';

export const hashContent = ({ type, title, subtitle, narrative, facts, concepts, filesRead, filesModified, outcome }: StoredContent) =>
  hashParts([type, title, subtitle, narrative, facts, concepts, filesRead, filesModified, outcome]);

export const contentOf = ({ type, title, subtitle, narrative, outcome, ...draft }: ObservationDraft): StoredContent => ({
  ...{ type, title, subtitle, narrative, outcome },
  facts: JSON.stringify(draft.facts),
  concepts: JSON.stringify(draft.concepts),
  filesRead: JSON.stringify(draft.filesRead),
  filesModified: JSON.stringify(draft.filesModified),
});

/** Other content in its row, its hash and its document. Inside a transaction. */
export function writeContent(db: Database, id: number, content: StoredContent): void {
  db.query(
    `UPDATE observations SET type = $type, title = $title, subtitle = $subtitle, narrative = $narrative, facts = $facts,
       concepts = $concepts, files_read = $filesRead, files_modified = $filesModified, outcome = $outcome,
       tokens = $tokens, hash = $hash WHERE id = $id`,
  ).run({
    ...content,
    id,
    tokens: estimateTokens(readableText({ ...content, facts: readFacts(content.facts) })),
    hash: hashContent(content),
  });
  removeDocument(db, { kind: 'observation', id });
  addDocument(db, { kind: 'observation', id });
}

/**
 * Inside a transaction. False, and nothing changed, when it is so already, when a person edited it, or when the row is not what was
 * stored: a new hash would hide that.
 */
export function setOutcome(db: Database, id: number, outcome: Outcome | null): boolean {
  const sql = `SELECT ${CONTENT}, hash FROM observations WHERE id = ? AND edited_at IS NULL`;
  const row = readFirst<StoredContent & { hash: string }>(db, sql, id);
  if (!row || row.outcome === outcome || row.hash !== hashContent(row)) return false;
  db.query('UPDATE observations SET outcome = ?, hash = ? WHERE id = ?').run(outcome, hashContent({ ...row, outcome }), id);
  return true;
}

/** A damaged list says nothing: one bad row must not keep all the others. That it is damaged, its page tells. */
const readJson = (json: string): unknown => {
  try {
    return JSON.parse(json);
  } catch {
    return []; // as said
  }
};
const isTexts = (list: unknown): list is string[] => Array.isArray(list) && list.every((one) => typeof one === 'string');

/** Of a column that holds a list. By hand: read hundreds of times for a page. */
export function readStrings(json: string): string[] {
  const list = readJson(json);
  return isTexts(list) ? list : [];
}

export function readFacts(json: string): { text: string; sources: string[] }[] {
  const list = readJson(json);
  const facts = Array.isArray(list) ? list.map(readFact) : [];
  return facts.every((fact) => fact !== null) ? facts : [];
}

function readFact(fact: unknown) {
  if (!isObject(fact) || typeof fact.text !== 'string') return null;
  const { text, sources = [] } = fact;
  return isTexts(sources) ? { text, sources } : null;
}

type Words = Pick<ObservationDraft, 'title' | 'subtitle' | 'narrative'> & { facts: { text: string }[] };

/** What reading it costs is counted of this. */
export const readableText = ({ title, subtitle, narrative, facts }: Words) =>
  [title, subtitle, narrative, ...facts.map((fact) => fact.text)].filter(Boolean).join('\n');

/** However it may have been settled since: the same words with another outcome are the same memory. */
export const hashesOf = (draft: ObservationDraft) => [null, ...OUTCOMES].map((outcome) => hashContent({ ...contentOf(draft), outcome }));

/** One like it was erased: it must not come back. */
export const isForgottenObservation = (db: Database, draft: ObservationDraft) =>
  hashesOf(draft).some((hash) => isForgotten(db, 'text', hash));

/** A person says again what was erased. */
export function allowObservation(db: Database, draft: ObservationDraft): void {
  for (const hash of hashesOf(draft)) exhume(db, 'text', hash);
}

/** As it is read for a session. */
export type Observation = Omit<ObservationContent, 'facts'> & {
  id: number;
  sessionId: number | null;
  facts: string[];
  origin: Origin;
  at: number;
  /** A commit of which nothing shows that the person made it here. */
  isByOthers: boolean;
  /** The member of the team who published it. */
  author: string | null;
  /** Whose session it is of, if not Claude Code's. */
  agent: string | null;
  /** Of the work tree when it was stored. */
  branch: string | null;
  head: string | null;
  pinned: boolean;
  tokens: number;
  /** What replaced it, or may have; only where something did. */
  replacedBy?: ReplacedBy;
};

/** Of earlier turns of the session, the oldest first. */
export function listTitles(db: Database, sessionId: number, before: number, limit = 40): string[] {
  const newestFirst = `SELECT title FROM observations WHERE session_id = ? AND prompt_number < ? AND title IS NOT NULL
    AND hidden_at IS NULL ORDER BY id DESC LIMIT ? + 0`;
  return readColumn<string>(db, newestFirst, sessionId, before, limit).reverse();
}

/** How what was made of a batch stands by now. */
export const listOutcomes = (db: Database, batchId: number) => {
  const sql = 'SELECT type, title, outcome FROM observations WHERE batch_id = ?';
  return readAll<Pick<StoredContent, 'type' | 'title' | 'outcome'>>(db, sql, batchId);
};

export const countObservations = (db: Database) => countRows(db, 'observations');

export const countProjectObservations = (db: Database, projectId: number) => countRows(db, 'observations WHERE project_id = ?', projectId);

export const hasObservations = (db: Database, projectId: number) =>
  exists(db, 'SELECT 1 FROM observations WHERE project_id = ? LIMIT 1', projectId);

/** The same without commits. */
export const hasSaid = (db: Database, projectId: number) =>
  exists(db, "SELECT 1 FROM observations WHERE project_id = ? AND origin <> 'commit' LIMIT 1", projectId);

/** A person says what an agent had noted: from now on it is theirs. */
export function believePerson(db: Database, id: number): void {
  db.query("UPDATE observations SET origin = 'user', trust = max(trust, ?) WHERE id = ?").run(TRUST.user, id);
}

/** Inside a transaction. */
export function insertCitations(db: Database, whose: { observationId: number; projectId: number }, citations: Citation[]): void {
  const insert = db.query(
    `INSERT OR IGNORE INTO citations (observation_id, project_id, path, did, blob, before, added, removed)
     VALUES ($observationId, $projectId, $path, $did, $blob, $before, $added, $removed)`,
  );
  for (const { path, did, blob, before, added, removed } of citations)
    insert.run({ ...whose, path, did, blob, before, added: JSON.stringify(added), removed: JSON.stringify(removed) });
}

export type Cited = Citation & { observationId: number };

export function listCitations(db: Database, observationIds: number[]): Cited[] {
  const sql = `SELECT observation_id AS observationId, path, did, blob, before, added, removed FROM citations
    WHERE observation_id IN (SELECT value FROM json_each(?)) ORDER BY observation_id, did, path`;
  return readAll<Cited & { added: string; removed: string }>(db, sql, JSON.stringify(observationIds)).map((row) => ({
    ...row,
    added: readStrings(row.added),
    removed: readStrings(row.removed),
  }));
}

/** `citations`: by path. */
export type Recorded = Pick<Observation, 'head' | 'branch'> & { citations: Map<string, Citation> };

/** What the provisional observations of a batch say of a project's code: they were made first. Null when there are none. */
export function readRecorded(db: Database, batchId: number, projectId: number | undefined): Recorded | null {
  const sql = 'SELECT id, head, branch FROM observations WHERE batch_id = ? AND provisional = 1 AND project_id = ? ORDER BY id';
  const rows = readAll<Pick<Observation, 'id' | 'head' | 'branch'>>(db, sql, batchId, projectId ?? 0);
  const [first] = rows;
  if (!first) return null;
  const ids = rows.map(({ id }) => id);
  const citations = new Map<string, Citation>();
  // Of a file that one of them changed and another only read, the one that changed it tells more.
  for (const { observationId: _, ...citation } of listCitations(db, ids))
    if (citations.get(citation.path)?.did !== 'changed') citations.set(citation.path, citation);
  return { head: first.head, branch: first.branch, citations };
}
