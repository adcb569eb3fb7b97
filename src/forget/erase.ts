// Taking memories out of the database with all that repeats them, so that nothing of their text is left and nothing brings it back.
import type { Database } from 'bun:sqlite';
import { hashLongText, hashPrompt } from '../core/ids.ts';
import { formatRef, type MemoryRef } from '../core/memory.ts';
import { findPieces, type Pieces } from '../core/same-words.ts';
import { readFacts, readStrings } from '../memory/observations.ts';
import { readTexts } from '../memory/read.ts';
import { listTurnPrompts } from '../memory/turn-keys.ts';
import { addDocument } from '../store/documents.ts';
import { FORGOTTEN } from '../turns/take-out.ts';
import { endBatch } from './hide.ts';
import {
  listRecordSayers,
  listTurnSayers,
  readRests,
  type TakenParts,
  type TakenRecords,
  takeFromRecords,
  takeRecords,
} from './records.ts';
import { listSayers, unsayInSummaries } from './repeats.ts';
import { hashSaid } from './said-before.ts';
import { bury, nameEvent } from './tombstones.ts';
import { isSaid, type Wiped, wipeTraces } from './traces.ts';

/** What a memory that goes says, rests on, and would be known by if it came again. */
export type Doomed = MemoryRef & {
  sessionId: number;
  promptNumber: number | null;
  batchId: number | null;
  texts: string[];
  /** The events it rests on. */
  sources: string[];
  /** By what it would be known if it came again. */
  graves: string[];
  /** And by what its event would be. */
  names: string[];
};

type DoomedRow = Pick<Doomed, 'sessionId' | 'promptNumber' | 'batchId'> &
  Record<'hash' | 'session' | 'texts' | 'facts' | 'sources', string> & { promptId: string | null };

const PLACE = `m.session_id AS sessionId, m.prompt_number AS promptNumber, s.host_session_id AS session`;
const WITH_SESSION = 'm JOIN sessions s ON s.id = m.session_id WHERE m.id = ?';
const DOOMED: Record<MemoryRef['kind'], string> = {
  observation: `SELECT ${PLACE}, batch_id AS batchId, hash, NULL AS promptId, facts, sources,
    json_array(m.title, m.subtitle, narrative, keywords) AS texts FROM observations ${WITH_SESSION}`,
  summary: `SELECT ${PLACE}, batch_id AS batchId, hash, NULL AS promptId, '[]' AS facts, '[]' AS sources,
    json_array(request, investigated, learned, completed, next_steps, notes) AS texts FROM summaries ${WITH_SESSION}`,
  prompt: `SELECT ${PLACE}, NULL AS batchId, '' AS hash, m.prompt_id AS promptId, '[]' AS facts, '[]' AS sources,
    json_array(m.text) AS texts FROM prompts ${WITH_SESSION}`,
};

/** A short answer such as "yes, go on" may be given again. */
const OWN_WORDS = 20;

export function readDoomed(db: Database, { kind, id }: MemoryRef): Doomed {
  const row = db.query<DoomedRow, [number]>(DOOMED[kind]).get(id);
  if (!row) throw new Error(`${kind} ${id} vanished while it was erased`);
  const { sessionId, promptNumber, batchId, hash, session, promptId } = row;
  const facts = readFacts(row.facts);
  const own = (JSON.parse(row.texts) as (string | null)[]).filter((text) => text !== null);
  const asked = own.join('\n');
  const isAsked = kind === 'prompt';
  return {
    ...{ kind, id, sessionId, promptNumber, batchId },
    texts: [...own, ...facts.map(({ text }) => text)],
    sources: [...readStrings(row.sources), ...facts.flatMap(({ sources }) => sources)],
    graves: isAsked ? (asked.length >= OWN_WORDS ? [hashPrompt(session, asked), hashLongText(asked) ?? []].flat() : []) : [hash],
    names: isAsked ? nameEvent({ session, promptId, text: asked, kind, toolUseId: null }) : [],
  };
}

/** `records`: whole records of turns. `paragraphs`: and steps, of records that stay. */
type Erased = Record<'observations' | 'summaries' | 'prompts' | 'records' | 'paragraphs' | 'events' | 'words' | 'tombstones', number> & {
  /** Living memories that still say it. */
  sayers: MemoryRef[];
  /** By what the text is known again, as far as no other memory says it. Never to be stored. */
  pieces: Pieces;
};

type EraseOptions = {
  at: number;
  /** Called before the commit, with what must not be left outside of the database either. */
  onPieces: (pieces: Pieces) => void;
};

/** Inside a transaction. The memories are there: the caller has looked. */
export function eraseMemories(db: Database, refs: MemoryRef[], { at, onPieces }: EraseOptions): Erased {
  const doomed = refs.map((ref) => readDoomed(db, ref));
  const texts = doomed.flatMap((memory) => memory.texts);
  const everything = findPieces(texts);
  const gone = removeAll(db, refs, { doomed, everything });
  const { prompts, pieces, whole, parts } = gone;
  const left = { ...pieces, telling: [...pieces.telling, ...gone.answered] };
  onPieces(left);
  const promptEvents = [...prompts.map(refOf), ...refs.filter(({ kind }) => kind === 'prompt')];
  const wiped = wipeTraces(db, {
    sources: doomed.flatMap((memory) => memory.sources),
    batchIds: batchesOf(doomed),
    sessionIds: [...new Set(doomed.map(({ sessionId }) => sessionId))],
    prompts: promptEvents,
    turns: parts.changed,
    wholeTurns: whole.turns,
    pieces,
  });
  for (const batchId of new Set([...batchesOf(doomed), ...wiped.batchIds])) endBatch(db, batchId);
  const graves = buryAll(db, { doomed, gone, wiped }, at);
  const words = new Set(texts.flatMap((text) => text.match(/[\p{L}\p{N}_]+/gu) ?? []));
  return {
    observations: refs.filter(({ kind }) => kind === 'observation').length,
    summaries: refs.filter(({ kind }) => kind === 'summary').length,
    prompts: promptEvents.length,
    records: whole.records + parts.emptied,
    paragraphs: parts.paragraphs,
    events: wiped.eventIds.length,
    words: words.size,
    tombstones: graves + wiped.eventIds.length,
    sayers: unite(listSayers(db, { ...everything, telling: [...everything.telling, ...whole.telling] }, texts), [
      ...listRecordSayers(db, everything),
      ...listTurnSayers(db, doomed),
    ]),
    pieces: left,
  };
}

type Gone = {
  /** Prompts that go along because they repeat it. */
  prompts: Doomed[];
  /** What is said of it, and by whom no more. */
  pieces: Pieces;
  /** The same of what was answered to prompts that go. */
  answered: string[];
  said: string[];
  whole: TakenRecords;
  parts: TakenParts;
};

/** The rows, and what repeats them in summaries, prompts and records of their turns. */
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

type Place = { sessionId: number; promptNumber: number | null };
const isSameTurn = (one: Place, other: Place) => one.sessionId === other.sessionId && one.promptNumber === other.promptNumber;

/** What it asked is gone, and the rest of its turn can still be read under it. */
function keepPlace(db: Database, { id }: Doomed): void {
  db.query('UPDATE prompts SET text = ? WHERE id = ?').run(FORGOTTEN, id);
  db.query(
    `DELETE FROM open_steps WHERE source = 'user' AND (session_id, prompt_number) =
       (SELECT session_id, prompt_number FROM prompts WHERE id = ?)`,
  ).run(id);
  addDocument(db, { kind: 'prompt', id });
}

const unite = (sayers: MemoryRef[], others: MemoryRef[]): MemoryRef[] => [
  ...new Map([...sayers, ...others].map((ref) => [formatRef(ref), ref])).values(),
];

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
  if (kind === 'observation') db.query('DELETE FROM observations WHERE id = ?').run(id);
  if (kind === 'summary') db.query('DELETE FROM summaries WHERE id = ?').run(id);
  if (kind === 'prompt') db.query("UPDATE prompts SET text = '', hidden_at = NULL WHERE id = ?").run(id);
}
