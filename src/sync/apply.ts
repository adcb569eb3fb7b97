// A record of another machine becomes rows here. Of the user's own machines each field goes to whoever changed it last, and what is
// forgotten on one is forgotten here; what a member of a team published is theirs alone to change, and touches nothing of the user's own.
import type { Database } from 'bun:sqlite';
import { z } from 'zod';
import type { CaptureSettings } from '../capture/judge.ts';
import { findSession } from '../capture/sessions.ts';
import type { ObservationDraft } from '../core/observation.ts';
import { LINES, type Line } from '../core/shapes/export.ts';
import { type RecordState, WireProject } from '../core/shapes/sync.ts';
import {
  admitObservation,
  admitPrompt,
  admitRecord,
  admitSteps,
  admitSummary,
  asImported,
  type MemoryPlace,
  refuseMemory,
} from '../import/admit.ts';
import { findPromptNumbered, importPrompt, importSession, markImported } from '../import/import-rows.ts';
import { draftObservation, evidenceOf } from '../import/take-lines.ts';
import { hideMemory, isErased, unhideMemory } from '../memory/hide.ts';
import { contentOf, hashContent, insertObservation, isForgottenObservation, writeContent } from '../memory/observations.ts';
import { putSteps } from '../memory/open-steps.ts';
import { insertSummary, isForgottenSummary, rewriteSummary } from '../memory/summaries.ts';
import { getProject, type Project } from '../projects/projects.ts';
import { scrubValue } from '../secrets/scrub.ts';
import { addDocument, removeDocument } from '../store/documents.ts';
import { readValue } from '../store/read.ts';
import { readRecord } from '../turns/record.ts';
import { putTurn } from '../turns/turns.ts';
import { hashesOf, RECORD_KINDS, readEntity } from './entities.ts';
import { type Applied, addLink, addReplaced, isRow, refOf, removeHere } from './links.ts';
import { type Clocks, findLogged, type LogRow, listWaiting, NEW, nextSeq, putLogged } from './log.ts';
import { type Clock, isLater } from './state.ts';
import { placeProject, placeTeamProject } from './wire-project.ts';

/** What a payload says, as text JSON; of what is withdrawn or forgotten no fields. */
export const Body = z.object({
  entity: z.string().min(8).max(64),
  kind: z.enum(RECORD_KINDS),
  clocks: z.record(z.string(), z.string().max(120)),
  fields: z.record(z.string(), z.unknown()).default({}),
});
export type Body = z.infer<typeof Body>;

/** `author`: null for the user's own machines. */
export type Incoming = Body & { id: string; state: RecordState; author: string | null };

export type ApplyDeps = {
  db: Database;
  clock: Clock;
  now: () => number;
  door: () => CaptureSettings;
};

/** Inside a transaction, after all changes here were stamped. */
export function applyRecord(deps: ApplyDeps, space: string, incoming: Incoming): void {
  const { db, clock, now } = deps;
  const { entity, kind, id, author } = incoming;
  const known = findLogged(db, space, entity);
  const local: LogRow = known ?? { ...NEW, space, entity, kind, ref: '', state: 'withdrawn', author };
  if (local.record === id) return;
  if (local.kind !== kind) throw new RefusedError('another kind than before');
  if (author !== null) checkOthers(db, local, incoming);
  // The clocks of this user's machines: what others say of theirs moves nothing here.
  else for (const one of Object.values(incoming.clocks)) if (one !== '') clock.see(one);
  const row = { ...local, record: id };
  const next = local.state === 'forgotten' ? stayForgotten(deps, row, incoming) : merge(deps, row, incoming);
  putLogged(db, next, now());
}

/** What no honest machine says: it changes nothing here, and is counted. */
export class RefusedError extends Error {
  override name = 'RefusedError';
}

/** Whoever says it and whatever the hub lets through: only what was taken in of that member, and only what can be published. */
function checkOthers(db: Database, { kind, ref, author }: LogRow, incoming: Incoming): void {
  if (kind !== 'observation') throw new RefusedError('not a kind that is published');
  if (author === null) throw new RefusedError("the user's own");
  if (author !== incoming.author) throw new RefusedError('of another author');
  const known = ref === '' ? null : readValue<string>(db, "SELECT coalesce(author, '') FROM observations WHERE id = ?", Number(ref));
  if (known !== null && known !== author) throw new RefusedError('not made of what was published');
}

/** What came from further back is told so. */
const stayForgotten = ({ db }: ApplyDeps, row: LogRow, { state, author }: Incoming): LogRow => ({
  ...row,
  pending: state === 'forgotten' || author !== null ? null : (row.pending ?? nextSeq(db)),
});

function merge(deps: ApplyDeps, row: LogRow, incoming: Incoming): LogRow {
  const { db, now } = deps;
  const ref = refOf(row);
  if (incoming.state === 'forgotten' && incoming.author !== null) {
    // Its row alone: what the user says in the same words is theirs, and may be said again.
    removeHere(db, row);
    return { ...row, state: 'forgotten', hashes: {}, clocks: incoming.clocks, pending: null, waiting: null, ref: '' };
  }
  if (incoming.state === 'forgotten') {
    // Its bytes go once this is stored: the row stays named until then.
    if (ref) hideMemory(db, ref, now());
    return { ...row, state: 'forgotten', hashes: {}, clocks: incoming.clocks, pending: null, waiting: null, ref: ref ? row.ref : '' };
  }
  const isOthers = incoming.author !== null;
  const wins = (name: string) => isOthers || isLater(incoming.clocks[name], row.clocks[name]);
  const isHere = wins('here') ? incoming.state === 'live' : row.state === 'live';
  // A clock comes with its value, or not at all.
  const isTaken = isHere && incoming.state === 'live';
  const seen = isTaken ? incoming.clocks : { here: incoming.clocks.here ?? '' };
  const clocks = isOthers ? incoming.clocks : latest(row.clocks, seen);
  if (!isHere) {
    // The hub still says that it is there.
    const pending = incoming.state === 'live' ? nextSeq(db) : null;
    const gone: LogRow = { ...row, clocks, state: 'withdrawn', waiting: null, pending };
    // A person is still to decide about what is only hidden.
    if (ref && (incoming.state === 'live' || incoming.fields.here === HIDDEN)) hideMemory(db, ref, now());
    else removeHere(db, row);
    return isRow(db, ref) ? gone : { ...gone, ref: '' };
  }
  if (ref && isRow(db, ref)) unhideMemory(db, ref);
  if (incoming.state !== 'live') return { ...row, clocks, state: 'live', pending: row.pending ?? nextSeq(db) };
  const isThere = row.ref !== '' && readEntity(db, row.kind, row.ref, row.entity) !== null;
  const taken = Object.fromEntries(Object.entries(incoming.fields).filter(([name]) => !isThere || wins(name)));
  const applied = isThere ? { ref: row.ref, ...change(deps, row, taken, incoming) } : add(deps, row, incoming);
  if (applied.isForgotten) {
    // What it was before goes as well: its bytes once this is stored.
    if (isThere && ref) hideMemory(db, ref, now());
    return { ...row, state: 'forgotten', hashes: {}, ref: isThere ? row.ref : '', pending: isOthers ? null : nextSeq(db) };
  }
  const keepsOwn = isThere && !isOthers && Object.keys(row.clocks).some((name) => isLater(row.clocks[name], incoming.clocks[name]));
  return {
    ...row,
    ref: applied.ref,
    state: 'live',
    clocks: isThere ? clocks : incoming.clocks,
    hashes: readHashes(db, row, applied.ref),
    waiting: applied.waiting ?? null,
    pending: keepsOwn ? (row.pending ?? nextSeq(db)) : null,
  };
}

/** In a record that is withdrawn: hidden, and not gone. */
export const HIDDEN = 'hidden';

function latest(one: Clocks, other: Clocks): Clocks {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return Object.fromEntries([...names].map((name) => [name, (isLater(one[name], other[name]) ? one[name] : other[name]) ?? '']));
}

/** As they are here: what the checks left out is no change of this machine. */
function readHashes(db: Database, { kind, entity }: LogRow, ref: string): Record<string, string> {
  const read = ref === '' ? null : readEntity(db, kind, ref, entity);
  return read ? hashesOf(read) : {};
}

const NOWHERE: Applied = { ref: '' };

function add(deps: ApplyDeps, row: LogRow, incoming: Incoming): Applied {
  if (incoming.kind === 'observation') return addObservation(deps, incoming);
  if (incoming.author !== null) return NOWHERE;
  if (incoming.kind === 'summary') return addSummary(deps, incoming);
  if (incoming.kind === 'turn') return addTurn(deps, incoming);
  return addLink(deps.db, { space: row.space, kind: row.kind, words: incoming.fields.words, now: deps.now() });
}

const OriginShape = z.object({
  project: WireProject,
  session: z.object({ id: z.string().min(1).max(500).nullable(), host: z.string().min(1).max(100), startedAt: z.string() }),
});

type Made = { project: Project; sessionId: number | null; place: MemoryPlace };

/** The project and the session that it was made in, if any. Null when nothing of them may come in. */
function placeMemory({ db, now, door }: ApplyDeps, said: unknown, author: string | null, at: number): Made | null {
  const { project: wire, session } = OriginShape.parse(said);
  const project = author === null ? placeProject(db, wire, now()) : placeTeamProject(db, wire, now());
  if (!project) throw new RefusedError('of no repository');
  const name = author === null ? session.id : null;
  const place: MemoryPlace = { project: { ...project, remote: null }, session: name ?? '', cwd: project.root, at };
  if (refuseMemory(db, place, door())) return null;
  if (name === null) return { project, sessionId: null, place };
  return { project, sessionId: findSession(db, name)?.id ?? addSession(db, project, { ...session, name }), place };
}

function addSession(db: Database, project: Project, { name, host, startedAt }: { name: string; host: string; startedAt: string }): number {
  const times = { startedAt, updatedAt: startedAt, completedAt: startedAt };
  return importSession(db, LINES.session.parse({ kind: 'session', session: name, project: project.key, host, ...times }), project.id);
}

const NO_BATCH = { batchId: null, isProvisional: false };

/** As an export would have it; of others without what only its person may say. */
function readObservationLine({ fields, author }: Incoming): Line<'observation'> | null {
  const { words, pin = false, kept = false, rule = false, wrong = null } = fields;
  // What is no object is refused by the schema.
  const marks = { isPinned: pin, isKept: kept, isRule: rule, wrongAt: wrong };
  const line = LINES.observation.parse({ ...(words as object), ...marks, kind: 'observation', session: '-', project: '-' });
  if (author === null) return line;
  const imported = asImported(line);
  return imported?.kind === 'observation' ? { ...imported, commits: [], wrongAt: null } : null;
}

function addObservation(deps: ApplyDeps, incoming: Incoming): Applied {
  const { db, door } = deps;
  const line = readObservationLine(incoming);
  const made = line && placeMemory(deps, incoming.fields.place, incoming.author, Date.parse(line.at));
  if (!made) return NOWHERE;
  const { project, sessionId, place } = made;
  const commit = line.commits.map(({ hash }) => readValue<number>(db, KNOWN_COMMIT, project.id, hash)).find((id) => id !== null);
  // Both machines have read the same log.
  if (commit !== undefined && commit !== null) return { ref: String(commit) };
  const draft = draftObservation(line);
  const admitted = admitObservation(db, draft, place, door(), isErased);
  if (!admitted) return { ...NOWHERE, isForgotten: isUnwanted(db, draft) };
  // Both have read the same transcript.
  const { author } = incoming;
  const hash = hashContent(contentOf(scrubValue(admitted).value));
  const twin = readValue<number>(db, TWIN, { projectId: project.id, at: admitted.at, hash, sessionId, author });
  if (twin !== null) return { ref: String(twin) };
  const owner = { sessionId, author, projectId: project.id, promptNumber: line.prompt ?? 0, ...NO_BATCH };
  const id = insertObservation(db, owner, admitted, evidenceOf(line, admitted));
  markImported(db, id, project.id, line);
  return { ref: String(id) };
}

/** Somebody has forgotten it here, under another name or in another turn. */
function isUnwanted(db: Database, said: ObservationDraft): boolean {
  const draft = scrubValue(said).value;
  const { title, narrative, subtitle, facts } = draft;
  const texts = [narrative, subtitle, ...facts.map(({ text }) => text)].filter((text) => text !== null);
  return isForgottenObservation(db, draft) || isErased(db, { title, texts });
}

const TWIN = `SELECT id FROM observations WHERE project_id = $projectId AND created_at_epoch = $at AND hash = $hash
  AND +session_id IS $sessionId AND author IS $author LIMIT 1`;
const KNOWN_COMMIT = 'SELECT observation_id FROM commits WHERE project_id = ? AND hash = ?';

function addSummary(deps: ApplyDeps, { fields }: Incoming): Applied {
  const { db, door } = deps;
  const line = LINES.summary.parse({ ...(fields.words as object), kind: 'summary', session: '-', project: '-' });
  const made = placeMemory(deps, fields.place, null, Date.parse(line.at));
  if (!made || made.sessionId === null) return NOWHERE;
  const draft = draftSummary(line);
  const admitted = admitSummary(db, draft, made.place, door());
  if (!admitted) return { ...NOWHERE, isForgotten: isForgottenSummary(db, draft) };
  const { sessionId } = made;
  const known = readValue<number>(db, 'SELECT id FROM summaries WHERE session_id = ? AND prompt_number IS ?', sessionId, line.prompt);
  if (known !== null) return { ref: String(known) };
  const owner = { sessionId, projectId: made.project.id, promptNumber: line.prompt ?? 0, ...NO_BATCH };
  return { ref: String(insertSummary(db, owner, admitted)) };
}

function draftSummary(line: Line<'summary'>) {
  const { request, investigated, learned, completed, nextSteps, notes, filesRead, filesEdited, at } = line;
  return { request, investigated, learned, completed, nextSteps, notes, filesRead, filesEdited, at: Date.parse(at) };
}

const TurnShape = z.object({ prompt: z.looseObject({}), turn: z.looseObject({}) });

function addTurn(deps: ApplyDeps, { fields }: Incoming): Applied {
  const { db, door } = deps;
  const said = TurnShape.parse(fields.words);
  const prompt = LINES.prompt.parse({ ...said.prompt, kind: 'prompt', session: '-' });
  const turn = LINES.turn.parse({ ...said.turn, kind: 'turn', session: '-' });
  const at = Date.parse(prompt.at);
  const made = placeMemory(deps, fields.place, null, at);
  const asked = made && admitPrompt(db, prompt.text, made.place);
  if (!made || made.sessionId === null || !asked || asked.isPrivate) return NOWHERE;
  const record = admitRecord(db, readRecord(turn.record), made.place, door());
  if (!record) return NOWHERE;
  const { sessionId } = made;
  const known = findPromptNumbered(db, sessionId, prompt.number);
  const id = known ?? importPrompt(db, { sessionId, promptNumber: prompt.number, promptId: prompt.promptId, ...asked, at });
  const place = { sessionId, promptNumber: turn.number };
  const times = { startedAt: Date.parse(turn.startedAt), endedAt: Date.parse(turn.endedAt) };
  putTurn(db, { ...place, ...times, branch: turn.branch, head: turn.headAfter, headBefore: turn.headBefore }, record);
  putSteps(db, { ...place, projectId: made.project.id, at: times.endedAt }, admitSteps(db, turn.openSteps, made.place, door()));
  return { ref: String(id) };
}

/** Links whose other end has come meanwhile. Inside a transaction. */
export function settleWaiting(deps: ApplyDeps, space: string): void {
  for (const row of listWaiting(deps.db, space)) {
    const { ref, waiting } = addReplaced(deps.db, space, JSON.parse(row.waiting ?? '{}'));
    if (ref === '' && waiting) continue;
    putLogged(deps.db, { ...row, ref, waiting: null, hashes: readHashes(deps.db, row, ref) }, deps.now());
  }
}

/** Those of its fields that were changed later elsewhere. */
function change(deps: ApplyDeps, row: LogRow, taken: Record<string, unknown>, incoming: Incoming): Partial<Applied> {
  const { db } = deps;
  const id = Number(row.ref);
  if (row.kind === 'observation') return changeObservation(deps, id, taken, incoming);
  if (!('words' in taken)) return {};
  if (row.kind === 'summary') {
    const line = LINES.summary.parse({ ...(taken.words as object), kind: 'summary', session: '-', project: '-' });
    const { filesRead, filesEdited, ...words } = scrubValue(draftSummary(line)).value;
    removeDocument(db, { kind: 'summary', id });
    rewriteSummary(db, id, words, { filesRead: JSON.stringify(filesRead), filesEdited: JSON.stringify(filesEdited) });
    addDocument(db, { kind: 'summary', id });
    return {};
  }
  if (row.kind === 'turn') return addTurn(deps, incoming);
  return addLink(db, { space: row.space, kind: row.kind, words: taken.words, now: deps.now() });
}

function changeObservation({ db, now, door }: ApplyDeps, id: number, taken: Record<string, unknown>, incoming: Incoming): Partial<Applied> {
  const line = readObservationLine(incoming);
  if (!line) return {};
  const set = (column: string, value: string | number | null) =>
    db.query(`UPDATE observations SET ${column} = ? WHERE id = ?`).run(value, id);
  if (incoming.author === null) {
    if ('pin' in taken) set('pinned', Number(line.isPinned));
    if ('kept' in taken) set('kept', Number(line.isKept));
    if ('rule' in taken) set('is_rule', Number(line.isRule));
    if ('wrong' in taken) set('wrong_at', line.wrongAt);
  }
  if (!('words' in taken) && !('place' in taken)) return {};
  const isOwn = incoming.author === null;
  const held = readValue<number>(db, 'SELECT project_id FROM observations WHERE id = ?', id) ?? 0;
  // Where others' memories are here is for the user to say.
  const project = isOwn ? placeProject(db, OriginShape.parse(incoming.fields.place).project, now()) : getProject(db, held);
  if (!project) return {};
  if (isOwn && 'place' in taken) set('project_id', project.id);
  if (!('words' in taken)) return {};
  const place: MemoryPlace = { project: { ...project, remote: null }, session: '-', cwd: project.root, at: Date.parse(line.at) };
  const draft = draftObservation(line);
  const admitted = admitObservation(db, draft, place, door(), isErased);
  if (!admitted) return { isForgotten: incoming.author === null && isUnwanted(db, draft) };
  const { origin, keywords = null } = admitted;
  const { trust, isQuarantined, head, branch, editedAt } = line;
  db.query(
    `UPDATE observations SET origin = $origin, keywords = $keywords, trust = $trust, quarantined = $isQuarantined, head = $head,
       branch = $branch, edited_at = $editedAt WHERE id = $id`,
  ).run({ id, origin, keywords, trust, isQuarantined: Number(isQuarantined), head, branch, editedAt });
  writeContent(db, id, contentOf(scrubValue(admitted).value));
  return {};
}
