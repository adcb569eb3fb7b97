// Taking memories out of the database with all that repeats them, also in the records of turns, so that nothing of their text is left
// and nothing brings it back.
import type { Database } from 'bun:sqlite';
import type { SessionEvent } from '../core/event.ts';
import { hashLongText, hashPrompt } from '../core/ids.ts';
import { formatRef, MEMORY_TABLES, type MemoryRef } from '../core/memory.ts';
import { COMMON_WORDS, createJudge, findPieces, type Pieces } from '../core/same-words.ts';
import { endBatch, hashSaid } from '../memory/hide.ts';
import { readFacts, readStrings } from '../memory/observations.ts';
import { readTexts } from '../memory/read.ts';
import { countFew, dropSteps, listSayers, listTelling, unsayInSummaries } from '../memory/repeats.ts';
import { isSaid, type Wiped, wipeTraces } from '../memory/traces.ts';
import { listRelated, listTurnPrompts } from '../memory/turn-keys.ts';
import { addDocument } from '../store/documents.ts';
import { joinTexts, readAll, readColumn, readFirst } from '../store/read.ts';
import { bury, hashPart, hashTurn, nameEvent } from '../store/tombstones.ts';
import { buildRecord } from '../turns/build.ts';
import { hasGap, readRecord, type Step } from '../turns/record.ts';
import { FORGOTTEN, isNothing, takeOut } from '../turns/take-out.ts';
import { dropRecord, findTurn, rewriteRecord, type TurnPlace } from '../turns/turns.ts';

type Doomed = MemoryRef & {
  sessionId: number | null;
  promptNumber: number | null;
  batchId: number | null;
  texts: string[];
  sources: string[];
  /** Of the record of its turn: what it rests on, by number. */
  steps: number[];
  /** By what it would be known if it came again. */
  graves: string[];
  /** And by what its event would be. */
  names: string[];
};

type DoomedRow = Pick<Doomed, 'sessionId' | 'promptNumber' | 'batchId'> &
  Record<'hash' | 'texts' | 'facts' | 'sources' | 'steps', string> &
  Record<'session' | 'promptId', string | null>;

const PLACE = `m.session_id AS sessionId, m.prompt_number AS promptNumber, s.host_session_id AS session`;
const WITH_SESSION = 'm LEFT JOIN sessions s ON s.id = m.session_id WHERE m.id = ?';
const DOOMED: Record<MemoryRef['kind'], string> = {
  observation: `SELECT ${PLACE}, batch_id AS batchId, hash, NULL AS promptId, facts, sources, coalesce(steps, '[]') AS steps,
    json_array(m.title, m.subtitle, narrative, keywords) AS texts FROM observations ${WITH_SESSION}`,
  summary: `SELECT ${PLACE}, batch_id AS batchId, hash, NULL AS promptId, '[]' AS facts, '[]' AS sources, '[]' AS steps,
    json_array(request, investigated, learned, completed, next_steps, notes) AS texts FROM summaries ${WITH_SESSION}`,
  prompt: `SELECT ${PLACE}, NULL AS batchId, '' AS hash, m.prompt_id AS promptId, '[]' AS facts, '[]' AS sources, '[]' AS steps,
    json_array(m.text) AS texts FROM prompts ${WITH_SESSION}`,
};

/** A short answer such as "yes, go on" may be given again. */
const OWN_WORDS = 20;

export function readDoomed(db: Database, { kind, id }: MemoryRef): Doomed {
  const row = readFirst<DoomedRow>(db, DOOMED[kind], id);
  if (!row) throw new Error(`${kind} ${id} vanished while it was erased`);
  const { sessionId, promptNumber, batchId, hash, promptId } = row;
  const session = row.session ?? '';
  const facts = readFacts(row.facts);
  const own = (JSON.parse(row.texts) as (string | null)[]).filter((text) => text !== null);
  const asked = own.join('\n');
  const isAsked = kind === 'prompt';
  return {
    ...{ kind, id, sessionId, promptNumber, batchId },
    texts: [...own, ...facts.map(({ text }) => text)],
    sources: [...readStrings(row.sources), ...facts.flatMap(({ sources }) => sources)],
    steps: JSON.parse(row.steps) as number[],
    graves: isAsked ? (asked.length >= OWN_WORDS ? [hashPrompt(session, asked), hashLongText(asked) ?? []].flat() : []) : [hash],
    names: isAsked ? nameEvent({ session, promptId, text: asked, kind, toolUseId: null }) : [],
  };
}

/** What has gone so far. Never to be stored: `telling` are words of it. */
export type Tally = ReturnType<typeof createTally>;

/** `records`: whole records of turns. `paragraphs`: and steps, of records that stay. `sayers`: living memories that still say it. */
export const createTally = () => ({
  ...{ sessions: 0, observations: 0, summaries: 0, prompts: 0, records: 0, paragraphs: 0, events: 0, words: 0, tombstones: 0 },
  ...{ telling: new Set<string>(), sayers: new Map<string, MemoryRef>() },
});

type EraseOptions = {
  at: number;
  /** Called before the commit, with what must not be left outside of the database either. */
  onPieces?: (pieces: Pieces) => void;
  /** To be added to. */
  tally?: Tally;
};

/**
 * Inside a transaction. The memories are there: the caller has looked. `pieces`: by what the text is known again, as far as no other memory
 * says it; stored at most until nothing of it is left.
 */
export function eraseMemories(db: Database, refs: MemoryRef[], { at, onPieces, tally = createTally() }: EraseOptions) {
  const doomed = refs.map((ref) => readDoomed(db, ref));
  const texts = doomed.flatMap((memory) => memory.texts);
  const everything = findPieces(texts);
  const gone = removeAll(db, refs, { doomed, everything });
  const { prompts, whole, parts } = gone;
  const pieces = { ...gone.pieces, telling: [...gone.pieces.telling, ...gone.answered] };
  onPieces?.(pieces);
  const promptEvents = [...prompts.map(refOf), ...refs.filter(({ kind }) => kind === 'prompt')];
  const wiped = wipeTraces(db, {
    sources: doomed.flatMap((memory) => memory.sources),
    batchIds: batchesOf(doomed),
    sessionIds: [...new Set(doomed.flatMap(({ sessionId }) => sessionId ?? []))],
    prompts: promptEvents,
    turns: parts.changed,
    wholeTurns: whole.turns,
    pieces: gone.pieces,
  });
  for (const batchId of new Set([...batchesOf(doomed), ...wiped.batchIds])) endBatch(db, batchId);
  countKinds(tally, refs);
  tally.prompts += promptEvents.length;
  tally.records += whole.records + parts.emptied;
  tally.paragraphs += parts.paragraphs;
  tally.events += wiped.eventIds.length;
  tally.words += countWords(texts);
  tally.tombstones += buryAll(db, { doomed, gone, wiped }, at) + wiped.eventIds.length;
  const sayers = listSayers(db, { ...everything, telling: [...everything.telling, ...whole.telling] }, texts);
  for (const ref of [...sayers, ...listRecordSayers(db, everything), ...listTurnSayers(db, doomed)]) tally.sayers.set(formatRef(ref), ref);
  return { tally, pieces };
}

export function countKinds(tally: Tally, refs: MemoryRef[]): void {
  tally.observations += refs.filter(({ kind }) => kind === 'observation').length;
  tally.summaries += refs.filter(({ kind }) => kind === 'summary').length;
}

export const countWords = (texts: string[]) => new Set(texts.flatMap((text) => text.match(/[\p{L}\p{N}_]+/gu) ?? [])).size;

type Gone = {
  prompts: Doomed[];
  pieces: Pieces;
  /** The same of what was answered to prompts that go. */
  answered: string[];
  said: string[];
  whole: TakenRecords;
  parts: TakenParts;
};

function removeAll(db: Database, refs: MemoryRef[], { doomed, everything }: { doomed: Doomed[]; everything: Pieces }): Gone {
  const said = readTexts(db, refs).flatMap(hashSaid);
  const ownTurns = listTurnPrompts(db, refs);
  const rests = readRests(db, doomed);
  for (const ref of refs) removeRow(db, ref);
  for (const memory of doomed) unsayInSummaries(db, memory);
  const whole = takeRecords(db, doomed);
  // Its own prompts do not count as others that say it: where they repeat it, they go with it.
  const prompts = ownTurns
    .filter((id) => !refs.some((ref) => ref.kind === 'prompt' && ref.id === id))
    .map((id) => readDoomed(db, { kind: 'prompt', id }))
    .filter((prompt) => repeats(db, prompt, { pieces: everything, ownTurns }));
  said.push(...readTexts(db, prompts.map(refOf)).flatMap(hashSaid));
  for (const prompt of prompts) removeRow(db, refOf(prompt));
  const isLeft = (piece: string) => !isSaid(db, piece, { ownTurns });
  const pieces = { telling: everything.telling.filter(isLeft), words: everything.words.filter(isLeft) };
  const parts = takeFromRecords(db, { doomed, rests, words: pieces.words });
  for (const prompt of prompts) if (parts.left.some((turn) => isSameTurn(turn, prompt))) keepPlace(db, prompt);
  return { prompts, pieces, answered: whole.telling.filter(isLeft), said, whole, parts };
}

type Buried = { doomed: Doomed[]; gone: Gone; wiped: Wiped };

/** By its words, and by what its events are called. How many words. */
function buryAll(db: Database, { doomed, gone, wiped }: Buried, at: number): number {
  const all = [...doomed, ...gone.prompts];
  const graves = new Set([
    ...all.flatMap((memory) => memory.graves),
    ...gone.said,
    ...gone.parts.hashes,
    ...wiped.closings.flatMap((text) => hashLongText(text) ?? []),
  ]);
  for (const hash of graves) bury(db, 'text', hash, at);
  // Also what is only known by name, or not here yet: its row may go before its transcript is read.
  const named = all.flatMap((memory) => [...memory.sources, ...memory.names]);
  for (const name of new Set([...wiped.names, ...gone.whole.names, ...named])) bury(db, 'event', name, at);
  return graves.size;
}

const refOf = ({ id }: Doomed) => ({ kind: 'prompt', id }) as const;

const batchesOf = (doomed: Doomed[]) => [...new Set(doomed.flatMap(({ batchId }) => batchId ?? []))];

type Place = Pick<Doomed, 'sessionId' | 'promptNumber'>;
const isSameTurn = (one: Place, other: Place) => one.sessionId === other.sessionId && one.promptNumber === other.promptNumber;

/** What it asked is gone, and the rest of its turn can still be read under it. */
function keepPlace(db: Database, { id }: Doomed): void {
  db.query('UPDATE prompts SET text = ? WHERE id = ?').run(FORGOTTEN, id);
  const sql = `DELETE FROM open_steps WHERE source = 'user' AND (session_id, prompt_number) =
    (SELECT session_id, prompt_number FROM prompts WHERE id = ?)`;
  db.query(sql).run(id);
  addDocument(db, { kind: 'prompt', id });
}

type Repeated = { pieces: Pieces; ownTurns: number[] };

/** It says one thing that tells, or two words, that nobody else says. */
function repeats(db: Database, { id, texts }: Doomed, { pieces, ownTurns }: Repeated): boolean {
  const text = texts.join('\n').toLowerCase();
  const apart = { except: { kind: 'prompt', id } as const, ownTurns };
  const isHere = (piece: string) => text.includes(piece.toLowerCase()) && !isSaid(db, piece, apart);
  return pieces.telling.some(isHere) || pieces.words.filter(isHere).length >= 2;
}

/** A prompt leaves its number behind: the turn still was one. Documents and words go by the triggers. */
function removeRow(db: Database, { kind, id }: MemoryRef): void {
  const isAsked = kind === 'prompt';
  db.query(isAsked ? "UPDATE prompts SET text = '', hidden_at = NULL WHERE id = ?" : `DELETE FROM ${MEMORY_TABLES[kind]} WHERE id = ?`).run(
    id,
  );
}

type TakenRecords = {
  turns: TurnPlace[];
  records: number;
  names: string[];
  /** Runs of words of what was answered: by these others are found that repeat it. */
  telling: string[];
};

/** The whole records of prompts that go. Inside a transaction. */
function takeRecords(db: Database, doomed: Doomed[]): TakenRecords {
  const prompts = doomed.filter(({ kind }) => kind === 'prompt').flatMap(placeOf);
  const telling = prompts.flatMap((place) => {
    const turn = findTurn(db, place);
    const closing = turn ? readRecord(turn.record).closing : '';
    return findPieces([closing]).telling.filter((piece) => /\s/.test(piece));
  });
  const records = prompts.filter((place) => dropRecord(db, place)).length;
  for (const place of prompts) forgetTold(db, place);
  return { turns: prompts, records, names: prompts.flatMap((place) => nameTurn(db, place)), telling };
}

const placeOf = ({ sessionId, promptNumber }: Doomed): TurnPlace[] =>
  sessionId === null || promptNumber === null ? [] : [{ sessionId, promptNumber }];

/** Not where another prompt of the turn has the same id: that one stays. */
function nameTurn(db: Database, { sessionId, promptNumber }: TurnPlace): string[] {
  const sql = `SELECT s.host_session_id AS session, p.prompt_id AS promptId FROM prompts p JOIN sessions s ON s.id = p.session_id
    WHERE p.session_id = ?1 AND p.prompt_number = ?2 AND p.prompt_id IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM prompts o WHERE o.session_id = ?1 AND o.prompt_id = p.prompt_id AND o.id <> p.id AND o.text <> '')`;
  return readAll<{ session: string; promptId: string }>(db, sql, sessionId, promptNumber).map(({ session, promptId }) =>
    hashTurn(session, promptId),
  );
}

/** What sessions were told of a record stands in what is kept of that. */
function forgetTold(db: Database, { sessionId, promptNumber }: TurnPlace): void {
  const sql = `UPDATE injections SET text = NULL WHERE text IS NOT NULL
    AND prompt_id IN (SELECT id FROM prompts WHERE session_id = ? AND prompt_number = ?)`;
  db.query(sql).run(sessionId, promptNumber);
}

/** The steps that memories rest on, as far as their events are still there. To be asked before these are wiped. */
function readRests(db: Database, doomed: Doomed[]): Set<string> {
  const sources = JSON.stringify(doomed.flatMap((memory) => memory.sources));
  const sql = `SELECT e.payload, s.root FROM events e JOIN sessions s ON s.id = e.session_id
    WHERE e.kind = 'tool' AND e.payload IS NOT NULL AND e.id IN (SELECT value FROM json_each(?)) ORDER BY e.seq`;
  const rows = readAll<{ payload: string; root: string }>(db, sql, sources);
  const steps = rows.flatMap(({ payload, root }) => buildRecord([JSON.parse(payload) as SessionEvent], root).steps);
  return new Set(steps.map(nameStep));
}

/** What a step did, whatever came of it. Words are judged by what they say, and a list of steps is of the whole turn. */
function nameStep(step: Step): string {
  const field = NAMED_BY[step.kind];
  return field === undefined ? '' : `${step.kind} ${step[field as keyof Step]}`;
}

const NAMED_BY: Partial<Record<Step['kind'], string>> = {
  ...{ ran: 'command', edited: 'file', read: 'file', searched: 'query', asked: 'question', planned: 'text', committed: 'hash' },
  ...{ web: 'source', mcp: 'source', agent: 'task' },
};

type TakingFrom = {
  doomed: Doomed[];
  rests: Set<string>;
  words: string[];
};

type TakenParts = {
  changed: TurnPlace[];
  left: TurnPlace[];
  emptied: number;
  paragraphs: number;
  hashes: string[];
};

/** What memories rest on and say goes from the records of their turns. Inside a transaction. */
function takeFromRecords(db: Database, { doomed, rests, words }: TakingFrom): TakenParts {
  const parts: TakenParts = { changed: [], left: [], emptied: 0, paragraphs: 0, hashes: [] };
  const rare = words.filter((word) => !COMMON_WORDS.has(word.toLowerCase()));
  const turns = Map.groupBy(doomed, ({ sessionId, promptNumber }) => `${sessionId}:${promptNumber}`);
  for (const memories of turns.values()) {
    const [place] = memories.flatMap(placeOf);
    const turn = place && findTurn(db, place);
    if (!turn) continue;
    const texts = memories.flatMap((memory) => memory.texts);
    const telling = listTelling(db, findPieces(texts, MOST_PIECES).telling);
    const isGone = createJudge({ texts, telling, words: rare });
    dropSteps(db, place, isGone);
    const record = readRecord(turn.record);
    const own = isAsItWasRead(db, turn) ? memories.flatMap(({ steps }) => steps.flatMap((at) => record.steps[at] ?? [])) : [];
    const names = new Set([...rests, ...own.map(nameStep)].filter(Boolean));
    const isGoneStep = (step: Step) => names.has(nameStep(step));
    const taken = takeOut(record, { isGone, isGoneStep });
    if (taken.count === 0) {
      parts.left.push(place);
      continue;
    }
    parts.changed.push(place);
    parts.paragraphs += taken.count;
    parts.hashes.push(...taken.texts.flatMap((text) => hashPart(text) ?? []));
    forgetTold(db, place);
    if (isNothing(taken.record)) {
      dropRecord(db, place);
      parts.emptied++;
    } else {
      rewriteRecord(db, turn, taken.record);
      parts.left.push(place);
    }
  }
  return parts;
}

/** The numbers of its steps still hold: it is whole, and was not observed in parts. */
const isAsItWasRead = (db: Database, { sessionId, promptNumber, record }: TurnPlace & { record: string }): boolean => {
  const sql = 'SELECT id FROM batches WHERE session_id = ? AND prompt_number = ? LIMIT 2';
  return !record.includes(FORGOTTEN) && !hasGap(record) && readColumn(db, sql, sessionId, promptNumber).length < 2;
};

/**
 * Observations of their turns that say the same in other words: too few of the words stand in a row for the index to tell. Of a prompt all
 * that was made of its turn: it tells what the record did.
 */
function listTurnSayers(db: Database, doomed: Doomed[]): MemoryRef[] {
  const made = listRelated(
    db,
    doomed.filter(({ kind }) => kind === 'prompt'),
  );
  const sql = `SELECT id, ${joinTexts('title, subtitle, narrative, facts')} AS text FROM observations
    WHERE session_id = ? AND prompt_number = ? AND prompt_number > 0 AND hidden_at IS NULL ORDER BY id DESC`;
  const find = db.query<{ id: number; text: string }, [number, number]>(sql);
  const same = doomed.flatMap((memory) => {
    const isSame = createJudge({ texts: memory.texts, telling: [], words: [] });
    const rows = placeOf(memory).flatMap(({ sessionId, promptNumber }) => find.all(sessionId, promptNumber));
    return rows.filter(({ text }) => isSame(text)).map(({ id }): MemoryRef => ({ kind: 'observation', id }));
  });
  return [...made, ...same];
}

const MOST_PIECES = 200;
const FAR_PIECES = 6;
const MOST_SAYERS = 20;

/** Turns whose output or diffs say it: the index knows only what stands above these. A name that many of them have tells nothing here. */
function listRecordSayers(db: Database, { telling }: Pieces): MemoryRef[] {
  const few = countFew(db);
  const sql = `SELECT p.id FROM turns t JOIN prompts p ON p.session_id = t.session_id AND p.prompt_number = t.prompt_number
    WHERE p.text <> '' AND p.hidden_at IS NULL AND instr(t.record, ?) ORDER BY t.ended_at_epoch DESC LIMIT ? + 0`;
  const found = listTelling(db, telling)
    .slice(0, FAR_PIECES)
    .map((piece) => ({ isName: !/\s/.test(piece), ids: readColumn<number>(db, sql, piece, MOST_SAYERS) }));
  const ids = found.flatMap((piece) => (piece.isName && piece.ids.length > few ? [] : piece.ids));
  return ids.map((id) => ({ kind: 'prompt', id }));
}
