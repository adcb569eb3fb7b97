// Memories of any kind by their ids: as rows of an index, whole, or as what stands in their place.
import type { Database } from 'bun:sqlite';
import { cleanPrompt } from '../core/clean-prompt.ts';
import { formatRef, MEMORY_KINDS, type MemoryKind, type MemoryRef, type OutcomeWhy, RECORD_SHOWN } from '../core/memory.ts';
import { INJECTED_TRUST, type SummaryWords, titleSummary } from '../core/observation.ts';
import type { Memory, MemoryRow, ReplacedBy } from '../core/shapes/memory.ts';
import { estimateTokens, oneLine } from '../core/text.ts';
import { SUMMARY_SAYS } from '../store/documents.ts';
import { readAll, readFirst } from '../store/read.ts';
import { isByOthers } from './git-log.ts';
import { readFacts, readStrings, type StoredContent } from './observations.ts';
import { agentOf, distrusted, holdsRef, isUndone, newestAbove, refText } from './trusted.ts';

/** Hidden ones are read only for whoever decides about them. */
type ReadOptions = { withHidden?: boolean };

/** By id as it is written (`S12`). What is not there, or hidden, is not in it. */
export function readMemories(db: Database, refs: MemoryRef[], { withHidden = false }: ReadOptions = {}): Map<string, Memory> {
  const found = MEMORY_KINDS.flatMap((kind) => {
    const ids = refs.filter((ref) => ref.kind === kind).map(({ id }) => id);
    if (ids.length === 0) return [];
    const values = { ids: JSON.stringify(ids), withHidden: Number(withHidden) };
    // The columns are those of the kind.
    return db
      .query(SELECT[kind])
      .all(values)
      .map((row) => MAKE[kind](row as never));
  });
  // What a newer memory has replaced, or may have, says so.
  const marks = readReplacedBy(db, refs);
  return new Map(found.map((memory) => [memory.id, { ...memory, replacedBy: marks.get(memory.id) ?? null }]));
}

/** The same without all that is in them. */
export function readRows(db: Database, refs: MemoryRef[], options: ReadOptions = {}): Map<string, MemoryRow> {
  const memories = readMemories(db, refs, options);
  return new Map([...memories].map(([id, memory]) => [id, toRow(memory)]));
}

function toRow(memory: Memory): MemoryRow {
  const { subtitle, narrative, facts, concepts, filesRead, filesModified, branch, ...rest } = memory;
  const { promptNumber, summary, text, turn, record, recordLeft, commit, outcomeBy, ...row } = rest;
  return row;
}

type Place = Record<'id' | 'at', number> & { project: string; promptNumber: number | null; author?: string | null } & Record<
    'session' | 'agent' | 'branch',
    string | null
  >;
const PLACE = `m.id, m.created_at_epoch AS at, p.name AS project, s.host_session_id AS session, ${agentOf('s')} AS agent,
  s.branch, m.prompt_number AS promptNumber`;
const from = (table: string, project = 'm.project_id') =>
  `FROM (SELECT DISTINCT value FROM json_each($ids)) AS wanted CROSS JOIN ${table} m ON m.id = wanted.value
   LEFT JOIN sessions s ON s.id = m.session_id JOIN projects p ON p.id = ${project}`;
const SHOWN = 'WHERE ($withHidden OR m.hidden_at IS NULL)';

/** The prompt under which the record of its turn is read. */
const TURN = `(SELECT pr.id FROM prompts pr JOIN turns tr ON tr.session_id = pr.session_id AND tr.prompt_number = pr.prompt_number
  WHERE pr.session_id = m.session_id AND pr.prompt_number = m.prompt_number AND pr.text <> ''
    AND ($withHidden OR pr.hidden_at IS NULL)) AS turn`;

const SELECT: Record<MemoryKind, string> = {
  observation: `SELECT ${PLACE}, m.type, m.title, m.subtitle, m.tokens, m.outcome, m.trust, ${TURN}, m.commit_hash AS "commit",
      m.narrative, m.facts, m.concepts, m.files_read AS filesRead, m.files_modified AS filesModified,
      m.pinned AS isPinned, m.wrong_at IS NOT NULL AS isWrong, m.quarantined AS isQuarantined, ${distrusted('m')} AS isDistrusted,
      m.session_id IS NULL AND m.origin = 'agent' AS isAgentNote, ${isByOthers('m')} AS isByOthers, m.author,
      changed.why AS changedWhy, by.id AS changedBy, by.created_at_epoch AS changedAt
    ${from('observations')} LEFT JOIN outcomes changed ON changed.observation_id = m.id LEFT JOIN prompts by ON by.id = changed.prompt_id
    ${SHOWN}`,
  summary: `SELECT ${PLACE}, m.request, m.investigated, m.learned, m.completed, m.next_steps AS nextSteps, m.notes,
      m.files_read AS filesRead, m.files_edited AS filesModified, ${TURN}
    ${from('summaries')} ${SHOWN} AND ($withHidden OR ${SUMMARY_SAYS})`,
  // One without text is the mark of a private or forgotten one.
  prompt: `SELECT ${PLACE}, m.text, length(t.record) AS recordLength ${from('prompts', 's.project_id')}
    LEFT JOIN turns t ON t.session_id = m.session_id AND t.prompt_number = m.prompt_number ${SHOWN} AND m.text <> ''`,
};

const FLAGS = ['isAgentNote', 'isByOthers', 'isPinned', 'isWrong', 'isQuarantined', 'isDistrusted'] as const;

type ObservationRow = Place &
  StoredContent &
  Record<(typeof FLAGS)[number] | 'tokens' | 'trust', number> &
  Turned & { commit: string | null; changedWhy: OutcomeWhy | null; changedBy: number; changedAt: number };
type Turned = { turn: number | null };
type SummaryRow = Place & SummaryWords & Turned & { filesRead: string; filesModified: string };
type PromptRow = Place & { text: string; recordLength: number | null };

const MAKE = {
  observation(row: ObservationRow): Memory {
    const [filesRead, filesModified] = [readStrings(row.filesRead), readStrings(row.filesModified)];
    return {
      ...plain('observation', row),
      type: row.type,
      title: row.title ?? oneLine(row.subtitle ?? 'untitled'),
      file: filesModified[0] ?? filesRead[0] ?? null,
      tokens: row.tokens,
      outcome: row.outcome,
      isFromOutside: row.trust < INJECTED_TRUST,
      ...Object.fromEntries(FLAGS.flatMap((flag) => (row[flag] ? [[flag, true]] : []))),
      subtitle: row.subtitle,
      narrative: row.narrative,
      facts: readFacts(row.facts).map(({ text }) => text),
      concepts: readStrings(row.concepts),
      ...{ filesRead, filesModified },
      turn: turnOf(row.turn),
      ...(row.commit === null ? {} : { commit: row.commit }),
      ...(row.changedWhy && {
        outcomeBy: { why: row.changedWhy, turn: formatRef({ kind: 'prompt', id: row.changedBy }), at: row.changedAt },
      }),
    };
  },
  summary(row: SummaryRow): Memory {
    const { request, investigated, learned, completed, nextSteps, notes } = row;
    const summary = { request, investigated, learned, completed, nextSteps, notes };
    const [filesRead, filesModified] = [readStrings(row.filesRead), readStrings(row.filesModified)];
    return {
      ...plain('summary', row),
      title: oneLine(titleSummary(row) ?? 'untitled'),
      file: filesModified[0] ?? filesRead[0] ?? null,
      tokens: estimateTokens(
        Object.values(summary)
          .filter((text) => text !== null)
          .join('\n'),
      ),
      ...{ summary, filesRead, filesModified },
      turn: turnOf(row.turn),
    };
  },
  prompt: (row: PromptRow): Memory => ({
    ...plain('prompt', row),
    title: oneLine(cleanPrompt(row.text.slice(0, 4000))) || oneLine(row.text),
    tokens: estimateTokens(row.text) + Math.ceil(Math.min(row.recordLength ?? 0, RECORD_SHOWN) / 4),
    text: row.text,
    turn: turnOf(row.recordLength === null ? null : row.id),
  }),
};

const turnOf = (id: number | null) => (id === null ? null : formatRef({ kind: 'prompt', id }));

/** Nor said of what no agent says: a commit, and what a person or a tool had remembered. */
function withAgent({ agent: own, author }: Pick<Place, 'agent' | 'author'>): { agent?: string } {
  const agent = author ? `team/${author}` : own;
  return agent === null ? {} : { agent };
}

const plain = <Kind extends MemoryKind>(kind: Kind, { id, at, project, session, branch, promptNumber, ...of }: Place) => ({
  ...{ id: formatRef({ kind, id }), kind, type: kind as Exclude<Kind, 'observation'>, at, project, session, branch, promptNumber },
  ...withAgent(of),
  ...{ file: null, outcome: null, isFromOutside: false, replacedBy: null, subtitle: null, narrative: null },
  ...{ facts: [], concepts: [], filesRead: [], filesModified: [], summary: null, text: null, turn: null, record: null },
});

/** By id as it is written: what stands in its place, or may. Of several the certain, then the latest. */
export function readReplacedBy(db: Database, refs: MemoryRef[]): Map<string, ReplacedBy> {
  if (refs.length === 0) return new Map();
  const rows = readAll<ReplacedRow>(db, REPLACED, JSON.stringify(refs));
  return new Map(
    rows.map(({ kind, olderId, isCertain, rowId: _, ...row }) => [
      formatRef({ kind, id: olderId }),
      { ...row, isCertain: isCertain === 1 },
    ]),
  );
}

type ReplacedRow = Omit<ReplacedBy, 'isCertain'> & { kind: MemoryKind; olderId: number; isCertain: number; rowId: number };

/** By what may not be given nothing is replaced. The best of each comes last. */
const REPLACED = `SELECT * FROM (
  SELECT m.id AS rowId, m.older_kind AS kind, m.older_id AS olderId, m.certain AS isCertain, m.why, m.words, m.created_at_epoch AS at,
    coalesce(${newestAbove('m.newer_id', 'm.newer_kind')},
      CASE WHEN ${holdsRef('m.newer_id', 'm.newer_kind')} THEN ${refText('m.newer_id', 'm.newer_kind')} END) AS id,
    (SELECT s.host_session_id FROM sessions s WHERE m.made_by <> 'user'
      AND s.id = CASE m.newer_kind WHEN 'prompt' THEN (SELECT session_id FROM prompts WHERE id = m.newer_id)
        ELSE (SELECT session_id FROM observations WHERE id = m.newer_id) END) AS session
  FROM json_each(?) AS wanted
    CROSS JOIN replacements m ON m.older_kind = json_extract(wanted.value, '$.kind')
      AND m.older_id = json_extract(wanted.value, '$.id') AND m.both_hold = 0
  WHERE NOT ${isUndone('m.newer_id', 'm.newer_kind')}) AS known WHERE id IS NOT NULL ORDER BY isCertain, at, rowId`;

/** What a memory says, each of its texts as it is stored. The title of a summary or a prompt is made of its other texts. */
type MemoryTexts = { ref: MemoryRef; session: string | null; title: string | null; texts: string[] };

/** Hidden ones, too. What is gone is left out. */
export function readTexts(db: Database, refs: MemoryRef[]): MemoryTexts[] {
  const memories = readMemories(db, refs, { withHidden: true });
  return refs.flatMap((ref) => {
    const memory = memories.get(formatRef(ref));
    if (!memory) return [];
    const { session, subtitle, narrative, facts, summary, text } = memory;
    const texts = [narrative, subtitle, ...facts, ...Object.values(summary ?? {}), text].filter((one) => one !== null);
    return [{ ref, session, title: ref.kind === 'observation' ? memory.title : null, texts }];
  });
}

type MemoryOwner = { ref: MemoryRef; projectId: number; isPersons: boolean };

const OWNER: Record<MemoryKind, string> = {
  observation: `SELECT project_id AS projectId, origin = 'user' OR pinned = 1 OR kept = 1 OR edited_at IS NOT NULL AS isPersons
    FROM observations WHERE id = ?`,
  summary: 'SELECT project_id AS projectId, 0 AS isPersons FROM summaries WHERE id = ?',
  prompt: `SELECT sessions.project_id AS projectId, 1 AS isPersons
    FROM prompts JOIN sessions ON sessions.id = prompts.session_id WHERE prompts.id = ?`,
};

/** Of which project those that are there are, and which are a person's own words or choice. */
export function listOwners(db: Database, refs: MemoryRef[]): MemoryOwner[] {
  return refs.flatMap((ref) => {
    const row = readFirst<{ projectId: number; isPersons: number }>(db, OWNER[ref.kind], ref.id);
    return row ? [{ ref, projectId: row.projectId, isPersons: row.isPersons === 1 }] : [];
  });
}
