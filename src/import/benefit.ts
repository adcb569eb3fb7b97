// `claude-mem benefit`, put together: past sessions are read from the database, and remembered again in one that lives in memory only.
import { Database } from 'bun:sqlite';
import { isExcludedFile } from '../capture/exclusions.ts';
import { insertPrompt } from '../capture/prompts.ts';
import { countPrompt, ensureSession, type Session, touchSession } from '../capture/sessions.ts';
import type { Config } from '../config.ts';
import { type Given, listOccasions, measureBenefit, type PastSession, type PastTurn } from '../context/benefit.ts';
import { createPromptNote } from '../context/found-notes.ts';
import { createNotes } from '../context/notes.ts';
import { toToldPieces } from '../context/page.ts';
import { NOWHERE } from '../context/surroundings.ts';
import { tellSession } from '../context/tell.ts';
import { cleanPrompt } from '../core/clean-prompt.ts';
import type { Benefit } from '../core/context.ts';
import { tellsMore } from '../core/observation.ts';
import { recordTelling } from '../memory/injections.ts';
import { insertSummary } from '../memory/summaries.ts';
import { distrusted, trustedSession } from '../memory/trusted.ts';
import { deriveTurn } from '../observe/derive.ts';
import { observeTurn } from '../observe/observe.ts';
import { readWords } from '../observe/settle.ts';
import { summarize } from '../observe/summary.ts';
import { resolveScope } from '../projects/place.ts';
import { ensureProject, type Project } from '../projects/projects.ts';
import { createFinder } from '../search/find.ts';
import { insertBatch } from '../store/batches.ts';
import { MIGRATIONS } from '../store/migrations/index.ts';
import { IN_MEMORY, openStore } from '../store/open.ts';
import { readAll, readFirst } from '../store/read.ts';
import { readRecord } from '../turns/record.ts';
import { listTurnsBefore, putTurn } from '../turns/turns.ts';

type BenefitQuery = {
  database: string;
  config: Config;
  /** The project that is looked at; without one, all. */
  place?: { cwd: string } | { project: string };
  report: (done: number, total: number) => void;
};

/** Nothing is written, and no model or program is asked. */
export async function replayPast({ database, config, place, report }: BenefitQuery): Promise<Benefit> {
  const past = new Database(database, { readonly: true, strict: true });
  const db = openStore(IN_MEMORY);
  try {
    requireSchema(past);
    const wanted = place ? (resolveScope(past, place).project?.id ?? 0) : null;
    const { sessions, projects } = readPast(past);
    const memory = createMemory(db, projects, config);
    const isWanted = ({ projectId }: PastSession) => wanted === null || projectId === wanted;
    return await measureBenefit({ sessions, isWanted, ...memory, report });
  } finally {
    past.close();
    db.close();
  }
}

function requireSchema(db: Database): void {
  const version = readFirst<{ user_version: number }>(db, 'PRAGMA user_version')?.user_version;
  if (version !== MIGRATIONS.at(-1)?.version)
    throw new Error('The memory is of another version. Run `claude-mem restart`, then try again.');
}

/** Without what somebody hid, called incorrect, kept private or blocked: the whole turn, because its record tells it, too. */
const READABLE = `p.text <> '' AND p.private = 0 AND p.hidden_at IS NULL AND ${trustedSession('t.session_id')}
  AND NOT EXISTS (SELECT 1 FROM summaries m WHERE m.session_id = t.session_id AND m.prompt_number = t.prompt_number
    AND m.hidden_at IS NOT NULL)
  AND NOT EXISTS (SELECT 1 FROM observations o WHERE o.session_id = t.session_id AND o.prompt_number = t.prompt_number
    AND (o.hidden_at IS NOT NULL OR o.wrong_at IS NOT NULL OR o.quarantined = 1 OR ${distrusted('o')}))`;

type Row = PastTurn & { session: number };

function readPast(db: Database): { sessions: PastSession[]; projects: Project[] } {
  const sql = `SELECT t.session_id AS session, t.prompt_number AS number, p.text AS prompt, t.record, t.branch,
      t.started_at_epoch AS startedAt, t.ended_at_epoch AS endedAt
    FROM turns t JOIN prompts p ON p.session_id = t.session_id AND p.prompt_number = t.prompt_number
    WHERE ${READABLE} ORDER BY t.session_id, t.prompt_number`;
  const turns = readAll<Row>(db, sql);
  const ofFixes = `SELECT o.session_id AS session, o.prompt_number AS turn, o.title FROM observations o
    WHERE o.type = 'bugfix' AND o.title <> '' AND EXISTS (SELECT 1 FROM error_marks e WHERE e.observation_id = o.id) ORDER BY o.id`;
  const fixes = readAll<{ session: number; turn: number; title: string }>(db, ofFixes);
  const [turnsOf, fixesOf] = [groupBySession(turns), groupBySession(fixes)];
  const ofSessions = `SELECT s.id AS row, s.host_session_id AS id, s.project_id AS projectId, p.name AS project,
      s.started_at_epoch AS startedAt
    FROM sessions s JOIN projects p ON p.id = s.project_id ORDER BY s.started_at_epoch, s.id`;
  const rows = readAll<Omit<PastSession, 'turns' | 'fixes'> & { row: number }>(db, ofSessions);
  const sessions = rows.flatMap(({ row, ...session }) => {
    const own = turnsOf.get(row);
    return own ? [{ ...session, turns: own, fixes: fixesOf.get(row) ?? [] }] : [];
  });
  return { sessions, projects: readAll<Project>(db, 'SELECT id, key, name, root FROM projects ORDER BY id') };
}

const groupBySession = <T extends { session: number }>(rows: T[]) => Map.groupBy(rows, ({ session }) => session);

/** By the rules of today, from the records alone. */
function createMemory(db: Database, known: Project[], config: Config) {
  let now = 0;
  const projects = new Map(known.map(({ id, key, name }) => [id, ensureProject(db, { key, name, root: '', remote: null }, 0)]));
  const projectOf = (id: number): Project => {
    const project = projects.get(id);
    if (!project) throw new Error(`project ${id} is not in the database`);
    return project;
  };
  const open = ({ id, startedAt, turns }: PastSession, projectId: number): Session => {
    const place = { projectId: projectOf(projectId).id, cwd: '', root: '', branch: turns[0]?.branch ?? null };
    return ensureSession(db, { host: 'past', hostSessionId: id, ...place, at: startedAt });
  };
  const isExcluded = (path: string) => isExcludedFile({ excludePaths: config.excludePaths, root: '/', cwd: '/' }, path);
  // The code as it was then is not here.
  const deps = { db, checkFreshness: async () => new Map(), clock: () => now };
  const promptNote = createPromptNote({ ...deps, finder: createFinder({ ...deps, models: () => [] }) });
  const rules = {
    settingsOf: () => config,
    isSilent: () => false,
    exclusionsOf: () => isExcluded,
    placeFile: () => null,
  };
  const notes = createNotes({ ...deps, rules, promptNote });

  return {
    remember: (session: PastSession, turn: PastTurn) => db.transaction(() => store(db, open(session, session.projectId), turn)).immediate(),

    async give(session: PastSession, projectId: number): Promise<Given[]> {
      now = session.startedAt;
      db.run('SAVEPOINT given');
      try {
        const own = open({ ...session, id: `again ${session.id}` }, projectId);
        const surroundings = { ...NOWHERE, branch: session.turns[0]?.branch ?? null, isExcluded };
        const page = { project: projectOf(projectId), sessionId: own.id, since: null, settings: config, surroundings };
        const { context, pieces } = await tellSession(deps, page);
        const start = { sessionId: own.id, occasion: 'start', about: null, source: 'startup', at: now } as const;
        recordTelling(db, { ...start, pieces: toToldPieces(pieces) });
        const given: Given[] = [{ turn: 0, step: 0, where: 'start page', text: context }];
        const wait = { until: Number.POSITIVE_INFINITY };
        for (const { kind, text, turn, step } of listOccasions(session)) {
          const said = kind === 'prompt' ? await notes.withPrompt({ text }, own, wait) : await notes.afterError({ error: text }, own, wait);
          const where = kind === 'prompt' ? `note with prompt ${turn}` : `note after an error of turn ${turn}`;
          if (said) given.push({ turn, step, where, text: said });
        }
        return given;
      } finally {
        db.run('ROLLBACK TO given');
        db.run('RELEASE given');
      }
    },
  };
}

/** As when it ended. Inside a transaction. */
function store(db: Database, { id: sessionId, projectId }: Session, turn: PastTurn): void {
  const { number: promptNumber, prompt, branch, startedAt, endedAt } = turn;
  const place = { sessionId, promptNumber };
  countPrompt(db, sessionId, prompt);
  insertPrompt(db, { ...place, promptId: null, text: prompt, isPrivate: false, at: startedAt });
  const record = readRecord(turn.record);
  putTurn(db, { ...place, startedAt, endedAt, branch, head: null }, record);
  const batchId = insertBatch(db, { ...place, status: 'done', at: endedAt });
  const [before = null] = listTurnsBefore(db, place, 1).map(readWords);
  const now = { prompt: cleanPrompt(prompt), record };
  const summary = summarize(now, observeTurn(now, before), endedAt);
  if (tellsMore(summary)) insertSummary(db, { ...place, projectId, batchId, isProvisional: false }, summary);
  deriveTurn(db, place);
  touchSession(db, sessionId, 'active', endedAt);
}
