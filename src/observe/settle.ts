// What a turn says about earlier memories and steps: replaced, borne out, failed again, closed. Read from the store alone, so that a rebuild says the same.
import type { Database } from 'bun:sqlite';
import { cleanPrompt } from '../core/clean-prompt.ts';
import { markError } from '../core/error-mark.ts';
import type { ObservationType, Outcome } from '../core/observation.ts';
import { closeStep, listOpenSteps, putSteps, reopenSteps } from '../memory/open-steps.ts';
import { addReplacement, dropDerived } from '../memory/replacements.ts';
import { applyClaims } from '../model/claims.ts';
import { setOutcome } from '../store/memories/outcomes.ts';
import { nameByWork } from '../store/sessions/session-words.ts';
import { readRecord, type TurnRecord } from '../turns/record.ts';
import { listTurnsBefore, type TurnPlace } from '../turns/turns.ts';
import { isUntrustedAt } from '../turns/untrusted.ts';
import { lineChanges } from './changes.ts';
import { findReplaced, type Known } from './replaces.ts';
import { findOpenSteps, isClosedBy, type OpenStep } from './steps.ts';
import { isSameRun, type ObservedTurn } from './turn.ts';
import { begins } from './words.ts';
import { lastCheck } from './work.ts';

/** A turn with what is stored of it. */
export type Place = TurnPlace & {
  promptId: number;
  projectId: number;
  prompt: string;
  record: string;
  branch: string | null;
  head: string | null;
  at: number;
};

/** After a turn and its observations are stored. Inside the same transaction; done again, it leaves the same rows. */
export function settleTurn(db: Database, turn: TurnPlace, read: ReadTurn = createTurnReader(db)): void {
  const place = findPlace(db, turn);
  if (!place) return;
  const now = { prompt: cleanPrompt(place.prompt), record: readRecord(place.record) };
  dropDerived(db, turn);
  reopenSteps(db, turn);
  const own = listOwn(db, place);
  const known = listKnown(db, place, own, read);
  settleReplaced(db, place, now, { own, known });
  settleOutcomes(db, place, now);
  settleFailedAgain(db, place, now.record);
  settleSteps(db, place, now, read);
  applyClaims(db, turn);
  nameByWork(db, turn.sessionId);
}

export function findPlace(db: Database, { sessionId, promptNumber }: TurnPlace): Place | null {
  return db
    .query<Place, [number, number]>(
      `SELECT t.session_id AS sessionId, t.prompt_number AS promptNumber, p.id AS promptId, s.project_id AS projectId,
         p.text AS prompt, t.record, t.branch, t.head_after AS head, t.ended_at_epoch AS at
       FROM turns t JOIN sessions s ON s.id = t.session_id
         JOIN prompts p ON p.session_id = t.session_id AND p.prompt_number = t.prompt_number
       WHERE t.session_id = ? AND t.prompt_number = ?`,
    )
    .get(sessionId, promptNumber);
}

type Row = {
  id: number;
  sessionId: number;
  promptNumber: number | null;
  type: ObservationType;
  title: string | null;
  facts: string;
  files: string;
  filesRead: string;
  origin: string;
  isRule: number;
  outcome: Outcome | null;
};
const COLUMNS = `o.id, o.session_id AS sessionId, o.prompt_number AS promptNumber, o.type, o.title, o.facts, o.files_modified AS files, o.files_read AS filesRead,
  o.origin, o.is_rule AS isRule, o.outcome`;

const listOwn = (db: Database, { sessionId, promptNumber }: Place): Known[] =>
  db
    .query<Row, [number, number]>(
      `SELECT ${COLUMNS} FROM observations o WHERE o.session_id = ? AND o.prompt_number = ? AND o.hidden_at IS NULL ORDER BY o.id`,
    )
    .all(sessionId, promptNumber)
    .map((row) => toKnown(row, NO_LINES, 0));

/** Of the same files, the newest of the session, the newest decisions and the rules: cost does not grow with the store. */
const MOST_KNOWN = 40;
/** Rules do not age: whatever was said since, they can be reversed. Each once: else every wording would replace all before it. */
const MOST_RULES = 200;

function listKnown(db: Database, place: Place, own: Known[], read: ReadTurn): Known[] {
  const files = [...new Set([...own.flatMap((one) => one.files), ...editedFiles(readRecord(place.record))])].slice(
    0,
    100,
  );
  const rows = db
    .query<Row, [Record<string, number | string>]>(
      `SELECT ${COLUMNS} FROM observations o WHERE o.id IN (
         SELECT id FROM (SELECT id FROM observations WHERE session_id = $sessionId AND prompt_number < $promptNumber
           ORDER BY prompt_number DESC, id DESC LIMIT ${MOST_KNOWN})
         UNION SELECT id FROM (SELECT id FROM observations WHERE project_id = $projectId AND type = 'decision'
           AND created_at_epoch <= $at ORDER BY created_at_epoch DESC LIMIT ${MOST_KNOWN})
         UNION SELECT id FROM (SELECT id FROM observations WHERE project_id = $projectId AND is_rule = 1
           AND created_at_epoch <= $at ORDER BY created_at_epoch DESC LIMIT ${MOST_RULES})
         UNION SELECT observation_id FROM (SELECT observation_id FROM citations WHERE project_id = $projectId
           AND path IN (SELECT value FROM json_each($files)) ORDER BY observation_id DESC LIMIT ${MOST_KNOWN}))
       AND +o.project_id = $projectId AND +o.created_at_epoch <= $at AND o.origin <> 'commit'
       AND NOT (o.session_id = $sessionId AND coalesce(o.prompt_number, 0) >= $promptNumber)
       AND o.edited_at IS NULL AND o.hidden_at IS NULL AND o.wrong_at IS NULL
       AND (o.is_rule = 0 OR NOT EXISTS (SELECT 1 FROM replacements r WHERE r.older_kind = 'observation' AND r.older_id = o.id
         AND r.certain = 1 AND r.both_hold = 0)) ORDER BY o.created_at_epoch, o.id`,
    )
    .all({
      sessionId: place.sessionId,
      promptNumber: place.promptNumber,
      projectId: place.projectId,
      at: place.at,
      files: JSON.stringify(files),
    });
  return rows.map((row) => {
    const isHere = row.sessionId === place.sessionId && row.promptNumber !== null;
    return toKnown(row, linesOf(row, read), isHere ? place.promptNumber - (row.promptNumber ?? 0) : ELSEWHERE);
  });
}

/** Turns ago, for what another session did. */
const ELSEWHERE = 100;

const editedFiles = ({ steps }: TurnRecord) => steps.flatMap((step) => (step.kind === 'edited' ? [step.file] : []));

type Lines = Pick<Known, 'added' | 'removed'>;
const NO_LINES: Lines = { added: [], removed: [] };

function toKnown(row: Row, lines: Lines, ago: number): Known {
  return {
    id: row.id,
    type: row.type,
    title: row.title ?? '',
    facts: readList(row.facts).flatMap((fact) => (isFact(fact) ? [fact.text] : [])),
    by: row.origin === 'user' ? 'user' : 'agent',
    isRule: row.isRule === 1,
    files: [...readList(row.files), ...readList(row.filesRead)].filter((file) => typeof file === 'string'),
    outcome: row.outcome,
    ...lines,
    ago,
  };
}

/** A damaged list of an older memory says nothing: it must not keep out what is new. */
function readList(json: string): unknown[] {
  try {
    const value: unknown = JSON.parse(json);
    return Array.isArray(value) ? value : [];
  } catch {
    return []; // as said
  }
}

const isFact = (value: unknown): value is { text: string } =>
  typeof value === 'object' && value !== null && 'text' in value && typeof value.text === 'string';

export type ReadTurn = (turn: TurnPlace) => ObservedTurn | null;

/** Each record once: several memories and steps share a turn, and the turns of a session look at the same ones. */
export function createTurnReader(db: Database): ReadTurn {
  const turns = new Map<string, ObservedTurn | null>();
  return (turn) => {
    const key = `${turn.sessionId} ${turn.promptNumber}`;
    const known = turns.get(key);
    if (known !== undefined) return known;
    const place = findPlace(db, turn);
    const read = place && { prompt: cleanPrompt(place.prompt), record: readRecord(place.record) };
    turns.set(key, read);
    return read;
  };
}

/** What the turn of a memory changed in its files. */
function linesOf({ sessionId, promptNumber, type, files }: Row, read: ReadTurn): Lines {
  const record = promptNumber === null ? null : read({ sessionId, promptNumber })?.record;
  if (!record) return NO_LINES;
  const own = new Set(readList(files));
  const steps = record.steps.filter((step) => step.kind === 'edited' && (own.has(step.file) || type === 'discovery'));
  const { added, removed } = lineChanges({ steps, closing: '' });
  return { added: [...added], removed: [...removed] };
}

type Memories = { own: Known[]; known: Known[] };

function settleReplaced(db: Database, place: Place, now: ObservedTurn, { own, known }: Memories): void {
  for (const { older, newer, isCertain, why, words, isGivenUp } of findReplaced({ ...now, own, known })) {
    if (isGivenUp && known.some(({ id, type }) => id === older && WORK.has(type))) setOutcome(db, older, 'ruled-out');
    addReplacement(db, {
      older: { kind: 'observation', id: older },
      newer: newer === null ? { kind: 'prompt', id: place.promptId } : { kind: 'observation', id: newer },
      isCertain,
      why,
      words,
      madeBy: 'rules',
      at: place.at,
    });
  }
}

const WORK = new Set<ObservationType>(['bugfix', 'feature', 'refactor', 'change']);

/** Work of this session that nothing has borne out yet: the user's word about the last turn, or a check that passes now. A commit says nothing. */
function settleOutcomes(db: Database, { sessionId, promptNumber }: Place, { prompt, record }: ObservedTurn): void {
  const isConfirmed = begins(prompt, 'confirm');
  // What is edited before the check is part of what it checks, and may have mended it.
  const edit = record.steps.findIndex((step) => step.kind === 'edited');
  const isChecked = lastCheck(edit < 0 ? record.steps : record.steps.slice(0, edit))?.hasPassed === true;
  if (!isConfirmed && !isChecked) return;
  const rows = db
    .query<{ id: number }, [number, number, number]>(
      `SELECT o.id FROM observations o WHERE o.session_id = ? AND o.prompt_number < ? AND o.prompt_number >= ?
         AND o.type IN ('bugfix','feature','refactor','change') AND o.outcome = 'unverified'`,
    )
    .all(sessionId, promptNumber, isChecked ? 0 : promptNumber - 1);
  for (const { id } of rows) setOutcome(db, id, 'passed');
}

/** A run that is red at the end of the turn, with the error that an earlier fix had answered. */
function settleFailedAgain(db: Database, place: Place, { steps }: TurnRecord): void {
  const red = steps.flatMap((step, at) => {
    if (step.kind !== 'ran' || step.isOk !== false) return [];
    const isMended = steps.some(
      (later, i) => i > at && later.kind === 'ran' && later.isOk === true && isSameRun(later.command, step.command),
    );
    return isMended ? [] : [step.output];
  });
  for (const output of red) {
    const fixes = db
      .query<{ id: number }, [Record<string, number | string>]>(
        `SELECT o.id FROM observations o WHERE o.id IN (SELECT observation_id FROM error_marks WHERE project_id = $projectId
             AND mark IN (SELECT value FROM json_each($marks)))
           AND o.type = 'bugfix' AND o.outcome = 'passed' AND o.created_at_epoch < $at AND o.edited_at IS NULL
           AND NOT (o.session_id = $sessionId AND coalesce(o.prompt_number, 0) >= $promptNumber) LIMIT 20`,
      )
      .all({
        projectId: place.projectId,
        sessionId: place.sessionId,
        promptNumber: place.promptNumber,
        at: place.at,
        marks: JSON.stringify(markError(output)),
      });
    for (const { id } of fixes)
      addReplacement(db, {
        older: { kind: 'observation', id },
        newer: { kind: 'prompt', id: place.promptId },
        isCertain: true,
        why: 'failed again',
        words: output.split('\n').find((line) => line.trim() !== '') ?? null,
        madeBy: 'rules',
        at: place.at,
      });
  }
}

/**
 * Steps in the agent's words as the summary of the turn has them: it says nothing that was only read outside. A model may have summed it up
 * since; what was stored before stands.
 */
function withoutOutside(db: Database, { sessionId, promptNumber }: Place, now: ObservedTurn): OpenStep[] {
  const { steps, closing } = now.record;
  // Nobody ended the turn, so nobody summed it up.
  const isOpen = closing === '' && !isUntrustedAt(steps, steps.length);
  const told = db
    .query<{ text: string | null }, [{ sessionId: number; promptNumber: number }]>(
      `SELECT next_steps AS text FROM summaries WHERE session_id = $sessionId AND prompt_number = $promptNumber
       UNION ALL SELECT text FROM open_steps WHERE session_id = $sessionId AND prompt_number = $promptNumber`,
    )
    .all({ sessionId, promptNumber });
  return findOpenSteps(now).filter(
    ({ from, text }) => isOpen || from === 'user' || told.some((one) => one.text?.includes(text)),
  );
}

const MOST_STEPS = 100;

function settleSteps(db: Database, place: Place, now: ObservedTurn, read: ReadTurn): void {
  const { sessionId, promptNumber, projectId, at } = place;
  const fresh = withoutOutside(db, place, now);
  const before = listTurnsBefore(db, place, 1)[0]?.promptNumber;
  for (const step of listOpenSteps(db, { projectIds: [projectId], until: at, limit: MOST_STEPS })) {
    const isOwn = step.sessionId === sessionId;
    if (isOwn && step.promptNumber >= promptNumber) continue;
    const isNext = isOwn && step.promptNumber === before;
    const how = isClosedBy({ text: step.text, from: step.source }, now, {
      announcedIn: read(step),
      isNext,
      isOwn,
      fresh,
    });
    if (how) closeStep(db, step.id, { sessionId, promptNumber, how, at });
  }
  putSteps(
    db,
    place,
    fresh.map(({ text, from }) => ({ text, source: from })),
  );
}
