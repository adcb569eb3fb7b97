// What a turn says about earlier memories and steps: replaced, borne out, failed again, closed. Read from the store
// alone, so that a rebuild says the same.
import type { Database } from 'bun:sqlite';
import { cleanPrompt } from '../core/clean-prompt.ts';
import { markError } from '../core/error-mark.ts';
import { INJECTED_TRUST, type ObservationType } from '../core/observation.ts';
import { oncePer } from '../core/once.ts';
import { readFacts, readStrings } from '../memory/observations.ts';
import { closeStep, listOpenSteps, putSteps, reopenSteps } from '../memory/open-steps.ts';
import { changeOutcome, dropOutcomes } from '../memory/outcomes.ts';
import { addReplacement, dropDerived, listSessionsReplacedBy, type NewReplacement } from '../memory/replacements.ts';
import { nameByWork } from '../memory/session-names.ts';
import { readAll, readColumn, readFirst } from '../store/read.ts';
import { isUntrustedAt, readRecord, type TurnRecord } from '../turns/record.ts';
import { listTurnsBefore, type TurnPlace } from '../turns/turns.ts';
import { editedLines } from './changes.ts';
import { applyClaims } from './claims.ts';
import { findReplaced, isAbout, type Known, type Older, readOlder } from './replaces.ts';
import { isQuestion, sentencesOf } from './sentences.ts';
import { findOpenSteps, isClosedBy, type OpenStep } from './steps.ts';
import { asksAtEnd, isSameRun, netEdits, type ObservedTurn, runsOf } from './turn.ts';
import { begins, behind, uses, without } from './words.ts';
import { type Committed, lastCheck } from './work.ts';

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
  const now = read(turn);
  if (!place || !now) return;
  const before = listSessionsReplacedBy(db, turn);
  dropDerived(db, turn);
  dropOutcomes(db, place.promptId);
  reopenSteps(db, turn);
  settleReplaced(db, place, now, read);
  settleOutcomes(db, place, now);
  settleFailedAgain(db, place, now.record);
  settleSteps(db, place, now, read);
  applyClaims(db, place, now);
  // Another session is not called by what this turn replaced.
  for (const id of new Set([turn.sessionId, ...before, ...listSessionsReplacedBy(db, turn)])) nameByWork(db, id);
}

export function findPlace(db: Database, { sessionId, promptNumber }: TurnPlace): Place | null {
  const sql = `SELECT t.session_id AS sessionId, t.prompt_number AS promptNumber, p.id AS promptId, s.project_id AS projectId,
      p.text AS prompt, t.record, t.branch, t.head_after AS head, t.ended_at_epoch AS at
    FROM turns t JOIN sessions s ON s.id = t.session_id
      JOIN prompts p ON p.session_id = t.session_id AND p.prompt_number = t.prompt_number
    WHERE t.session_id = ? AND t.prompt_number = ?`;
  return readFirst<Place>(db, sql, sessionId, promptNumber);
}

export const readWords = ({ prompt, record }: { prompt: string; record: string }): ObservedTurn => ({
  prompt: cleanPrompt(prompt),
  record: readRecord(record),
});

export type ReadTurn = (turn: TurnPlace) => ObservedTurn | null;

/** Each record once: several memories and steps share a turn, and the turns of a session look at the same ones. */
export function createTurnReader(db: Database): ReadTurn {
  const turns = new Map<string, ObservedTurn | null>();
  return (turn) => {
    const key = `${turn.sessionId} ${turn.promptNumber}`;
    const place = turns.has(key) ? null : findPlace(db, turn);
    if (!turns.has(key)) turns.set(key, place && readWords(place));
    return turns.get(key) ?? null;
  };
}

/** So many turns between work and its commit. */
export const MOST_BETWEEN = 10;

type Commits = { all: Committed[]; names: Committed[]; by: number | null };

/**
 * The commits of the turn, or of the next one that commits and edits nothing itself (`by`): of what was done since the commit before
 * it, and the name of that, if it is one work.
 */
export function findCommits(db: Database, { sessionId, promptNumber }: TurnPlace, read: ReadTurn): Commits {
  const sql = 'SELECT prompt_number FROM turns WHERE session_id = ? AND prompt_number BETWEEN ? AND ? ORDER BY prompt_number';
  const near = readColumn<number>(db, sql, sessionId, promptNumber - MOST_BETWEEN, promptNumber + MOST_BETWEEN).flatMap((number) => {
    const record = read({ sessionId, promptNumber: number })?.record;
    if (!record) return [];
    const commits = record.steps.filter((step) => step.kind === 'committed');
    const isRevert = runsOf(record).some(({ command }) => REVERT.test(command));
    return [{ number, commits, isWork: netEdits(record).length > 0, isRevert }];
  });
  const by = near.find(({ number, commits }) => number > promptNumber && commits.length > 0);
  const last = near.findLast(({ number, commits }) => commits.length > 0 && number < (by?.number ?? 0))?.number ?? 0;
  const own = near.find(({ number }) => number === promptNumber)?.commits ?? [];
  if (!by || by.isWork || by.isRevert || last >= promptNumber) return { all: own, names: [], by: null };
  const works = near.filter(({ number, isWork }) => isWork && number > last && number < by.number);
  return works.length === 1 ? { all: by.commits, names: by.commits, by: by.number } : { all: by.commits, names: [], by: null };
}

const REVERT = /\bgit\s(?:-C \S+\s)?revert\b/;

type Row = TurnPlace & {
  id: number;
  type: ObservationType;
  title: string | null;
  facts: string;
  files: string;
  filesRead: string;
  origin: string;
  isRule: number;
};
/** A memory that no turn made has number 0. */
const COLUMNS = `o.id, o.session_id AS sessionId, coalesce(o.prompt_number, 0) AS promptNumber, o.type, o.title, o.facts,
  o.files_modified AS files, o.files_read AS filesRead, o.origin, o.is_rule AS isRule`;

/** What may rest on words from outside stands in nobody's place: what was done is told by the turn. */
const listOwn = (db: Database, { sessionId, promptNumber }: Place): Known[] => {
  const sql = `SELECT ${COLUMNS} FROM observations o WHERE o.session_id = ? AND o.prompt_number = ? AND o.hidden_at IS NULL
    AND o.trust >= ${INJECTED_TRUST} ORDER BY o.id`;
  return readAll<Row>(db, sql, sessionId, promptNumber).map((row) => toKnown(row, null));
};

/** Of the same files, the newest of the session, the newest decisions and the rules: cost does not grow with the store. */
const MOST_KNOWN = 40;
/** Rules do not age: whatever was said since, they can be reversed. Each once: else every wording would replace all before it. */
const MOST_RULES = 200;
/** Turns ago, for what another session did. */
const ELSEWHERE = 100;

function listKnown(db: Database, place: Place, files: string[], read: ReadTurn): Older[] {
  const { sessionId, promptNumber, projectId, at } = place;
  const sql = `SELECT ${COLUMNS} FROM observations o WHERE o.id IN (
      SELECT id FROM (SELECT id FROM observations WHERE session_id = $sessionId AND prompt_number < $promptNumber
        ORDER BY prompt_number DESC, id DESC LIMIT ${MOST_KNOWN})
      UNION SELECT id FROM (SELECT id FROM observations WHERE project_id = $projectId AND type = 'decision'
        AND created_at_epoch <= $at ORDER BY created_at_epoch DESC LIMIT ${MOST_KNOWN})
      UNION SELECT id FROM (SELECT id FROM observations WHERE project_id = $projectId AND is_rule = 1
        AND created_at_epoch <= $at ORDER BY created_at_epoch DESC LIMIT ${MOST_RULES})
      UNION SELECT id FROM (SELECT c.id FROM observations c WHERE c.id IN (SELECT observation_id FROM citations
          WHERE project_id = $projectId AND path IN (SELECT value FROM json_each($files)))
        AND +c.created_at_epoch <= $at AND NOT (c.session_id IS $sessionId AND coalesce(c.prompt_number, 0) >= $promptNumber)
        ORDER BY c.created_at_epoch DESC, c.id DESC LIMIT ${MOST_KNOWN}))
    AND +o.project_id = $projectId AND +o.created_at_epoch <= $at AND o.origin <> 'commit'
    AND NOT (o.session_id IS $sessionId AND coalesce(o.prompt_number, 0) >= $promptNumber)
    AND o.edited_at IS NULL AND o.hidden_at IS NULL AND o.wrong_at IS NULL
    AND (o.is_rule = 0 OR NOT EXISTS (SELECT 1 FROM replacements r WHERE r.older_kind = 'observation' AND r.older_id = o.id
      AND r.certain = 1 AND r.both_hold = 0)) ORDER BY o.created_at_epoch, o.id`;
  return readAll<Row>(db, sql, { sessionId, promptNumber, projectId, at, files: JSON.stringify(files) }).map((row) => {
    const isHere = row.sessionId === sessionId && row.promptNumber > 0;
    const ago = isHere ? promptNumber - row.promptNumber : ELSEWHERE;
    const older = readKnown(row, read);
    return { ...older, ago, isAsking: ago === 1 && older.isAsking, commits: () => findCommits(db, row, read).all.map(({ hash }) => hash) };
  });
}

/** Each memory once, too, as long as its row says the same: the turns of a session are held against the same ones. */
function readKnown(row: Row, read: ReadTurn): Older {
  const seen = seenBy(read).get(row.id);
  const columns = Object.keys(row) as (keyof Row)[];
  if (seen && columns.every((column) => seen.row[column] === row[column])) return seen.older;
  const older = readOlder(toKnown(row, read(row)?.record ?? null));
  seenBy(read).set(row.id, { row, older });
  return older;
}

const seenBy = oncePer((_: ReadTurn) => new Map<number, { row: Row; older: Older }>());

/** `record`: of its turn, for what it changed in its files. */
function toKnown({ files: modified, filesRead, facts, title, origin, isRule, ...row }: Row, record: TurnRecord | null): Known {
  const own = readStrings(modified);
  const changed = (sign: '+' | '-') =>
    record === null ? [] : editedLines(record, sign).filter(({ file }) => own.includes(file) || row.type === 'discovery');
  return {
    ...row,
    title: title ?? '',
    facts: readFacts(facts).map(({ text }) => text),
    by: origin === 'user' ? 'user' : 'agent',
    isRule: isRule === 1,
    files: [...own, ...readStrings(filesRead)],
    added: changed('+'),
    removed: changed('-').map(({ text }) => text),
    ago: 0,
    isCommitted: record?.steps.some(({ kind }) => kind === 'committed') ?? false,
    isAsking: record !== null && asksAtEnd(record.closing),
    commits: () => [],
  };
}

/** What the rules say to be replaced, by the turn itself unless by a memory of it. */
const replace = (
  db: Database,
  { promptId, at }: Place,
  said: Pick<NewReplacement, 'isCertain' | 'why' | 'words'>,
  id: number,
  newer?: number | null,
) =>
  addReplacement(db, {
    ...said,
    older: { kind: 'observation', id },
    newer: newer == null ? { kind: 'prompt', id: promptId } : { kind: 'observation', id: newer },
    madeBy: 'rules',
    at,
  });

function settleReplaced(db: Database, place: Place, now: ObservedTurn, read: ReadTurn): void {
  const own = listOwn(db, place);
  const edited = now.record.steps.flatMap((step) => (step.kind === 'edited' ? [step.file] : []));
  const files = [...new Set([...own.flatMap((one) => one.files), ...edited])].slice(0, 100);
  const known = listKnown(db, place, files, read);
  for (const { older, newer, isGivenUp, ...said } of findReplaced({ ...now, own, known })) {
    if (isGivenUp && known.some(({ id, type }) => id === older && type !== 'decision' && type !== 'discovery'))
      changeOutcome(db, older, 'ruled-out', { ...place, why: said.why });
    replace(db, place, said, older, newer);
  }
}

/**
 * Work of this session: the user's word on the last turn decides, or a check that passes now, where nothing bore it out yet. A commit
 * says nothing.
 */
function settleOutcomes(db: Database, { sessionId, promptNumber, promptId }: Place, { prompt, record: { steps } }: ObservedTurn): void {
  const broken = saysBroken(prompt);
  // What is edited before the check is part of what it checks, and may have mended it.
  const edit = steps.findIndex((step) => step.kind === 'edited');
  const isChecked = lastCheck(edit < 0 ? steps : steps.slice(0, edit))?.hasPassed === true;
  const sql = `SELECT o.id, coalesce(o.title, '') AS title, o.outcome, o.prompt_number AS turn FROM observations o
    WHERE o.session_id = ? AND o.prompt_number < ? AND o.type IN ('bugfix','feature','refactor','change')
      AND o.outcome IN ('unverified','passed')`;
  for (const { id, title, outcome, turn } of readAll<Work>(db, sql, sessionId, promptNumber)) {
    const isLast = turn === promptNumber - 1;
    const said = { promptId, why: 'user said so' } as const;
    if (isLast && broken !== null && isAbout(broken, title)) changeOutcome(db, id, 'failed', said);
    else if (outcome === 'passed') continue;
    else if (isLast && broken === null && begins(prompt, 'confirm')) changeOutcome(db, id, 'passed', said);
    else if (isChecked) changeOutcome(db, id, 'passed', { promptId, why: 'check passed' });
  }
}

type Work = { id: number; title: string; outcome: string; turn: number };

const BROKEN = ['unfixed', 'confirm', 'deny'] as const;

/** "Still broken", "läuft nicht": what the part of a sentence says besides; null when nobody says so. */
function saysBroken(prompt: string): string | null {
  const [first = ''] = sentencesOf(prompt);
  const isBroken = (part: string) => uses(part, 'unfixed') || (begins(part, 'confirm') && begins(behind(part, 'confirm'), 'deny'));
  const part = first.split(/[,;:–—，、；：]/u).find(isBroken);
  return part === undefined || isQuestion(first) ? null : BROKEN.reduce(without, part);
}

/** A run that is red at the end of the turn, with the error that an earlier fix had answered. */
function settleFailedAgain(db: Database, place: Place, record: TurnRecord): void {
  const runs = runsOf(record);
  const isMended = ({ at, command }: { at: number; command: string }) =>
    runs.some((run) => run.at > at && run.isOk === true && isSameRun(run.command, command));
  const { projectId, sessionId, promptNumber, at } = place;
  for (const { output } of runs.filter((run) => run.isOk === false && !isMended(run))) {
    const sql = `SELECT o.id FROM observations o WHERE o.id IN (SELECT observation_id FROM error_marks WHERE project_id = $projectId
        AND mark IN (SELECT value FROM json_each($marks)))
      AND o.type = 'bugfix' AND o.outcome = 'passed' AND o.created_at_epoch < $at AND o.edited_at IS NULL
      AND NOT (o.session_id IS $sessionId AND coalesce(o.prompt_number, 0) >= $promptNumber) LIMIT 20`;
    const fixes = readAll<{ id: number }>(db, sql, { projectId, sessionId, promptNumber, at, marks: JSON.stringify(markError(output)) });
    const words = output.split('\n').find((line) => line.trim() !== '') ?? null;
    for (const { id } of fixes) replace(db, place, { isCertain: true, why: 'failed again', words }, id);
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
  const sql = `SELECT next_steps AS text FROM summaries WHERE session_id = $sessionId AND prompt_number = $promptNumber
    UNION ALL SELECT text FROM open_steps WHERE session_id = $sessionId AND prompt_number = $promptNumber`;
  const told = readAll<{ text: string | null }>(db, sql, { sessionId, promptNumber });
  return findOpenSteps(now).filter(({ from, text }) => isOpen || from === 'user' || told.some((one) => one.text?.includes(text)));
}

const MOST_STEPS = 100;

function settleSteps(db: Database, place: Place, now: ObservedTurn, read: ReadTurn): void {
  const { sessionId, promptNumber, projectId, at } = place;
  const fresh = withoutOutside(db, place, now);
  const before = listTurnsBefore(db, place, 1)[0]?.promptNumber;
  for (const step of listOpenSteps(db, { projectIds: [projectId], until: at, limit: MOST_STEPS })) {
    const isOwn = step.sessionId === sessionId;
    if (isOwn && step.promptNumber >= promptNumber) continue;
    const when = { announcedIn: read(step), isNext: isOwn && step.promptNumber === before, isOwn, fresh };
    const how = isClosedBy({ text: step.text, from: step.source }, now, when);
    if (how) closeStep(db, step.id, { sessionId, promptNumber, how, at });
  }
  const steps = fresh.map(({ text, from }) => ({ text, source: from }));
  putSteps(db, place, steps);
}
