// Memories of any kind by their ids: as rows of an index, or whole.
import type { Database } from 'bun:sqlite';
import { z } from 'zod';
import {
  formatRef,
  type Memory,
  type MemoryKind,
  type MemoryRef,
  type MemoryRow,
  RECORD_SHOWN,
} from '../../core/memory.ts';
import type { ObservationType, Outcome } from '../../core/observation.ts';
import { oneLine } from '../../core/one-line.ts';
import { titleSummary } from '../../core/summary-title.ts';
import { estimateTokens } from '../../core/tokens.ts';
import { INJECTED_TRUST } from '../../core/trust.ts';
import { isByOthers } from '../commits/commits.ts';
import { distrusted } from '../trust/trusted.ts';
import { readReplacedBy } from './replaced-by.ts';
import { SUMMARY_SAYS } from './summary-says.ts';

/** Hidden ones are read only for whoever decides about them. */
export type ReadOptions = { withHidden?: boolean };

/** By id as it is written (`S12`). What is not there, or hidden, is not in it. One statement for each kind. */
export function readRows(db: Database, refs: MemoryRef[], options: ReadOptions = {}): Map<string, MemoryRow> {
  const rows = [
    ...readKind<ObservationRow>(db, OBSERVATION_ROWS, idsOf(refs, 'observation'), options).map(observationRow),
    ...readKind<SummaryRow>(db, SUMMARY_ROWS, idsOf(refs, 'summary'), options).map(summaryRow),
    ...readKind<PromptRow>(db, PROMPT_ROWS, idsOf(refs, 'prompt'), options).map(promptRow),
  ];
  return withMarks(db, refs, rows);
}

/** The same, with all that is in them. */
export function readMemories(db: Database, refs: MemoryRef[], options: ReadOptions = {}): Map<string, Memory> {
  const memories = [
    ...readKind<WholeObservation>(db, WHOLE_OBSERVATIONS, idsOf(refs, 'observation'), options).map(wholeObservation),
    ...readKind<SummaryRow>(db, SUMMARY_ROWS, idsOf(refs, 'summary'), options).map(wholeSummary),
    ...readKind<PromptRow>(db, PROMPT_ROWS, idsOf(refs, 'prompt'), options).map(wholePrompt),
  ];
  return withMarks(db, refs, memories);
}

/** What a newer memory has replaced, or may have, says so. */
function withMarks<Row extends MemoryRow>(db: Database, refs: MemoryRef[], rows: Row[]): Map<string, Row> {
  const marks = readReplacedBy(db, refs);
  return new Map(rows.map((row) => [row.id, { ...row, replacedBy: marks.get(row.id) ?? null }]));
}

const idsOf = (refs: MemoryRef[], kind: MemoryKind) => refs.filter((ref) => ref.kind === kind).map(({ id }) => id);

function readKind<Row>(db: Database, sql: string, ids: number[], { withHidden = false }: ReadOptions): Row[] {
  if (ids.length === 0) return [];
  return db
    .query<Row, [{ ids: string; withHidden: number }]>(sql)
    .all({ ids: JSON.stringify(ids), withHidden: Number(withHidden) });
}

type Place = { id: number; at: number; project: string; session: string; branch: string | null };
const PLACE =
  'm.id, m.created_at_epoch AS at, p.name AS project, s.host_session_id AS session, s.branch, m.prompt_number AS promptNumber';
const OF_SESSION = 'JOIN sessions s ON s.id = m.session_id JOIN projects p ON p.id = m.project_id';
const WANTED = 'FROM (SELECT DISTINCT value FROM json_each($ids)) AS wanted CROSS JOIN';
const SHOWN = '($withHidden OR m.hidden_at IS NULL)';

/** The prompt under which the record of its turn is read. */
const TURN = `(SELECT pr.id FROM prompts pr JOIN turns tr ON tr.session_id = pr.session_id AND tr.prompt_number = pr.prompt_number
  WHERE pr.session_id = m.session_id AND pr.prompt_number = m.prompt_number AND pr.text <> '' AND ($withHidden OR pr.hidden_at IS NULL)) AS turn`;
const turnOf = (id: number | null) => (id === null ? null : formatRef({ kind: 'prompt', id }));

type ObservationRow = Place & {
  promptNumber: number | null;
  type: ObservationType;
  title: string | null;
  subtitle: string | null;
  file: string | null;
  tokens: number;
  outcome: Outcome | null;
  trust: number;
  isAgentNote: number;
  isByOthers: number;
  isPinned: number;
  isWrong: number;
  isQuarantined: number;
  isDistrusted: number;
};
const OBSERVATION_FIELDS = `${PLACE}, m.type, m.title, m.subtitle, m.tokens, m.outcome, m.trust,
  m.pinned AS isPinned, m.wrong_at IS NOT NULL AS isWrong, m.quarantined AS isQuarantined, ${distrusted('m')} AS isDistrusted,
  s.host = 'claude-mem' AND m.origin = 'agent' AS isAgentNote, ${isByOthers('m')} AS isByOthers,
  coalesce(json_extract(m.files_modified, '$[0]'), json_extract(m.files_read, '$[0]')) AS file`;
const OBSERVATIONS = `${WANTED} observations m ON m.id = wanted.value ${OF_SESSION} WHERE ${SHOWN}`;
const OBSERVATION_ROWS = `SELECT ${OBSERVATION_FIELDS} ${OBSERVATIONS}`;

function observationRow(row: ObservationRow): MemoryRow {
  return {
    id: formatRef({ kind: 'observation', id: row.id }),
    kind: 'observation',
    type: row.type,
    title: row.title ?? oneLine(row.subtitle ?? 'untitled'),
    at: row.at,
    project: row.project,
    session: row.session,
    file: row.file,
    tokens: row.tokens,
    outcome: row.outcome,
    isFromOutside: row.trust < INJECTED_TRUST,
    ...(row.isAgentNote ? { isAgentNote: true } : {}),
    ...(row.isByOthers ? { isByOthers: true } : {}),
    ...(row.isPinned ? { isPinned: true } : {}),
    ...(row.isWrong ? { isWrong: true } : {}),
    ...(row.isQuarantined ? { isQuarantined: true } : {}),
    ...(row.isDistrusted ? { isDistrusted: true } : {}),
    replacedBy: null,
  };
}

type WholeObservation = ObservationRow & {
  turn: number | null;
  commit: string | null;
  narrative: string | null;
  facts: string;
  concepts: string;
  filesRead: string;
  filesModified: string;
};
const WHOLE_OBSERVATIONS = `SELECT ${OBSERVATION_FIELDS}, ${TURN}, m.commit_hash AS "commit", m.narrative, m.facts, m.concepts, m.files_read AS filesRead,
  m.files_modified AS filesModified ${OBSERVATIONS}`;

const Texts = z.array(z.string()).catch([]);
const Facts = z.array(z.object({ text: z.string() })).catch([]);
const readTexts = (json: string) => Texts.parse(readList(json));

/** A damaged list says nothing: one bad row must not keep all the others. That it is damaged, its page tells. */
function readList(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return []; // as said
  }
}

function wholeObservation(row: WholeObservation): Memory {
  return {
    ...observationRow(row),
    subtitle: row.subtitle,
    narrative: row.narrative,
    facts: Facts.parse(readList(row.facts)).map(({ text }) => text),
    concepts: readTexts(row.concepts),
    filesRead: readTexts(row.filesRead),
    filesModified: readTexts(row.filesModified),
    branch: row.branch,
    promptNumber: row.promptNumber,
    ...(row.commit === null ? {} : { commit: row.commit }),
    summary: null,
    text: null,
    turn: turnOf(row.turn),
    record: null,
  };
}

type SummaryRow = Place & {
  turn: number | null;
  promptNumber: number | null;
  request: string | null;
  investigated: string | null;
  learned: string | null;
  completed: string | null;
  nextSteps: string | null;
  notes: string | null;
  filesRead: string;
  filesEdited: string;
};
const SUMMARY_ROWS = `SELECT ${PLACE}, m.request, m.investigated, m.learned, m.completed, m.next_steps AS nextSteps, m.notes,
    m.files_read AS filesRead, m.files_edited AS filesEdited, ${TURN}
  ${WANTED} summaries m ON m.id = wanted.value ${OF_SESSION} WHERE ${SHOWN} AND ($withHidden OR ${SUMMARY_SAYS})`;

const summaryTexts = ({ request, investigated, learned, completed, nextSteps, notes }: SummaryRow) =>
  [request, completed, learned, investigated, nextSteps, notes].filter((text) => text !== null);

function summaryRow(row: SummaryRow): MemoryRow {
  const texts = summaryTexts(row);
  return {
    ...plainRow('summary', row),
    title: oneLine(titleSummary(row) ?? 'untitled'),
    file: readTexts(row.filesEdited)[0] ?? readTexts(row.filesRead)[0] ?? null,
    tokens: estimateTokens(texts.join('\n')),
  };
}

function wholeSummary(row: SummaryRow): Memory {
  const { request, investigated, learned, completed, nextSteps, notes } = row;
  return {
    ...summaryRow(row),
    ...NOTHING_MORE,
    filesRead: readTexts(row.filesRead),
    filesModified: readTexts(row.filesEdited),
    branch: row.branch,
    promptNumber: row.promptNumber,
    turn: turnOf(row.turn),
    summary: { request, investigated, learned, completed, nextSteps, notes },
  };
}

type PromptRow = Place & { promptNumber: number; text: string; recordLength: number | null };
/** A prompt without text is the mark of a private or forgotten one. */
const PROMPT_ROWS = `SELECT ${PLACE}, m.text, length(t.record) AS recordLength ${WANTED} prompts m ON m.id = wanted.value
  JOIN sessions s ON s.id = m.session_id JOIN projects p ON p.id = s.project_id
  LEFT JOIN turns t ON t.session_id = m.session_id AND t.prompt_number = m.prompt_number WHERE ${SHOWN} AND m.text <> ''`;

const promptRow = (row: PromptRow): MemoryRow => ({
  ...plainRow('prompt', row),
  title: promptTitle(row.text),
  file: null,
  tokens: estimateTokens(row.text) + Math.ceil(Math.min(row.recordLength ?? 0, RECORD_SHOWN) / 4),
});

/** Without what the host put around the user's words. */
function promptTitle(text: string): string {
  const said = text
    .slice(0, 4000)
    .replace(/<(ide_[a-z_]+|command-message)>.*?<\/\1>/gs, ' ')
    .replace(/<\/?command-(?:name|args)>/g, ' ');
  return oneLine(said) || oneLine(text);
}

const wholePrompt = (row: PromptRow): Memory => ({
  ...promptRow(row),
  ...NOTHING_MORE,
  branch: row.branch,
  promptNumber: row.promptNumber,
  text: row.text,
  turn: turnOf(row.recordLength === null ? null : row.id),
});

const NOTHING_MORE = {
  subtitle: null,
  narrative: null,
  facts: [],
  concepts: [],
  filesRead: [],
  filesModified: [],
  summary: null,
  text: null,
  turn: null,
  record: null,
};

const plainRow = (kind: 'summary' | 'prompt', { id, at, project, session }: Place) => ({
  id: formatRef({ kind, id }),
  kind,
  type: kind,
  at,
  project,
  session,
  outcome: null,
  isFromOutside: false,
  replacedBy: null,
});
