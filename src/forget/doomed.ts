// What a memory that goes says, rests on, and would be known by if it came again.
import type { Database } from 'bun:sqlite';
import { z } from 'zod';
import { hashLongText, hashPrompt } from '../core/ids.ts';
import type { MemoryRef } from '../core/memory.ts';
import { nameEvent } from '../store/forgetting/tombstones.ts';

export type Doomed = {
  kind: MemoryRef['kind'];
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

export function readDoomed(db: Database, ref: MemoryRef): Doomed {
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
    kind: 'observation',
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
  return { ...row, kind: 'summary', texts, sources: [], graves: [row.hash], names: [] };
}

export type DoomedPrompt = Doomed & { id: number };
/** A short answer such as "yes, go on" may be given again. */
const OWN_WORDS = 20;

export function readPrompt(db: Database, id: number): DoomedPrompt {
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
  return { id, ...row, kind: 'prompt', batchId: null, texts: [row.text], sources: [], graves, names };
}
