// What is replicated: for each kind how its row is read as fields, each merged by itself, and by which name it is the same everywhere.
import type { Database } from 'bun:sqlite';
import { hashParts, hashPrompt } from '../core/ids.ts';
import { MEMORY_TABLES, type MemoryKind } from '../core/memory.ts';
import type { Line } from '../core/shapes/export.ts';
import { readRows, readTurns } from '../import/export-rows.ts';
import { hostOf } from '../memory/trusted.ts';
import { readValue } from '../store/read.ts';
import { readPublished } from './state.ts';
import { describeProject } from './wire-project.ts';

export const RECORD_KINDS = ['observation', 'summary', 'turn', 'replaced', 'tombstone', 'blocked', 'alias', 'published'] as const;
export type RecordKind = (typeof RECORD_KINDS)[number];

type Field = { value: unknown; hash: string /** Nobody has said anything. */; isDefault: boolean };

export type Read = {
  entity: string;
  kind: RecordKind;
  ref: string;
  fields: Record<string, Field>;
  /** By what it would be known in the tombstones; '' where it would not. */
  content: string;
  projectId: number | null;
  /** A rule of the user, or the type of an observation, or its kind: what a team is given is chosen by it. */
  label: string;
  isRule: boolean;
  /** The user's own words or work: others' are given to nobody. */
  isOwn: boolean;
};

export const hashesOf = ({ fields, content }: Read): Record<string, string> => ({
  ...Object.fromEntries(Object.entries(fields).map(([name, { hash }]) => [name, hash])),
  content,
});

/** SQL that lists the rows of each kind, for the day on which a machine joins. */
export const listKinds = (projectId: number | null): { kind: RecordKind; rows: string }[] => {
  const of = projectId === null ? '' : 'WHERE project_id = $projectId';
  return [
    { kind: 'observation', rows: `SELECT 'observation', id FROM observations ${of}` },
    { kind: 'summary', rows: `SELECT 'summary', id FROM summaries ${of}` },
    {
      kind: 'turn',
      rows: `SELECT 'turn', p.id FROM prompts p JOIN turns t ON t.session_id = p.session_id AND t.prompt_number = p.prompt_number`,
    },
    { kind: 'tombstone', rows: `SELECT 'tombstone', kind || ':' || hash FROM tombstones` },
    { kind: 'blocked', rows: `SELECT 'blocked', source FROM distrusted` },
    { kind: 'alias', rows: `SELECT 'alias', key FROM project_aliases` },
    { kind: 'replaced', rows: `SELECT 'replaced', id FROM replacements` },
  ];
};

/** Null when it is gone, hidden, or not finished. `known`: the name that it has already. */
export function readEntity(db: Database, kind: RecordKind, ref: string, known: string | null): Read | null {
  const read = READERS[kind](db, ref);
  return read && { kind, ref, ...NOT_A_MEMORY, ...read, entity: known ?? read.entity };
}

const NOT_A_MEMORY = { content: '', projectId: null, label: '', isRule: false, isOwn: true };
type Reader = (db: Database, ref: string) => (Pick<Read, 'entity' | 'fields'> & Partial<Read>) | null;

const READERS: Record<RecordKind, Reader> = {
  observation: readObservation,
  summary: readSummary,
  turn: readTurn,
  replaced: readReplaced,
  tombstone(db, ref) {
    const [what = '', hash = ''] = ref.split(/:(.*)/s);
    const at = readValue<string>(db, 'SELECT created_at FROM tombstones WHERE kind = ? AND hash = ?', what, hash);
    return at === null ? null : { entity: hashParts(['tombstone', ref]), fields: { words: field({ what, hash }) } };
  },
  blocked(db, source) {
    const at = readValue<string>(db, 'SELECT created_at FROM distrusted WHERE source = ?', source);
    return at === null ? null : { entity: hashParts(['blocked', source]), fields: { words: field({ source }) } };
  },
  alias(db, key) {
    const id = readValue<number>(db, 'SELECT project_id FROM project_aliases WHERE key = ?', key);
    const project = id === null ? null : describeProject(db, id);
    // A path means nothing on another machine.
    if (!project || /^(formerly:)?\/|^sync:/.test(key)) return null;
    return { entity: hashParts(['alias', key]), fields: { words: field({ key, project }) }, projectId: id };
  },
  published(db, space) {
    const published = readPublished(db).get(space);
    return published ? { entity: hashParts(['published', space]), fields: { words: field({ space, ...published }) } } : null;
  },
};

const field = (value: unknown, isDefault = false): Field => ({ value, hash: hashParts([JSON.stringify(value)]), isDefault });

/** Where a memory was made, as another machine can find or make it. Null as id of a session: it was made in none. */
function readPlace(db: Database, kind: MemoryKind, ref: string) {
  const project = kind === 'prompt' ? 's.project_id' : 'm.project_id';
  const finished = kind === 'prompt' ? '' : 'AND m.provisional = 0';
  const host = kind === 'observation' ? hostOf('m', 's') : 's.host';
  const row = db
    .query<{ projectId: number; id: string | null; host: string; startedAt: string }, [string]>(
      `SELECT ${project} AS projectId, s.host_session_id AS id, ${host} AS host, coalesce(s.started_at, '') AS startedAt
       FROM ${MEMORY_TABLES[kind]} m LEFT JOIN sessions s ON s.id = m.session_id WHERE m.id = CAST(? AS INTEGER) ${finished}`,
    )
    .get(ref);
  const described = row && describeProject(db, row.projectId);
  if (!row || !described) return null;
  const { projectId, ...session } = row;
  return { projectId, place: { project: described, session } };
}

/** As an export has it. */
const readLine = <Kind extends MemoryKind>(db: Database, kind: Kind, ref: string) =>
  readRows(db, kind, [Number(ref)]).get(Number(ref)) as Line<Kind> | undefined;

const readHash = (db: Database, kind: MemoryKind, ref: string) =>
  readValue<string>(db, `SELECT hash FROM ${MEMORY_TABLES[kind]} WHERE id = CAST(? AS INTEGER)`, ref) ?? '';

function readObservation(db: Database, ref: string): ReturnType<Reader> {
  const made = readPlace(db, 'observation', ref);
  const line = made && readLine(db, 'observation', ref);
  if (!line) return null;
  const { kind: _, ref: __, session: ___, project: ____, author, isPinned, isKept, isRule, wrongAt, ...words } = line;
  const { project, session } = made.place;
  const content = readHash(db, 'observation', ref);
  const commit = line.commits[0]?.hash ?? null;
  const name = commit ? ['commit', project.key, commit] : ['observation', session.id ?? session.host, line.at, content];
  return {
    entity: hashParts(name),
    fields: {
      words: field(words),
      place: field(made.place),
      pin: field(isPinned, !isPinned),
      kept: field(isKept, !isKept),
      rule: field(isRule, !isRule),
      wrong: field(wrongAt, wrongAt === null),
    },
    content,
    projectId: made.projectId,
    label: line.type,
    isRule,
    isOwn: author === null && ['user', 'agent', 'command', 'file'].includes(line.origin) && !line.isQuarantined && line.trust > 1,
  };
}

function readSummary(db: Database, ref: string): ReturnType<Reader> {
  const made = readPlace(db, 'summary', ref);
  const line = made && readLine(db, 'summary', ref);
  if (!line) return null;
  const { kind: _, ref: __, session: ___, project: ____, ...words } = line;
  const { session } = made.place;
  return {
    entity: hashParts(['summary', session.id ?? session.host, String(line.prompt), session.id ? '' : line.at]),
    fields: { words: field(words), place: field(made.place) },
    ...{ content: readHash(db, 'summary', ref), projectId: made.projectId, label: 'summary' },
  };
}

function readTurn(db: Database, ref: string): ReturnType<Reader> {
  const made = readPlace(db, 'prompt', ref);
  const asked = made && readLine(db, 'prompt', ref);
  const told = asked && !asked.isPrivate && asked.text !== '' ? readTurns(db, [Number(ref)]).get(Number(ref)) : null;
  if (!told || !asked) return null;
  const { kind: _, ref: __, session: id, ...prompt } = asked;
  const { kind: ___, session: ____, ...turn } = told;
  return {
    entity: hashParts(['turn', id, String(prompt.number)]),
    fields: { words: field({ prompt, turn }), place: field(made.place) },
    ...{ content: hashPrompt(id, prompt.text), projectId: made.projectId, label: 'turn' },
  };
}

/** Between two memories that are replicated. Its words, which quote them, are not. */
function readReplaced(db: Database, ref: string): ReturnType<Reader> {
  type Row = Record<'olderKind' | 'olderId' | 'newerKind' | 'newerId' | 'why' | 'madeBy', string> &
    Record<'certain' | 'bothHold' | 'at', number>;
  const row = db
    .query<Row, [string]>(
      `SELECT older_kind AS olderKind, CAST(older_id AS TEXT) AS olderId, newer_kind AS newerKind, CAST(newer_id AS TEXT) AS newerId, why,
         made_by AS madeBy, certain, both_hold AS bothHold, created_at_epoch AS at FROM replacements WHERE id = CAST(? AS INTEGER)`,
    )
    .get(ref);
  if (!row) return null;
  const named = 'SELECT entity FROM sync_records WHERE kind = ? AND ref = ? AND author IS NULL';
  const entityOf = (kind: string, id: string) => readValue<string>(db, named, kind === 'prompt' ? 'turn' : kind, id);
  const [older, newer] = [entityOf(row.olderKind, row.olderId), entityOf(row.newerKind, row.newerId)];
  if (older === null || newer === null) return null;
  const { why, madeBy, certain, bothHold, at } = row;
  const words = { older, newer, isCertain: certain === 1, why, madeBy, bothHold: bothHold === 1, at };
  return { entity: hashParts(['replaced', older, newer]), fields: { words: field(words) } };
}
