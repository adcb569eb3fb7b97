// The memories of a turn, made again from its record: what is as it should be stays, with its id; what a person or a
// model said stays as it is.
import type { Database } from 'bun:sqlite';
import { markError } from '../core/error-mark.ts';
import { bareEvidence, type Evidence } from '../core/evidence.ts';
import { type ObservationDraft, type SummaryDraft, type SummaryWords, tellsMore } from '../core/observation.ts';
import {
  type Cited,
  contentOf,
  insertObservation,
  isForgottenObservation,
  listCitations,
  readFacts,
  readStrings,
  writeContent,
} from '../memory/observations.ts';
import { rederiveOutcome } from '../memory/outcomes.ts';
import { isForgottenSummary, rewriteSummary } from '../memory/summaries.ts';
import { judgeBy } from '../memory/untrusted.ts';
import { parseAnswer } from '../model/answer.ts';
import { scrubValue } from '../secrets/scrub.ts';
import { listKeptAnswers } from '../store/model-calls.ts';
import { readAll, readFirst, readValue } from '../store/read.ts';
import { FORGOTTEN } from '../turns/take-out.ts';
import { listTurnsBefore, type TurnPlace } from '../turns/turns.ts';
import { answers, isSteering } from './evidence.ts';
import { readGrounds } from './grounds.ts';
import { observeTurn, toObservation } from './observe.ts';
import { createTurnReader, findCommits, findPlace, MOST_BETWEEN, type Place, type ReadTurn, settleTurn } from './settle.ts';
import { summarize } from './summary.ts';
import type { ObservedTurn } from './turn.ts';

type Derived = { made: number; gone: number };

/** Inside the transaction that stored a new turn: what it says of those before it, and the work that its commit names. */
export function settleNew(db: Database, turn: TurnPlace): void {
  const read = createTurnReader(db);
  const isCommit = (read(turn)?.record.steps ?? []).some(({ kind }) => kind === 'committed');
  const before = isCommit ? listTurnsBefore(db, turn, MOST_BETWEEN) : [];
  const works = before.map(({ promptNumber }) => ({ ...turn, promptNumber }));
  for (const work of works.filter((one) => findCommits(db, one, read).by === turn.promptNumber)) deriveTurn(db, work, read);
  settleTurn(db, turn, read);
}

/** Inside a transaction. Done again, it changes nothing. */
export function deriveTurn(db: Database, turn: TurnPlace, read: ReadTurn = createTurnReader(db)): Derived {
  const place = findPlace(db, turn);
  if (!place) return { made: 0, gone: 0 };
  // What somebody took a part out of tells less than it did: what stands was made of all of it, and what went is not to be made again.
  const free = place.record.includes(FORGOTTEN) ? 'nothing' : whatIsFree(db, turn);
  const derived = free === 'nothing' ? { made: 0, gone: 0 } : deriveObservations(db, place, { withSummary: free === 'all', read });
  settleTurn(db, turn, read);
  return derived;
}

/**
 * What is the rules' to make again. What was remembered in another project stands, what waits for a model, what
 * a model said of the turn, and what was said of each part of a turn that went on behind its end: its record tells it as one.
 */
function whatIsFree(db: Database, { sessionId, promptNumber }: TurnPlace): 'all' | 'observations' | 'nothing' {
  const isOthers = db
    .query(
      `SELECT 1 FROM batches WHERE session_id = $sessionId AND prompt_number = $promptNumber
         GROUP BY 1 HAVING count(*) > 1 OR total(status = 'waiting') > 0
       UNION ALL SELECT 1 FROM observations o JOIN sessions s ON s.id = o.session_id
         WHERE o.session_id = $sessionId AND o.prompt_number = $promptNumber AND (o.project_id <> s.project_id OR o.batch_id IS NULL)`,
    )
    .get({ sessionId, promptNumber });
  if (isOthers) return 'nothing';
  const isModels = db
    .query("SELECT 1 FROM batches WHERE session_id = ? AND prompt_number = ? AND observer <> 'local'")
    .get(sessionId, promptNumber);
  if (!isModels) return 'all';
  // An answer without observations leaves those of the rules.
  const answers = listKeptAnswers(db, { sessionId, promptNumber });
  const isSilent = answers.length > 0 && answers.every(({ answer }) => parseAnswer(answer).observations.length === 0);
  return isSilent ? 'observations' : 'nothing';
}

const TURNS_BEFORE = 3;

function deriveObservations(db: Database, place: Place, { withSummary, read }: { withSummary: boolean; read: ReadTurn }): Derived {
  const before = listTurnsBefore(db, place, TURNS_BEFORE).flatMap(({ promptNumber }) => read({ ...place, promptNumber }) ?? []);
  const now = read(place);
  if (!now) return { made: 0, gone: 0 };
  const grounds = readGrounds(now, before, firstPrompt(db, place));
  // What was said of it when its words from outside were known stands.
  if (!grounds) return { made: 0, gone: 0 };
  const drafts = observeTurn(now, before.at(-1) ?? null, findCommits(db, place, read).names);
  const { observations, summary } = judgeBy(
    {
      observations: drafts.map((draft) => toObservation(draft, place.at, (steps) => steps.map(String))),
      summary: withSummary ? summarize(now, drafts, place.at) : null,
      title: null,
      subtitle: null,
    },
    grounds,
  );
  const wanted = new Map(observations.map(withoutSources).map((draft) => [keyOf(draft), draft]));
  const known = listKnown(db, place);
  const evidence = readEvidence(db, known, now, place);
  const isKnown = new Set(known.map(({ key }) => key));
  let gone = 0;
  for (const row of known.filter(({ isFree }) => isFree === 1)) {
    const others = [...wanted].filter(([key, draft]) => !isKnown.has(key) && !isForgottenObservation(db, draft));
    const [key, draft] = wanted.has(row.key) ? [row.key, wanted.get(row.key)] : (others.find((one) => isSame(row, one[1], evidence)) ?? []);
    if (!draft) db.query('DELETE FROM observations WHERE id = ?').run(row.id);
    else rederive(db, row, draft, key !== row.key);
    if (draft) isKnown.add(key ?? '');
    else gone++;
  }
  // A person hid or corrected what was said of this turn in other words: nothing new is said in its place.
  const isCorrected = known.some(({ isFree }) => isFree === 0);
  const missing = [...wanted].flatMap(([key, draft]) => (isKnown.has(key) || isForgottenObservation(db, draft) ? [] : [draft]));
  const made = isCorrected ? [] : missing;
  const owner = { ...place, batchId: findBatch(db, place), isProvisional: false };
  for (const draft of made) insertObservation(db, owner, draft, evidence(draft));
  if (summary) rederiveSummary(db, place, summary);
  return { made: made.length, gone };
}

type ReadEvidence = (draft: ObservationDraft) => Evidence;

/** The same work in other words: it rests on the same steps and files. */
function isSame({ restsOn, trust }: Known, draft: ObservationDraft, evidence: ReadEvidence): boolean {
  if (restsOn !== groundsOf(draft, draft.steps)) return false;
  const found = evidence(draft);
  return found.trust === trust && !found.isQuarantined;
}

const groundsOf = ({ type, filesModified }: Pick<ObservationDraft, 'type' | 'filesModified'>, steps: number[] = []) =>
  JSON.stringify([type === 'decision' || type === 'discovery' ? type : 'work', filesModified, steps]);

/** `isReworded`: also what its key holds. */
function rederive(db: Database, { id, outcome }: Known, draft: ObservationDraft, isReworded: boolean): void {
  if (isReworded) writeContent(db, id, { ...contentOf(scrubValue(draft).value), outcome });
  const sql = 'UPDATE observations SET is_rule = ?1, steps = ?2 WHERE id = ?3 AND (is_rule <> ?1 OR steps IS NOT ?2)';
  db.query(sql).run(Number(draft.isRule), JSON.stringify(draft.steps ?? []), id);
  rederiveOutcome(db, id, draft.outcome);
}

/** The events that it was made of are gone. */
const withoutSources = (draft: ObservationDraft): ObservationDraft => ({
  ...draft,
  sources: [],
  facts: draft.facts.map((fact) => ({ ...fact, sources: [] })),
});

const firstPrompt = (db: Database, { sessionId }: TurnPlace): string =>
  readValue<string>(db, 'SELECT first_prompt FROM sessions WHERE id = ?', sessionId) ?? '';

/** By which it was made; null for what came with an import. */
const findBatch = (db: Database, { sessionId, promptNumber }: TurnPlace): number | null => {
  const sql = 'SELECT max(id) AS id FROM batches WHERE session_id = ? AND prompt_number = ?';
  return readFirst<{ id: number | null }>(db, sql, sessionId, promptNumber)?.id ?? null;
};

/** Outcomes are settled later, and say nothing about what it is. */
const keyOf = ({ type, title, facts, ...files }: Pick<ObservationDraft, 'type' | 'title' | 'facts' | 'filesModified' | 'filesRead'>) =>
  JSON.stringify([type, title, facts.map(({ text }) => text), files.filesModified, files.filesRead]);

/** `isFree`: nobody pinned, edited, marked or hid it, or said whether it is a rule. */
type Known = Pick<ObservationDraft, 'outcome'> & { id: number; key: string; restsOn: string; trust: number; isFree: number };
type Row = Omit<Known, 'key' | 'restsOn'> &
  Pick<ObservationDraft, 'type' | 'title'> &
  Record<'facts' | 'files' | 'filesRead', string> & { steps: string | null };

const listKnown = (db: Database, { sessionId, promptNumber }: TurnPlace): Known[] => {
  const sql = `SELECT id, type, title, facts, files_modified AS files, files_read AS filesRead, steps, outcome, trust,
      pinned = 0 AND kept = 0 AND edited_at IS NULL AND wrong_at IS NULL AND hidden_at IS NULL AND rule_said_at IS NULL AS isFree
    FROM observations WHERE session_id = ? AND prompt_number = ? ORDER BY id`;
  return readAll<Row>(db, sql, sessionId, promptNumber).map(({ type, title, facts, files, filesRead, steps, ...row }) => ({
    ...row,
    key: keyOf({ type, title, facts: readFacts(facts), filesModified: readStrings(files), filesRead: readStrings(filesRead) }),
    restsOn: groundsOf({ type, filesModified: readStrings(files) }, steps === null ? [] : JSON.parse(steps)),
  }));
};

/** The code as it was then is known by what was stored then. */
function readEvidence(db: Database, known: Known[], now: ObservedTurn, { head, branch }: Place): ReadEvidence {
  const { steps } = now.record;
  const ids = known.map(({ id }) => id);
  const cited = new Map<string, Cited>(listCitations(db, ids).map((one) => [one.path, one]));
  return (draft) => {
    const bare = bareEvidence(draft);
    const restsOn = (draft.steps ?? []).map((at) => steps[at]);
    const failed = restsOn.flatMap((step) =>
      step?.kind === 'ran' && step.isOk === false && answers(draft, step.output) ? [step.output] : [],
    );
    const errors = [...(draft.type === 'bugfix' ? [now.prompt] : []), ...failed].flatMap(markError);
    const citations = bare.citations.map((one) => cited.get(one.path) ?? one);
    return { ...bare, head, branch, citations, errorMarks: [...new Set(errors)], isQuarantined: isSteering(draft, bare.trust) };
  };
}

/** The words of a summary that the rules made and nobody hid. */
function rederiveSummary(db: Database, { sessionId, promptNumber }: TurnPlace, summary: SummaryDraft): void {
  const sql = `SELECT id, request, investigated, learned, completed, next_steps AS nextSteps, notes FROM summaries
    WHERE session_id = ? AND prompt_number = ? AND hidden_at IS NULL AND batch_id IS NOT NULL`;
  const rows = readAll<SummaryWords & { id: number }>(db, sql, sessionId, promptNumber);
  const [only] = rows;
  if (!only || rows.length > 1 || !tellsMore(summary) || isForgottenSummary(db, summary)) return;
  const { id, ...words } = only;
  const isSame = Object.entries(words).every(([field, text]) => text === summary[field as keyof SummaryWords]);
  if (!isSame) rewriteSummary(db, id, summary);
}
