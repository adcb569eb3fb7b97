// Forgetting a whole session, a whole project, or all that has a text in it: looked at first, then taken out slice by slice.
import type { Database } from 'bun:sqlite';
import type { ForgetOrder } from '../../backup/forget-copies.ts';
import { AskError } from '../../core/ask-error.ts';
import { formatRef, type MemoryRef } from '../../core/memory.ts';
import type { ForgetPreview, ForgetScope } from '../../core/search.ts';
import { findMatching, MOST_MATCHES } from '../../forget/matching.ts';
import {
  addTelling,
  burySessions,
  countScope,
  createTally,
  eraseElsewhere,
  eraseSessionPart,
  eraseSome,
  findSessions,
  listBuriedSessions,
  listSessionsOf,
  type Tally,
} from '../../forget/scope.ts';
import { isErasing, listErasingProjects, markErasing, markErasingProject } from '../../store/forgetting/erase-marks.ts';
import { isSaid, wipeTexts, wipeTraces } from '../../store/forgetting/erase-traces.ts';
import { hideMemory } from '../../store/forgetting/hide.ts';
import { bury } from '../../store/forgetting/tombstones.ts';
import { readRows } from '../../store/memories/memories.ts';
import { findNamed } from '../projects/scope.ts';

/** What goes: sessions as a whole, what there is of a project in others, memories one by one. */
export type Plan = {
  /** For people: `session 1f2e…`. */
  name: string;
  sessionIds: number[];
  projectId: number | null;
  refs: MemoryRef[];
  /** A text that must be in no file afterwards. */
  text: string | null;
};

export type ManyDeps = {
  db: Database;
  clock: () => number;
  /** Cuts off a question that is put to a model about this session. */
  stopSession?: (sessionId: number) => Promise<void>;
};

const pause = () => new Promise<void>((resolve) => setImmediate(resolve));
const LISTED = 50;

export async function planScope({ db }: ManyDeps, { session, project, matching }: ForgetScope): Promise<Plan> {
  const nothing = { sessionIds: [], projectId: null, refs: [], text: null };
  if ([session, project, matching].filter((one) => one !== undefined).length !== 1)
    throw new AskError('invalid', 'It is not said what to forget.', 'Give one of session, project and matching.');
  if (session !== undefined) return { ...nothing, ...planSession(db, session) };
  if (project !== undefined) {
    const { id, name } = findNamed(db, project);
    return { ...nothing, name: `project ${name}`, sessionIds: listSessionsOf(db, id), projectId: id };
  }
  const text = (matching ?? '').trim();
  if (text.length < 3) throw new AskError('invalid', 'The text is too short.', 'Give at least three characters.');
  const refs = await findMatching(db, text, pause);
  if (refs.length > MOST_MATCHES)
    throw new AskError('invalid', `More than ${MOST_MATCHES} memories have it.`, 'Give a text that fewer have.');
  return { ...nothing, name: `all that has "${text}" in it`, refs, text };
}

/** Many memories that a person has seen. `text`: what they were found by. */
export const planRefs = (refs: MemoryRef[], text: string | undefined): Plan => ({
  ...{ name: 'memories', sessionIds: [], projectId: null, refs },
  text: text ?? null,
});

/** By names: a number may have been another's when a backup was made. To be asked before they are gone. */
export function nameInCopies(
  db: Database,
  { sessionIds, projectId, refs }: Plan,
): Omit<ForgetOrder, 'paths' | 'pieces' | 'at'> {
  const name = db.query<{ name: string }, [number]>('SELECT host_session_id AS name FROM sessions WHERE id = ?');
  const key = db.query<{ key: string }, [number | null]>('SELECT key FROM projects WHERE id = ?').get(projectId);
  return { refs, sessions: sessionIds.flatMap((id) => name.get(id)?.name ?? []), project: key?.key ?? null };
}

function planSession(db: Database, text: string): Pick<Plan, 'name' | 'sessionIds'> {
  const [found, ...others] = findSessions(db, text);
  if (!found)
    throw new AskError(
      'unknown',
      `There is no session ${text.slice(0, 100)}.`,
      '`claude-mem show ID` names the session of a memory.',
    );
  if (others.length === 0) return { name: `session ${found.session}`, sessionIds: [found.id] };
  const candidates = [found, ...others].map(({ session }) => session);
  throw new AskError(
    'ambiguous',
    `${candidates.length} sessions begin with "${text}".`,
    'Give all of the id.',
    candidates,
  );
}

/** What would go, the newest memories first. */
export function describePlan(db: Database, { name, sessionIds, projectId, refs }: Plan): ForgetPreview {
  const listed = refs.length > 0 ? refs.slice(0, LISTED) : listNewest(db, sessionIds, projectId);
  const rows = readRows(db, listed, { withHidden: true });
  const kinds = Map.groupBy(refs, ({ kind }) => kind);
  const counts = countScope(db, sessionIds, projectId);
  return {
    scope: name,
    sessions: counts.sessions,
    observations: counts.observations + (kinds.get('observation')?.length ?? 0),
    summaries: counts.summaries + (kinds.get('summary')?.length ?? 0),
    prompts: counts.prompts + (kinds.get('prompt')?.length ?? 0),
    records: counts.records,
    memories: listed.flatMap((ref) => rows.get(formatRef(ref)) ?? []),
    ids: refs.map(formatRef),
  };
}

function listNewest(db: Database, sessionIds: number[], projectId: number | null): MemoryRef[] {
  return db
    .query<MemoryRef, [{ list: string; projectId: number | null; limit: number }]>(
      `SELECT kind, ref AS id FROM documents WHERE session_id IN (SELECT value FROM json_each($list)) OR project_id = $projectId
       ORDER BY at DESC, id DESC LIMIT $limit`,
    )
    .all({ list: JSON.stringify(sessionIds), projectId, limit: LISTED });
}

/** Killed in the middle, the next start goes on. */
export async function erasePlan(deps: ManyDeps, plan: Plan): Promise<Tally> {
  const { db, clock } = deps;
  const at = clock();
  const tally = createTally();
  db.transaction(() => {
    markErasing(db, new Date(at).toISOString());
    if (plan.projectId !== null) markErasingProject(db, plan.projectId, new Date(at).toISOString());
    burySessions(db, plan.sessionIds, at);
    // Shown nowhere from now on, whatever happens before they are gone.
    for (const ref of plan.refs) hideMemory(db, ref, at);
  }).immediate();
  await eraseSessions(deps, plan.sessionIds, tally);
  if (plan.projectId !== null) await eraseProject(deps, plan.projectId, tally);
  for (let from = 0; from < plan.refs.length; from += SOME, await pause()) {
    const rows = readRows(db, plan.refs.slice(from, from + SOME), { withHidden: true });
    const there = plan.refs.slice(from, from + SOME).filter((ref) => rows.has(formatRef(ref)));
    db.transaction(() => eraseSome(db, there, tally, at)).immediate();
  }
  if (plan.text !== null) {
    addTelling(tally, [plan.text]);
    eraseText(db, plan.text, tally, at);
  }
  const unsaid = [...tally.telling].filter((piece) => !isSaid(db, piece)).slice(0, MOST_WIPED);
  for (const piece of unsaid) {
    db.transaction(() => wipeTexts(db, [piece])).immediate();
    await pause();
  }
  return tally;
}

/** What was used of the events that have it goes with their payload, and what was made of that in passing. */
function eraseText(db: Database, text: string, tally: Tally, at: number): void {
  const nothing = { sources: [], batchIds: [], sessionIds: [], prompts: [], turns: [], wholeTurns: [] };
  db.transaction(() => {
    const { eventIds, names } = wipeTraces(db, { ...nothing, pieces: { telling: [text], words: [] } });
    for (const name of names) bury(db, 'event', name, at);
    tally.events += eventIds.length;
  }).immediate();
}

const SOME = 10;
/** Each costs a look at every event. */
const MOST_WIPED = 24;

/** What a crash left of sessions and projects that were to go. */
export async function resumeErasing(deps: ManyDeps): Promise<void> {
  if (!isErasing(deps.db)) return;
  const tally = createTally();
  await eraseSessions(deps, listBuriedSessions(deps.db), tally);
  for (const projectId of listErasingProjects(deps.db)) await eraseProject(deps, projectId, tally);
}

async function eraseSessions({ db, clock, stopSession }: ManyDeps, sessionIds: number[], tally: Tally): Promise<void> {
  for (const id of sessionIds) {
    await stopSession?.(id);
    for (let isGone = false; !isGone; await pause())
      isGone = db.transaction(() => eraseSessionPart(db, id, tally, clock())).immediate();
  }
}

async function eraseProject({ db, clock }: ManyDeps, projectId: number, tally: Tally): Promise<void> {
  for (let isGone = false; !isGone; await pause())
    isGone = db.transaction(() => eraseElsewhere(db, projectId, tally, clock())).immediate();
}
