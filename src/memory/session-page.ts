// Sessions as people read them: the list, latest first; one session, turn by turn: what was asked, done, and remembered of it.
import type { Database } from 'bun:sqlite';
import { fromRoot } from '../core/event.ts';
import { formatRef, MEMORY_TABLES, type MemoryRef } from '../core/memory.ts';
import type { SessionPage, SessionTool, SessionTurn, WholeSession } from '../core/shapes/memory.ts';
import type { ListedSession, ProjectRow, SessionsAnswer } from '../core/shapes/project.ts';
import { oneLine } from '../core/text.ts';
import { formatDate, startsOfDays } from '../core/time.ts';
import { scrubSecrets } from '../secrets/scrub.ts';
import { spentBySession } from '../store/model-calls.ts';
import { countRows, readAll, readColumn, readFirst } from '../store/read.ts';
import type { Page } from './lists.ts';
import { readStrings } from './observations.ts';
import { readMemories } from './read.ts';

const COLUMNS = `s.host_session_id AS session, s.host, p.name AS project, s.branch, s.title, s.subtitle, s.status,
  s.prompt_counter AS prompts, p.key, s.started_at_epoch AS startedAt, s.updated_at_epoch AS updatedAt,
  (SELECT count(*) FROM observations o WHERE o.session_id = s.id AND o.hidden_at IS NULL) AS observations`;

type SessionListQuery = {
  projectIds: number[] | null;
  since: number;
  until: number;
  /** All of them stand in what is known of a session at a glance. */
  words?: string | undefined;
  agent?: string | undefined;
  branch?: string | undefined;
  limit: number;
  offset: number;
};

const AT_A_GLANCE = `lower(coalesce(s.title,'') || ' ' || coalesce(s.subtitle,'') || ' ' || coalesce(s.first_prompt,'') || ' ' ||
  coalesce(s.branch,'') || ' ' || s.host_session_id)`;

/** A session is in a time when it was alive in it. */
export function listSessions(db: Database, query: SessionListQuery): SessionsAnswer {
  const { projectIds, since, until, agent, branch, limit, offset } = query;
  const words = (query.words ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  const where = `s.updated_at_epoch >= $since AND s.started_at_epoch <= $until
    ${projectIds ? 'AND s.project_id IN (SELECT value FROM json_each($projects))' : ''}
    ${agent === undefined ? '' : 'AND s.host = $agent'} ${branch === undefined ? '' : 'AND s.branch = $branch'}
    ${words.length === 0 ? '' : `AND NOT EXISTS (SELECT 1 FROM json_each($words) WHERE instr(${AT_A_GLANCE}, value) = 0)`}`;
  const values = {
    ...{ since, until },
    ...(projectIds ? { projects: JSON.stringify(projectIds) } : {}),
    ...(agent === undefined ? {} : { agent }),
    ...(branch === undefined ? {} : { branch }),
    ...(words.length === 0 ? {} : { words: JSON.stringify(words) }),
  };
  const sql = `SELECT s.id, ${COLUMNS}, substr(s.first_prompt, 1, 300) AS firstPrompt FROM sessions s JOIN projects p ON p.id = s.project_id
    WHERE ${where} ORDER BY s.updated_at_epoch DESC, s.id DESC LIMIT $limit + 0 OFFSET $offset`;
  const rows = readAll<Omit<ListedSession, 'spend'> & { id: number }>(db, sql, { ...values, limit, offset });
  const items = rows.map(({ id, ...row }) => ({ ...row, spend: spentBySession(db, id) }));
  return { items, total: countRows(db, `sessions s WHERE ${where}`, values), limit, offset, ...listChoices(db, projectIds) };
}

const MOST_BRANCHES = 100;

/** What a list can be narrowed down to. */
function listChoices(db: Database, projectIds: number[] | null): Pick<SessionsAnswer, 'agents' | 'branches'> {
  const own = projectIds ? 'AND s.project_id IN (SELECT value FROM json_each($projects))' : '';
  const values: Record<string, string> = projectIds ? { projects: JSON.stringify(projectIds) } : {};
  const branches = `SELECT s.branch FROM sessions s WHERE s.branch IS NOT NULL ${own}
    GROUP BY s.branch ORDER BY max(s.updated_at_epoch) DESC LIMIT ${MOST_BRANCHES}`;
  return {
    agents: readColumn(db, `SELECT DISTINCT s.host FROM sessions s WHERE true ${own} ORDER BY 1`, values),
    branches: readColumn(db, branches, values),
  };
}

type ListedProject = Omit<ProjectRow, 'aliases' | 'isGone' | 'maybe'>;

const ACTIVE_DAYS = 28;
const CHARACTERS = `(SELECT coalesce(sum(4 * o.tokens), 0) FROM observations o WHERE o.project_id = p.id)
  + (SELECT coalesce(sum(length(t.record)), 0) FROM sessions s JOIN turns t ON t.session_id = s.id WHERE s.project_id = p.id)`;

/** `sizes`: read all that is kept, which takes a while. */
type ProjectListQuery = { limit: number; offset: number; now: number; sizes?: boolean };

export function listProjects(db: Database, { limit, offset, now, sizes = false }: ProjectListQuery): Page<ListedProject> {
  const starts = startsOfDays(now, ACTIVE_DAYS);
  const characters = sizes ? CHARACTERS : 'NULL';
  const sql = `SELECT p.id, p.key, p.name AS project, p.root,
      (SELECT count(*) FROM sessions s WHERE s.project_id = p.id) AS sessions,
      (SELECT count(*) FROM observations o WHERE o.project_id = p.id) AS observations,
      (SELECT json_group_array(DISTINCT s.host) FROM sessions s WHERE s.project_id = p.id) AS agents,
      ${characters} AS characters,
      (SELECT max(at) FROM (SELECT max(s.updated_at_epoch) AS at FROM sessions s WHERE s.project_id = p.id
        UNION ALL SELECT max(created_at_epoch) FROM observations INDEXED BY observations_noted
          WHERE project_id = p.id AND session_id IS NULL AND origin <> 'commit')) AS updatedAt
    FROM projects p ORDER BY updatedAt DESC, p.id DESC LIMIT ? + 0 OFFSET ?`;
  const items = readAll<Omit<ListedProject, 'agents' | 'days'> & { id: number; agents: string }>(db, sql, limit, offset).map(
    ({ id, agents, ...row }) => ({ ...row, agents: readStrings(agents), days: countProjectDays(db, id, starts) }),
  );
  return { items, total: countRows(db, 'projects'), limit, offset };
}

/** Memories of each day. */
function countProjectDays(db: Database, projectId: number, starts: number[]): number[] {
  const sql = `SELECT date(created_at_epoch / 1000, 'unixepoch', 'localtime') AS day, count(*) AS n FROM observations
    WHERE project_id = ? AND created_at_epoch >= ? GROUP BY 1`;
  const rows = readAll<{ day: string; n: number }>(db, sql, projectId, starts[0] ?? 0);
  const counts = new Map(rows.map(({ day, n }) => [day, n]));
  return starts.slice(0, -1).map((start) => counts.get(formatDate(start)) ?? 0);
}

type TurnQuery = { order: 'oldest' | 'newest'; limit: number; offset: number };

/** Null when there is no such session of an agent. */
export function readSessionPage(db: Database, sessionId: number, query: TurnQuery): Omit<SessionPage, 'rollUp'> | null {
  const sql = `SELECT ${COLUMNS}, s.end_reason AS endReason, s.completed_at_epoch AS completedAt, s.cwd, s.first_prompt AS firstPrompt
    FROM sessions s JOIN projects p ON p.id = s.project_id WHERE s.id = ?`;
  const row = readFirst<Omit<WholeSession, 'spend'>>(db, sql, sessionId);
  if (!row) return null;
  const numbers = readColumn<number>(db, TURN_NUMBERS, { sessionId });
  const inOrder = query.order === 'oldest' ? numbers : numbers.reverse();
  const { limit, offset } = query;
  const turns = readTurns(db, sessionId, inOrder.slice(offset, offset + limit));
  return { session: { ...row, spend: spentBySession(db, sessionId) }, turns, total: numbers.length, limit, offset };
}

const TURN_NUMBERS = `SELECT prompt_number FROM prompts WHERE session_id = $sessionId
  UNION SELECT coalesce(prompt_number, 0) FROM observations WHERE session_id = $sessionId AND hidden_at IS NULL
  UNION SELECT coalesce(prompt_number, 0) FROM summaries WHERE session_id = $sessionId AND hidden_at IS NULL
  UNION SELECT prompt_number FROM events WHERE session_id = $sessionId AND kind = 'tool' ORDER BY 1`;

/** Turns of a session, as a JSON list. */
type TurnsOf = { sessionId: number; turns: string };
const IN_TURNS = 'session_id = $sessionId AND coalesce(prompt_number, 0) IN (SELECT value FROM json_each($turns))';

const MOST_OBSERVATIONS = 200;

function readTurns(db: Database, sessionId: number, numbers: number[]): SessionTurn[] {
  const page = { sessionId, turns: JSON.stringify(numbers) };
  const prompts = new Map(listPrompts(db, page).map((prompt) => [prompt.turn, prompt]));
  const observed = Map.groupBy(listRefs(db, 'observation', page), ({ turn }) => turn);
  const summed = Map.groupBy(listRefs(db, 'summary', page), ({ turn }) => turn);
  const tools = listTurnTools(db, page);
  const shown = [...observed.values()].flatMap((refs) => refs.slice(0, MOST_OBSERVATIONS));
  const memories = readMemories(db, [...shown, ...[...summed.values()].flat()]);
  const read = (refs: MemoryRef[]) => refs.flatMap((ref) => memories.get(formatRef(ref)) ?? []);
  return numbers.map((number) => {
    const prompt = prompts.get(number);
    const observations = observed.get(number) ?? [];
    return {
      number,
      prompt: prompt?.text ? { id: formatRef({ kind: 'prompt', id: prompt.id }), text: prompt.text, at: prompt.at } : null,
      isPrivate: prompt?.isPrivate === 1,
      ...(tools.get(number) ?? { tools: [], moreTools: 0 }),
      observations: read(observations.slice(0, MOST_OBSERVATIONS)),
      moreObservations: Math.max(0, observations.length - MOST_OBSERVATIONS),
      // A turn that was processed in parts has several; the last knows all.
      summary: read(summed.get(number) ?? []).at(-1) ?? null,
    };
  });
}

type PromptRow = { turn: number; id: number; text: string; at: number; isPrivate: number };

const listPrompts = (db: Database, page: TurnsOf) => {
  const sql = `SELECT prompt_number AS turn, id, CASE WHEN hidden_at IS NULL THEN text ELSE '' END AS text, created_at_epoch AS at,
    private AS isPrivate FROM prompts WHERE ${IN_TURNS}`;
  return readAll<PromptRow>(db, sql, page);
};

const listRefs = (db: Database, kind: 'observation' | 'summary', page: TurnsOf) => {
  const sql = `SELECT '${kind}' AS kind, id, coalesce(prompt_number, 0) AS turn FROM ${MEMORY_TABLES[kind]}
    WHERE ${IN_TURNS} AND hidden_at IS NULL ORDER BY id`;
  return readAll<MemoryRef & { turn: number }>(db, sql, page);
};

type TurnTools = { tools: SessionTool[]; moreTools: number };

const MOST_TOOLS = 200;

/** Which tool, on what, and which memories came of it; never what it gave or got. By turn, in the order of arrival. */
function listTurnTools(db: Database, page: TurnsOf): Map<number, TurnTools> {
  const rests = listResting(db, page);
  const turns = new Map<number, TurnTools>();
  for (const row of listTools(db, page)) {
    const turn = turns.get(row.turn) ?? { tools: [], moreTools: Math.max(0, row.total - MOST_TOOLS) };
    const { ids, isHidden } = rests.get(row.id) ?? { ids: [], isHidden: false };
    const { id, tool, at, status, isError } = row;
    turn.tools.push({ id, tool, subject: isHidden ? null : readSubject(row), at, status, isError: isError === 1, observations: ids });
    turns.set(row.turn, turn);
  }
  return turns;
}

type ToolRow = {
  id: string;
  turn: number;
  total: number;
  at: number;
  status: SessionTool['status'];
  root: string;
  tool: string | null;
  isError: number;
  file: string | null;
  words: string | null;
};

/** No more of a payload is read than one line needs, whatever is in it. */
const WORDS = 1000;

const listTools = (db: Database, page: TurnsOf): ToolRow[] => {
  const sql = `SELECT e.id, e.prompt_number AS turn, place.total, e.created_at_epoch AS at, s.root,
      CASE e.status WHEN 'claimed' THEN 'pending' ELSE e.status END AS status,
      json_extract(e.payload, '$.tool') AS tool, coalesce(json_extract(e.payload, '$.error'), '') <> '' AS isError,
      json_extract(e.payload, '$.action.file') AS file,
      substr(coalesce(json_extract(e.payload, '$.action.command'), json_extract(e.payload, '$.action.query'),
        json_extract(e.payload, '$.action.target'), json_extract(e.payload, '$.action.description'),
        json_extract(e.payload, '$.action.answers[0].question'), CASE json_extract(e.payload, '$.action.type')
          WHEN 'task' THEN json_extract(e.payload, '$.action.text') END), 1, ${WORDS}) AS words
    FROM (SELECT seq, row_number() OVER turn AS number, count(*) OVER (PARTITION BY prompt_number) AS total
          FROM events WHERE session_id = $sessionId AND kind = 'tool'
            AND prompt_number IN (SELECT value FROM json_each($turns))
          WINDOW turn AS (PARTITION BY prompt_number ORDER BY seq)) place
      JOIN events e ON e.seq = place.seq JOIN sessions s ON s.id = e.session_id
    WHERE place.number <= ${MOST_TOOLS} ORDER BY e.seq`;
  return readAll<ToolRow>(db, sql, page);
};

/** It was scrubbed when it came; what a newer rule finds must not leave either. */
const readSubject = ({ file, words, root }: ToolRow): string | null =>
  oneLine(file === null ? scrubSecrets(words ?? '').text : fromRoot(file, root)) || null;

/** What came of an event, by the id of the event; `isHidden` when somebody wants some of that to be forgotten. */
function listResting(db: Database, page: TurnsOf) {
  const sql = `SELECT id, sources, hidden_at IS NOT NULL AS isHidden FROM observations WHERE ${IN_TURNS} ORDER BY id`;
  const rows = readAll<{ id: number; sources: string; isHidden: number }>(db, sql, page);
  const resting = new Map<string, { ids: string[]; isHidden: boolean }>();
  for (const { id, sources, isHidden } of rows)
    for (const source of readStrings(sources)) {
      const known = resting.get(source) ?? { ids: [], isHidden: false };
      if (isHidden) known.isHidden = true;
      else known.ids.push(String(id));
      resting.set(source, known);
    }
  return resting;
}
