// The memories of a turn, made again from its record: what is as it should be stays, with its id; what a person or a model said stays as it is.
import type { Database } from 'bun:sqlite';
import { cleanPrompt } from '../core/clean-prompt.ts';
import { markError } from '../core/error-mark.ts';
import { bareEvidence, type Evidence } from '../core/evidence.ts';
import type { ObservationDraft } from '../core/observation.ts';
import { type SummaryDraft, tellsMore } from '../core/summary.ts';
import { TRUST } from '../core/trust.ts';
import { type Cited, listCitations } from '../store/memories/citations.ts';
import { insertObservation, isForgottenObservation } from '../store/memories/observations.ts';
import { isForgottenSummary, rewriteSummary, type SummaryWords } from '../store/memories/summaries.ts';
import { readRecord, type TurnRecord } from '../turns/record.ts';
import { listTurnsBefore, type TurnPlace } from '../turns/turns.ts';
import { isFromOutside } from '../turns/untrusted.ts';
import { observeTurn, toObservation } from './observe.ts';
import { findPlace, type Place, type ReadTurn, settleTurn } from './settle.ts';
import { summarize } from './summary.ts';

export type Derived = { made: number; gone: number };

const TURNS_BEFORE = 3;

/** Inside a transaction. Done again, it changes nothing. */
export function deriveTurn(db: Database, turn: TurnPlace, read?: ReadTurn): Derived {
  const place = findPlace(db, turn);
  if (!place) return { made: 0, gone: 0 };
  const derived = isOurs(db, turn) ? deriveObservations(db, place) : { made: 0, gone: 0 };
  settleTurn(db, turn, read);
  return derived;
}

/** By which it was made; null for what came with an import. */
const findBatch = (db: Database, { sessionId, promptNumber }: TurnPlace): number | null =>
  db
    .query<{ id: number | null }, [number, number]>(
      'SELECT max(id) AS id FROM batches WHERE session_id = ? AND prompt_number = ?',
    )
    .get(sessionId, promptNumber)?.id ?? null;

/** What a model said of the turn stands; so does what was remembered in another project, and what waits for a model. */
const isOurs = (db: Database, { sessionId, promptNumber }: TurnPlace): boolean =>
  db
    .query(
      `SELECT 1 FROM batches WHERE session_id = $sessionId AND prompt_number = $promptNumber AND (observer <> 'local' OR status = 'waiting')
       UNION ALL SELECT 1 FROM observations o JOIN sessions s ON s.id = o.session_id
         WHERE o.session_id = $sessionId AND o.prompt_number = $promptNumber AND (o.project_id <> s.project_id OR o.batch_id IS NULL)`,
    )
    .get({ sessionId, promptNumber }) === null;

type Known = {
  id: number;
  type: string;
  title: string | null;
  facts: string;
  files: string;
  trust: number;
  isFree: number;
};

function deriveObservations(db: Database, place: Place): Derived {
  const turn: TurnPlace = { sessionId: place.sessionId, promptNumber: place.promptNumber };
  const record = readRecord(place.record);
  const before = listTurnsBefore(db, turn, TURNS_BEFORE).map((one) => ({
    prompt: cleanPrompt(one.prompt),
    record: readRecord(one.record),
  }));
  const now = { prompt: cleanPrompt(place.prompt), record };
  const drafts = observeTurn({ turn: now, before, next: null });
  const wanted = drafts.map((draft) => toObservation(draft, place.at, () => []));
  const known = listKnown(db, turn);
  const isSame = (row: Known, draft: ObservationDraft) => keyOf(row) === keyOfDraft(draft);
  const missing = wanted.filter(
    (draft) => !known.some((row) => isSame(row, draft)) && !isForgottenObservation(db, draft),
  );
  const surplus = known.filter((row) => row.isFree === 1 && !wanted.some((draft) => isSame(row, draft)));
  const evidence = readEvidence(db, { known, record, place });
  for (const { id } of surplus) db.query('DELETE FROM observations WHERE id = ?').run(id);
  for (const row of known) {
    const draft = row.isFree === 1 ? wanted.find((one) => isSame(row, one)) : undefined;
    if (draft)
      db.query('UPDATE observations SET is_rule = ?1 WHERE id = ?2 AND is_rule <> ?1').run(
        Number(draft.isRule),
        row.id,
      );
  }
  const owner = { ...turn, projectId: place.projectId, batchId: findBatch(db, turn), isProvisional: false };
  // A person hid or corrected what was said of this turn in other words: nothing new is said in its place.
  const isCorrected = known.some((row) => row.isFree === 0);
  if (!isCorrected) for (const draft of missing) insertObservation(db, owner, draft, evidence(draft));
  // What was taken out of it because it came from outside is not known here.
  const isOwn = [record, ...before.map((one) => one.record)].every(({ steps }) => !steps.some(isFromOutside));
  if (isOwn) rederiveSummary(db, turn, summarize(now, drafts, place.at));
  return { made: isCorrected ? 0 : missing.length, gone: surplus.length };
}

/** `isFree`: nobody pinned, edited, marked or hid it, or said whether it is a rule. */
const listKnown = (db: Database, { sessionId, promptNumber }: TurnPlace): Known[] =>
  db
    .query<Known, [number, number]>(
      `SELECT id, type, title, facts, files_modified AS files, trust,
         pinned = 0 AND kept = 0 AND edited_at IS NULL AND wrong_at IS NULL AND hidden_at IS NULL AND rule_said_at IS NULL AS isFree
       FROM observations WHERE session_id = ? AND prompt_number = ? ORDER BY id`,
    )
    .all(sessionId, promptNumber);

/** Outcomes are settled later, and say nothing about what it is. */
const keyOf = ({ type, title, facts, files }: Known) =>
  JSON.stringify([type, title, textsOf(facts), JSON.parse(files)]);
const keyOfDraft = ({ type, title, facts, filesModified }: ObservationDraft) =>
  JSON.stringify([type, title, facts.map(({ text }) => text), filesModified]);

function textsOf(facts: string): string[] {
  const value: unknown = JSON.parse(facts);
  return Array.isArray(value) ? value.map((fact) => (fact as { text?: string })?.text ?? '') : [];
}

/** The code as it was then is known by what was stored then. What came from outside makes the words of the agent no more trusted than they were. */
function readEvidence(
  db: Database,
  { known, record, place }: { known: Known[]; record: TurnRecord; place: Place },
): (draft: ObservationDraft) => Evidence {
  const cited = new Map<string, Cited>(
    listCitations(
      db,
      known.map(({ id }) => id),
    ).map((one) => [one.path, one]),
  );
  const trusts = known.map(({ trust }) => trust);
  const least = trusts.length > 0 ? Math.min(...trusts) : record.steps.some(isFromOutside) ? TRUST.web : TRUST.agent;
  return (draft) => {
    const bare = bareEvidence(draft);
    const errors = (draft.steps ?? []).flatMap((at) => {
      const step = record.steps[at];
      return step?.kind === 'ran' && step.isOk === false ? markError(step.output) : [];
    });
    return {
      ...bare,
      head: place.head,
      branch: place.branch,
      citations: bare.citations.map((one) => cited.get(one.path) ?? one),
      errorMarks: [...new Set(errors)],
      trust: draft.origin === 'user' ? bare.trust : Math.min(bare.trust, least),
    };
  };
}

/** The words of a summary that the rules made and nobody hid. */
function rederiveSummary(db: Database, { sessionId, promptNumber }: TurnPlace, summary: SummaryDraft): void {
  const rows = db
    .query<SummaryWords & { id: number }, [number, number]>(
      `SELECT id, request, investigated, learned, completed, next_steps AS nextSteps, notes FROM summaries
       WHERE session_id = ? AND prompt_number = ? AND hidden_at IS NULL AND batch_id IS NOT NULL`,
    )
    .all(sessionId, promptNumber);
  const [only] = rows;
  if (!only || rows.length > 1 || !tellsMore(summary) || isForgottenSummary(db, summary)) return;
  const isSame = FIELDS.every((field) => only[field] === summary[field]);
  if (!isSame) rewriteSummary(db, only.id, summary);
}

const FIELDS = ['request', 'investigated', 'learned', 'completed', 'nextSteps', 'notes'] as const;
