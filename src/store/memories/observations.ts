// observations: what is worth remembering, with its evidence and a hash against silent change.
import type { Database } from 'bun:sqlite';
import { bareEvidence, type Evidence } from '../../core/evidence.ts';
import { hashParts } from '../../core/ids.ts';
import type { ReplacedBy } from '../../core/memory.ts';
import {
  type ObservationDraft,
  type ObservationType,
  type Origin,
  OUTCOMES,
  type Outcome,
} from '../../core/observation.ts';
import { estimateTokens } from '../../core/tokens.ts';
import { TRUST } from '../../core/trust.ts';
import { scrubValue } from '../../secrets/scrub.ts';
import { exhume, isForgotten } from '../forgetting/tombstones.ts';
import { addDocument } from '../index/documents.ts';
import { isoTime } from '../time.ts';
import { insertCitations, insertErrorMarks } from './citations.ts';
import { nextId } from './next-id.ts';

export type Owner = {
  sessionId: number;
  projectId: number;
  promptNumber: number;
  /** Null for what was said by hand. */
  batchId: number | null;
  /** Until the model has answered. */
  isProvisional: boolean;
};

export function insertObservation(
  db: Database,
  owner: Owner,
  said: ObservationDraft,
  evidence: Evidence = bareEvidence(said),
): number {
  // What was scrubbed in pieces may have been put together since.
  const draft = scrubValue(said).value;
  const content = contentOf(draft);
  const { lastInsertRowid } = db
    .query(
      `INSERT INTO observations (id, session_id, project_id, prompt_number, type, title, subtitle, narrative, facts, concepts,
         files_read, files_modified, outcome, origin, trust, sources, tokens, hash, created_at, created_at_epoch, batch_id,
         provisional, head, branch, quarantined, is_rule, steps)
       VALUES (${nextId('observations')}, $sessionId, $projectId, $promptNumber, $type, $title, $subtitle, $narrative, $facts, $concepts,
         $filesRead, $filesModified, $outcome, $origin, $trust, $sources, $tokens, $hash, $iso, $at, $batchId, $isProvisional,
         $head, $branch, $isQuarantined, $isRule, $steps)`,
    )
    .run({
      ...owner,
      head: evidence.head,
      branch: evidence.branch,
      isQuarantined: Number(evidence.isQuarantined),
      isProvisional: Number(owner.isProvisional),
      isRule: Number(draft.isRule ?? false),
      steps: draft.steps ? JSON.stringify(draft.steps) : null,
      ...content,
      origin: draft.origin,
      trust: evidence.trust,
      sources: JSON.stringify(draft.sources),
      tokens: estimateTokens(readableText(draft)),
      hash: hashContent(content),
      iso: isoTime(draft.at),
      at: draft.at,
    });
  const id = Number(lastInsertRowid);
  const whose = { observationId: id, projectId: owner.projectId };
  insertCitations(db, whose, evidence.citations);
  insertErrorMarks(db, whose, evidence.errorMarks);
  addDocument(db, { kind: 'observation', id });
  return id;
}

/** One like it was erased: it must not come back. */
export const isForgottenObservation = (db: Database, draft: ObservationDraft) =>
  hashesOf(draft).some((hash) => isForgotten(db, 'text', hash));

/** A person says again what was erased. */
export function allowObservation(db: Database, draft: ObservationDraft): void {
  for (const hash of hashesOf(draft)) exhume(db, 'text', hash);
}

/** However it may have been settled since: the same words with another outcome are the same memory. */
const hashesOf = (draft: ObservationDraft) =>
  [null, ...OUTCOMES].map((outcome) => hashContent({ ...contentOf(draft), outcome }));

const contentOf = (draft: ObservationDraft) => ({
  type: draft.type,
  title: draft.title,
  subtitle: draft.subtitle,
  narrative: draft.narrative,
  facts: JSON.stringify(draft.facts),
  concepts: JSON.stringify(draft.concepts),
  filesRead: JSON.stringify(draft.filesRead),
  filesModified: JSON.stringify(draft.filesModified),
  outcome: draft.outcome,
});

type Words = Pick<ObservationDraft, 'title' | 'subtitle' | 'narrative'> & { facts: { text: string }[] };

/** What reading it costs is counted of this. */
export const readableText = ({ title, subtitle, narrative, facts }: Words) =>
  [title, subtitle, narrative, ...facts.map((fact) => fact.text)].filter(Boolean).join('\n');

export type Observation = {
  id: number;
  sessionId: number;
  type: ObservationType;
  title: string | null;
  subtitle: string | null;
  narrative: string | null;
  facts: string[];
  concepts: string[];
  filesRead: string[];
  filesModified: string[];
  outcome: Outcome | null;
  origin: Origin;
  /** A commit of which nothing shows that the person made it here. */
  isByOthers: boolean;
  /** Of the work tree when it was stored. */
  branch: string | null;
  head: string | null;
  pinned: boolean;
  tokens: number;
  at: number;
  /** What replaced it, or may have; only where something did. */
  replacedBy?: ReplacedBy;
};

/** What the hash of a row is made of, as it is stored. */
export type StoredContent = {
  type: ObservationType;
  title: string | null;
  subtitle: string | null;
  narrative: string | null;
  facts: string;
  concepts: string;
  filesRead: string;
  filesModified: string;
  outcome: Outcome | null;
};

export const hashContent = (content: StoredContent) =>
  hashParts([
    content.type,
    content.title,
    content.subtitle,
    content.narrative,
    content.facts,
    content.concepts,
    content.filesRead,
    content.filesModified,
    content.outcome,
  ]);

/** Of earlier turns of the session, the oldest first. */
export function listTitles(db: Database, sessionId: number, before: number, limit = 40): string[] {
  return db
    .query<{ title: string }, [number, number, number]>(
      `SELECT title FROM observations WHERE session_id = ? AND prompt_number < ? AND title IS NOT NULL
         AND hidden_at IS NULL ORDER BY id DESC LIMIT ?`,
    )
    .all(sessionId, before, limit)
    .map(({ title }) => title)
    .reverse();
}

export function countObservations(db: Database): number {
  return db.query<{ n: number }, []>('SELECT count(*) AS n FROM observations').get()?.n ?? 0;
}

export function countProjectObservations(db: Database, projectId: number): number {
  return (
    db.query<{ n: number }, [number]>('SELECT count(*) AS n FROM observations WHERE project_id = ?').get(projectId)
      ?.n ?? 0
  );
}

export function hasObservations(db: Database, projectId: number): boolean {
  return db.query('SELECT 1 FROM observations WHERE project_id = ? LIMIT 1').get(projectId) !== null;
}

/** The same without commits. */
export function hasSaid(db: Database, projectId: number): boolean {
  return (
    db.query("SELECT 1 FROM observations WHERE project_id = ? AND origin <> 'commit' LIMIT 1").get(projectId) !== null
  );
}

/** What a session says in exactly these words. */
export function findSaid(db: Database, sessionId: number, text: string) {
  const row = db
    .query<{ id: number; title: string | null; hiddenAt: string | null }, [number, string, string]>(
      `SELECT id, title, hidden_at AS hiddenAt FROM observations
       WHERE session_id = ? AND (narrative = ? OR (narrative IS NULL AND title = ?)) LIMIT 1`,
    )
    .get(sessionId, text, text);
  return row && { id: row.id, title: row.title, isHidden: row.hiddenAt !== null };
}

/** A person says what an agent had noted: from now on it is theirs. */
export function believePerson(db: Database, id: number): void {
  db.query("UPDATE observations SET origin = 'user', trust = max(trust, ?) WHERE id = ?").run(TRUST.user, id);
}
