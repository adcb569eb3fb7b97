// Taking memories out of the database with all that repeats them, so that nothing of their text is left and nothing brings it back.
import type { Database } from 'bun:sqlite';
import { z } from 'zod';
import { hashLongText, hashPrompt } from '../../core/ids.ts';
import type { MemoryRef } from '../../core/memory.ts';
import { findPieces, type Pieces } from '../../core/telling-pieces.ts';
import { readTexts } from '../memories/memory-texts.ts';
import { isSaid, wipeTraces } from './erase-traces.ts';
import { endBatch } from './hide.ts';
import { hashSaid } from './said-before.ts';
import { listSayers } from './sayers.ts';
import { bury, nameEvent } from './tombstones.ts';
import { unsayInSummaries } from './unsay.ts';

export type Erased = {
  observations: number;
  summaries: number;
  prompts: number;
  events: number;
  words: number;
  tombstones: number;
  /** Living memories that still say it. */
  sayers: MemoryRef[];
  /** By what the text is known again, as far as no other memory says it. Never to be stored. */
  pieces: Pieces;
};

export type EraseOptions = {
  at: number;
  /** Called before the commit, with what must not be left outside of the database either. */
  onPieces: (pieces: Pieces) => void;
};

/** Inside a transaction. The memories are there: the caller has looked. */
export function eraseMemories(db: Database, refs: MemoryRef[], { at, onPieces }: EraseOptions): Erased {
  const doomed = refs.map((ref) => readDoomed(db, ref));
  const texts = doomed.flatMap((memory) => memory.texts);
  const everything = findPieces(texts);
  const words = new Set(texts.flatMap((text) => text.match(/[\p{L}\p{N}_]+/gu) ?? []));
  const said = readTexts(db, refs).flatMap(hashSaid);
  for (const ref of refs) removeRow(db, ref);
  for (const memory of doomed) unsayInSummaries(db, memory);
  const sources = doomed.flatMap((memory) => memory.sources);
  // Its own prompts do not count as others that say it: where they repeat it, they go with it.
  const prompts = listTurnPrompts(db, doomed).filter((prompt) => repeats(db, prompt, everything));
  const promptRefs = prompts.map(({ id }) => ({ kind: 'prompt', id }) as const);
  said.push(...readTexts(db, promptRefs).flatMap(hashSaid));
  for (const ref of promptRefs) removeRow(db, ref);
  const pieces = {
    telling: everything.telling.filter((piece) => !isSaid(db, piece)),
    words: everything.words.filter((piece) => !isSaid(db, piece)),
  };
  onPieces(pieces);
  const batchIds = [...new Set(doomed.flatMap(({ batchId }) => batchId ?? []))];
  const promptEvents = [...promptRefs, ...refs.filter(({ kind }) => kind === 'prompt')];
  const sessionIds = [...new Set(doomed.map(({ sessionId }) => sessionId))];
  const wiped = wipeTraces(db, { sources, batchIds, sessionIds, prompts: promptEvents, pieces });
  for (const batchId of new Set([...batchIds, ...wiped.batchIds])) endBatch(db, batchId);
  const graves = new Set(
    [...doomed, ...prompts]
      .flatMap((memory) => memory.graves)
      .concat(
        said,
        wiped.closings.flatMap((text) => hashLongText(text) ?? []),
      ),
  );
  for (const hash of graves) bury(db, 'text', hash, at);
  // Also what is only known by name, or not here yet: its row may go before its transcript is read.
  const names = [...wiped.names, ...sources, ...[...doomed, ...prompts].flatMap((memory) => memory.names)];
  for (const name of new Set(names)) bury(db, 'event', name, at);
  return {
    observations: refs.filter(({ kind }) => kind === 'observation').length,
    summaries: refs.filter(({ kind }) => kind === 'summary').length,
    prompts: promptEvents.length,
    events: wiped.eventIds.length,
    words: words.size,
    tombstones: graves.size + wiped.eventIds.length,
    sayers: listSayers(db, everything, texts),
    pieces,
  };
}

type Doomed = {
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

const Fact = z.object({ text: z.string(), sources: z.array(z.string()).optional() });
const Facts = z.array(Fact);
const Texts = z.array(z.string());

function readDoomed(db: Database, ref: MemoryRef): Doomed {
  if (ref.kind === 'observation') return doomedObservation(db, ref.id);
  if (ref.kind === 'summary') return doomedSummary(db, ref.id);
  return readPrompt(db, ref.id);
}

type Row = { sessionId: number; promptNumber: number | null; batchId: number | null; hash: string };
const PLACE = 'session_id AS sessionId, prompt_number AS promptNumber, batch_id AS batchId, hash';

function doomedObservation(db: Database, id: number): Doomed {
  type Whole = Row &
    Record<'facts' | 'concepts' | 'sources', string> &
    Record<'title' | 'subtitle' | 'narrative', string | null>;
  const row = db
    .query<Whole, [number]>(
      `SELECT ${PLACE}, title, subtitle, narrative, facts, concepts, sources FROM observations WHERE id = ?`,
    )
    .get(id);
  if (!row) throw new Error(`observation ${id} vanished while it was erased`);
  const facts = Facts.parse(JSON.parse(row.facts));
  return {
    ...row,
    texts: [row.title, row.subtitle, row.narrative, ...facts.map(({ text }) => text)].filter((text) => text !== null),
    sources: [...Texts.parse(JSON.parse(row.sources)), ...facts.flatMap(({ sources = [] }) => sources)],
    graves: [row.hash],
    names: [],
  };
}

function doomedSummary(db: Database, id: number): Doomed {
  const row = db
    .query<Row & Record<string, string | null>, [number]>(
      `SELECT ${PLACE}, request, investigated, learned, completed, next_steps, notes FROM summaries WHERE id = ?`,
    )
    .get(id);
  if (!row) throw new Error(`summary ${id} vanished while it was erased`);
  const { request, investigated, learned, completed, next_steps, notes } = row;
  const texts = [request, investigated, learned, completed, next_steps, notes].filter(
    (text) => typeof text === 'string',
  );
  return { ...row, texts, sources: [], graves: [row.hash], names: [] };
}

type DoomedPrompt = Doomed & { id: number };
/** A short answer such as "yes, go on" may be given again. */
const OWN_WORDS = 20;

function readPrompt(db: Database, id: number): DoomedPrompt {
  const row = db
    .query<
      { sessionId: number; promptNumber: number; promptId: string | null; text: string; session: string },
      [number]
    >(
      `SELECT p.session_id AS sessionId, p.prompt_number AS promptNumber, p.prompt_id AS promptId, p.text,
         s.host_session_id AS session
       FROM prompts p JOIN sessions s ON s.id = p.session_id WHERE p.id = ?`,
    )
    .get(id);
  if (!row) throw new Error(`prompt ${id} vanished while it was erased`);
  const graves =
    row.text.length >= OWN_WORDS ? [hashPrompt(row.session, row.text), hashLongText(row.text) ?? []].flat() : [];
  const names = nameEvent({ ...row, kind: 'prompt', toolUseId: null });
  return { id, ...row, batchId: null, texts: [row.text], sources: [], graves, names };
}

function listTurnPrompts(db: Database, doomed: Doomed[]): DoomedPrompt[] {
  const ids = doomed.flatMap(({ sessionId, promptNumber }) =>
    db
      .query<{ id: number }, [number, number | null]>(
        "SELECT id FROM prompts WHERE session_id = ? AND prompt_number = ? AND text <> ''",
      )
      .all(sessionId, promptNumber)
      .map(({ id }) => id),
  );
  return [...new Set(ids)].map((id) => readPrompt(db, id));
}

/** It says one thing that tells, or two words, that nobody else says. */
function repeats(db: Database, { id, texts }: DoomedPrompt, { telling, words }: Pieces): boolean {
  const text = texts.join('\n').toLowerCase();
  const isHere = (piece: string) => text.includes(piece.toLowerCase()) && !isSaid(db, piece, { kind: 'prompt', id });
  return telling.some(isHere) || words.filter(isHere).length >= 2;
}

/** A prompt leaves its number behind: the turn still was one. Documents and words go by the triggers. */
function removeRow(db: Database, { kind, id }: MemoryRef): void {
  if (kind === 'observation') db.query('DELETE FROM observations WHERE id = ?').run(id);
  if (kind === 'summary') db.query('DELETE FROM summaries WHERE id = ?').run(id);
  if (kind === 'prompt') db.query("UPDATE prompts SET text = '', hidden_at = NULL WHERE id = ?").run(id);
}
