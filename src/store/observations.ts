// observations: what is worth remembering, with its evidence and a hash against silent change.
import type { Database } from 'bun:sqlite';
import { z } from 'zod';
import { bareEvidence, type Evidence } from '../core/evidence.ts';
import { hashParts } from '../core/ids.ts';
import type { ObservationDraft, ObservationType, Outcome } from '../core/observation.ts';
import { estimateTokens } from '../core/tokens.ts';
import { INJECTED_TRUST, TRUST } from '../core/trust.ts';
import { insertCitations, insertErrorMarks } from './citations.ts';
import { addDocument } from './documents.ts';
import { nextId } from './next-id.ts';
import { isoTime } from './time.ts';
import { exhume, isForgotten } from './tombstones.ts';

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
  draft: ObservationDraft,
  evidence: Evidence = bareEvidence(draft),
): number {
  const content = contentOf(draft);
  const { lastInsertRowid } = db
    .query(
      `INSERT INTO observations (id, session_id, project_id, prompt_number, type, title, subtitle, narrative, facts, concepts,
         files_read, files_modified, outcome, origin, trust, sources, tokens, hash, created_at, created_at_epoch, batch_id,
         provisional, head, branch, quarantined)
       VALUES (${nextId('observations')}, $sessionId, $projectId, $promptNumber, $type, $title, $subtitle, $narrative, $facts, $concepts,
         $filesRead, $filesModified, $outcome, $origin, $trust, $sources, $tokens, $hash, $iso, $at, $batchId, $isProvisional,
         $head, $branch, $isQuarantined)`,
    )
    .run({
      ...owner,
      head: evidence.head,
      branch: evidence.branch,
      isQuarantined: Number(evidence.isQuarantined),
      isProvisional: Number(owner.isProvisional),
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
  isForgotten(db, 'text', hashContent(contentOf(draft)));

/** A person says again what was erased. */
export const allowObservation = (db: Database, draft: ObservationDraft) =>
  exhume(db, 'text', hashContent(contentOf(draft)));

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

const readableText = ({ title, subtitle, narrative, facts }: ObservationDraft) =>
  [title, subtitle, narrative, ...facts.map((fact) => fact.text)].filter(Boolean).join('\n');

export type Observation = {
  id: number;
  sessionId: number;
  type: ObservationType;
  title: string | null;
  subtitle: string | null;
  narrative: string | null;
  facts: string[];
  filesRead: string[];
  filesModified: string[];
  outcome: Outcome | null;
  pinned: boolean;
  tokens: number;
  at: number;
};

export type RecentQuery = {
  projectId: number;
  limit: number;
  since?: number;
  exceptSession?: number;
  /** What rests on a person's word alone. */
  onlyByUser?: boolean;
};

/**
 * The newest memories of a project that a session may be told, newest first, and how many were left out because they are not
 * what was stored. Cost does not grow with the store.
 */
export function listRecentObservations(
  db: Database,
  query: RecentQuery,
): { observations: Observation[]; damaged: number } {
  const { projectId, limit, since = 0, exceptSession = 0, onlyByUser = false } = query;
  const rows = db
    .query<Row, [Record<string, number>]>(
      `SELECT id, session_id AS sessionId, type, title, subtitle, narrative, facts, concepts, files_read AS filesRead,
         files_modified AS filesModified, outcome, pinned, tokens, hash, created_at_epoch AS at
       FROM observations
       WHERE project_id = $projectId AND created_at_epoch > $since AND session_id <> $exceptSession
         AND superseded_by IS NULL AND hidden_at IS NULL AND trust >= ${INJECTED_TRUST}
         ${onlyByUser ? "AND origin = 'user'" : ''}
       ORDER BY created_at_epoch DESC, id DESC LIMIT $limit`,
    )
    .all({ projectId, limit, since, exceptSession });
  const intact = rows.filter(isIntact);
  return { observations: intact.map(fromRow), damaged: rows.length - intact.length };
}

type Row = Omit<Observation, 'facts' | 'filesRead' | 'filesModified' | 'pinned'> & {
  facts: string;
  concepts: string;
  filesRead: string;
  filesModified: string;
  pinned: number;
  hash: string;
};

/** A disk may change a bit, and another program a row: neither is told. */
const isIntact = (row: Row) => row.hash === hashContent(row);

type Content = Pick<
  Row,
  'type' | 'title' | 'subtitle' | 'narrative' | 'facts' | 'concepts' | 'filesRead' | 'filesModified' | 'outcome'
>;

const hashContent = (content: Content) =>
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

const Texts = z.array(z.string());
const Facts = z.array(z.object({ text: z.string() }));

function fromRow({ hash: _hash, concepts: _concepts, ...row }: Row): Observation {
  return {
    ...row,
    facts: Facts.parse(JSON.parse(row.facts)).map((fact) => fact.text),
    filesRead: Texts.parse(JSON.parse(row.filesRead)),
    filesModified: Texts.parse(JSON.parse(row.filesModified)),
    pinned: row.pinned === 1,
  };
}

/** The titles a session has recorded so far, oldest first, without those of one batch. */
export function listTitles(db: Database, sessionId: number, exceptBatch: number, limit = 40): string[] {
  return db
    .query<{ title: string }, [number, number, number]>(
      `SELECT title FROM observations WHERE session_id = ? AND batch_id IS NOT ? AND title IS NOT NULL
         AND hidden_at IS NULL ORDER BY id DESC LIMIT ?`,
    )
    .all(sessionId, exceptBatch, limit)
    .map(({ title }) => title)
    .reverse();
}

export function countObservations(db: Database): number {
  return db.query<{ n: number }, []>('SELECT count(*) AS n FROM observations').get()?.n ?? 0;
}

export function hasObservations(db: Database, projectId: number): boolean {
  return db.query('SELECT 1 FROM observations WHERE project_id = ? LIMIT 1').get(projectId) !== null;
}

export function newestObservationAt(db: Database): number | null {
  return (
    db.query<{ at: number }, []>('SELECT created_at_epoch AS at FROM observations ORDER BY id DESC LIMIT 1').get()
      ?.at ?? null
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
