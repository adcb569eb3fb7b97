// What an agent may ask of the API: the memories of its own project, unless the user switched more on.
import type { Database } from 'bun:sqlite';
import type { Context, MiddlewareHandler } from 'hono';
import { findSession } from '../../capture/sessions.ts';
import type { Config } from '../../config.ts';
import { AskError } from '../../core/ask-error.ts';
import { formatRef, type MemoryRef } from '../../core/memory.ts';
import { wholeKeyOf } from '../../core/project.ts';
import { AGENT_HEADER } from '../../core/search.ts';
import { listOwners } from '../../memory/read.ts';
import { findFolder, resolveScope, type Scope, type ScopeParameters } from '../../projects/place.ts';
import { findGlobalProject, findProjectsNamed, getProject, type Project } from '../../projects/projects.ts';
import type { ApiEnv } from './route.ts';

/**
 * The projects that an agent may read: its own, the repository of a part, and what applies everywhere. Undefined: whoever
 * asks is no agent, or may read all.
 */
type Own = number[] | undefined;

/** An agent's tools need no more: another route is refused to them, so that a new one is not open to them by a slip. */
const ROUTES =
  /^\/api\/(search(\/sessions)?|timeline|recap|rules|statusline|context\/preview|memory\/save|observations\/(batch|by-file|[^/]+))$/;

const NAME_IT =
  'The user adds ?cwd=/path/of/the/project to the address of this server, or allows every project: ' +
  'claude-mem config set agentAllProjects true';
const SWITCH = 'The user can allow every project in a terminal: claude-mem config set agentAllProjects true';

export function limitAgents({ db, config }: { db: Database; config: () => Config }): MiddlewareHandler<ApiEnv> {
  return (c, next) => {
    const said = c.req.header(AGENT_HEADER);
    if (said === undefined) return next();
    if (!ROUTES.test(c.req.path)) throw new AskError('conflict', 'This is not for an agent.', 'Ask the user.');
    const place = new URLSearchParams(said);
    c.set('isAgent', true);
    c.set('session', place.get('session') ?? undefined);
    if (config().agentAllProjects) return next();
    const own = findOwn(db, place);
    c.set('own', own);
    // Before anybody looks for it: an answer that it is not there would name those that are.
    const { all, project } = c.req.query();
    if (all !== undefined) requireOwnProjects(own, null);
    if (project !== undefined) requireNamed(db, own, project);
    return next();
  };
}

/** By its session, if that is known here; else by where it was called, if that is a project; else by the folder or project it names. */
function findOwn(db: Database, place: URLSearchParams): number[] {
  const [cwd, project] = [place.get('cwd') ?? undefined, place.get('project') ?? undefined];
  if (cwd === undefined && project === undefined)
    throw new AskError('conflict', 'It is not known in which project this agent works.', NAME_IT);
  const named = resolveScope(db, { ...(project === undefined ? { cwd } : { project }) });
  const bound = findBound(db, place);
  if (!bound || (named.project && wholeOf(named.project) === wholeOf(bound))) return named.projectIds ?? [];
  return resolveScope(db, { project: bound.key }).projectIds ?? [];
}

function findBound(db: Database, place: URLSearchParams): Project | null {
  const session = findSession(db, place.get('session') ?? '');
  if (session) return getProject(db, session.projectId);
  const folder = place.get('folder');
  return folder === null ? null : findFolder(db, folder).project;
}

/** Parts of one repository are one to an agent. */
const wholeOf = (project: Project): string => wholeKeyOf(project) ?? project.key;

function requireNamed(db: Database, own: number[], project: string): void {
  const named = findProjectsNamed(db, project).map(({ id }) => id);
  requireOwnProjects(own, named.length > 0 ? named : null);
}

export function requireOwnProjects(own: Own, wanted: number[] | null): void {
  if (own === undefined || wanted?.every((id) => own.includes(id))) return;
  throw new AskError('conflict', 'That is another project, and an agent reads only its own.', SWITCH);
}

/** Where a question looks: of an agent's, nowhere but in its own projects. `find`: what a question without a place means. */
export function resolveOwnScope(db: Database, c: Context<ApiEnv>, asked: ScopeParameters, find = resolveScope): Scope {
  const scope = find(db, asked);
  requireOwnProjects(c.get('own'), scope.projectIds);
  return scope;
}

type Place = { project?: string; cwd?: string; global?: boolean };

/** Where an agent may have something remembered: what applies everywhere is for the user to say. */
export function requireOwnPlace(db: Database, own: Own, { project, cwd, global }: Place): void {
  if (own === undefined) return;
  const hint = 'Leave `global` out, or the user runs in a terminal: claude-mem remember --global "…"';
  if (global) throw new AskError('conflict', 'What applies in every project only the user says.', hint);
  if (project !== undefined) requireNamed(db, own, project);
  else if (cwd !== undefined) requireOwnProjects(own, findFolder(db, cwd).projectIds);
}

export function requireOwnMemories(db: Database, own: Own, refs: MemoryRef[], done = 'read'): void {
  if (own === undefined) return;
  const others = listOwners(db, refs).filter(({ projectId }) => !own.includes(projectId));
  if (others.length === 0) return;
  const ids = others.map(({ ref }) => `#${formatRef(ref)}`).join(', ');
  const said = `${ids} ${others.length > 1 ? 'are' : 'is'} not of this project: nothing was ${done}.`;
  throw new AskError('conflict', said, `Leave ${others.length > 1 ? 'them' : 'it'} out. ${SWITCH}`);
}

/** What applies everywhere is the user's to hide, and so is what a person said, pinned or corrected. */
export function requireHideable(db: Database, own: Own, refs: MemoryRef[]): void {
  const everywhere = findGlobalProject(db)?.id;
  const mine = own?.filter((id) => id !== everywhere);
  requireOwnMemories(db, mine, refs, 'hidden');
  const ids = listOwners(db, refs).flatMap(({ isPersons, ref }) => (isPersons ? [formatRef(ref)] : []));
  if (ids.length === 0) return;
  throw new AskError(
    'conflict',
    `A person said, pinned or corrected #${ids.join(', #')}, and only a person hides that. Nothing was hidden.`,
    `The user can do it in a terminal: claude-mem forget ${ids.join(' ')}`,
  );
}
