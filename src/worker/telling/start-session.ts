// The answer to a starting session: first what still waits for its project, then what it is told.
import type { Database } from 'bun:sqlite';
import type { Config } from '../../config.ts';
import { toToldPieces } from '../../context/page.ts';
import { readSurroundings } from '../../context/surroundings.ts';
import { type TellDeps, type Told, tellSession } from '../../context/tell.ts';
import type { SessionEvent } from '../../core/event.ts';
import { parseRef } from '../../core/memory.ts';
import { plainLine } from '../../core/plain-line.ts';
import type { ProjectIdentity } from '../../core/project.ts';
import { settingsFor } from '../../core/project-settings.ts';
import { announceSilence, type Silence } from '../../core/silence.ts';
import { findHost } from '../../hosts/index.ts';
import type { Log } from '../../log.ts';
import { count } from '../../store/counters.ts';
import { lastEventAt } from '../../store/events/events.ts';
import { readRows } from '../../store/memories/memories.ts';
import { hasObservations } from '../../store/memories/observations.ts';
import { dropNotice, hiddenNotice, listHiddenByAgents, takeNotice } from '../../store/notices.ts';
import { findProjectBy, type Project } from '../../store/projects/projects.ts';
import { isApart, readSettleable } from '../../store/projects/settled-projects.ts';
import { findSession } from '../../store/sessions/sessions.ts';
import { recordTelling } from '../../store/trust/tellings.ts';
import type { SpoolDrain } from '../intake/spool-drain.ts';
import type { Distiller } from '../observing/distiller.ts';
import { identifyPlace, nameProject } from '../projects/identify-place.ts';
import { isExcludedFile } from '../silence/exclusions.ts';
import { findSilence } from '../silence/silence.ts';
import { sayJoined } from './say-joined.ts';
import { sayRules } from './say-rules.ts';

/** The part of the hook's second that may be spent on distilling what came before. */
const WAIT_MS = 500;
/** And on what hooks saved while nobody answered: mostly nothing, and after a week without a worker more than anybody waits for. */
const DRAIN_MS = 200;
/** More sessions than anybody has at once. */
const MOST_WARNED = 1000;

export type StartSessionDeps = TellDeps & {
  db: Database;
  config: () => Config;
  distiller: Distiller;
  spool: SpoolDrain;
  /** Looks whether a project is one that is known under another key, or another one has come to its place. */
  settleNow?: (projectId: number) => Promise<void>;
  /** Has the commits read that came since the last time, if they are soon read. */
  readCommits?: (cwd: string, root: string) => Promise<void>;
  /** Where the person's own instructions to the agent lie; null when nobody knows. */
  home: string | null;
  /** What is wrong and matters to the person; null mostly. */
  findWarning: () => string | null;
  /** A line for the person, told once; '' mostly. */
  notice: () => string;
  /** That the memory is damaged, or has been repaired, which is said until somebody heard it; '' mostly. */
  damage?: (isHeard: boolean) => string;
  /** Opens the viewer once; '' when there is no web door. */
  viewerLink: () => string;
  log: Log;
  clock: () => number;
  /** How many times as long as usual a session waits. */
  patience: number;
};

export type StartCall = {
  host: string;
  cwd: string;
  event: SessionEvent | null;
  /** False when it was dropped: in a silence, or of our own observer. */
  isKept: boolean;
  isUnattended: boolean;
  /** When the hook gives up: who answers later is not heard. */
  until: number;
};
export type StartSession = (call: StartCall) => Promise<string>;

export function createStartSession(deps: StartSessionDeps): StartSession {
  const { db, config, distiller, spool, settleNow, home, notice, log, clock, patience } = deps;
  const warned = new Set<string>();
  return async ({ host, cwd, event, isKept, isUnattended, until }) => {
    const identity = identifyPlace(cwd, config());
    const render = findHost(host)?.renderStart ?? (() => '');
    const findOwnSilence = () => {
      const [session, project] = [event?.session ?? null, nameProject(db, identity)];
      return findSilence(db, config(), { session, cwd, project, at: event?.at ?? clock() });
    };
    const announce = (silence: Silence) => render({ context: '', message: announceSilence(silence, clock()) });
    const before = findOwnSilence();
    if (before) return announce(before);
    if (!isKept) return '';
    await spool.settle(DRAIN_MS * patience);
    const project = await findSettled(identity);
    // It may have turned out to be one that is silent under another key.
    const silence = findOwnSilence();
    if (silence) return announce(silence);
    const names = nameProject(db, identity);
    const settings = settingsFor(config(), names);
    const place = { excludePaths: settings.excludePaths, root: identity.root, cwd: identity.root };
    const isExcluded = (path: string) => isExcludedFile(place, path);
    const surroundings = readSurroundings(identity.root, { home, isExcluded });
    if (project)
      await Promise.all([
        distiller.finishProject(project.id, WAIT_MS * patience, event?.session),
        deps.readCommits?.(cwd, identity.root),
      ]);
    const session = event ? findSession(db, event.session) : null;
    const isFirstWord = event?.kind !== 'start' || event.source === 'startup';
    const told = await tellSession(deps, {
      project: { id: project?.id ?? 0, name: project?.name ?? identity.name },
      sessionId: session?.id ?? 0,
      since: session && event ? lastKnownMoment(db, session.id, event) : null,
      settings,
      surroundings,
    });
    // Whoever waits for the answer comes first.
    if (session && event) setImmediate(() => remember(session.id, event, told));
    const warning = warnOnce(event?.session ?? null);
    // What is said once must reach somebody.
    const isHeard = !isUnattended && clock() < until;
    const line = session && isFirstWord && isHeard ? `${tipOnce(told.message)}${notice()}` : '';
    const hidden = sayHidden(session !== null && isHeard);
    const rules = session && isHeard ? sayRules(db, told.pieces, project?.id ?? 0, clock()) : '';
    const joined =
      session && project && isFirstWord && clock() < until ? sayJoined(db, identity, project, clock()) : '';
    const damage = deps.damage?.(isHeard) ?? '';
    // That there is no memory yet would not be true.
    const news = damage && !told.context ? '' : told.message;
    const message = `${damage}${joined}${news}${rules}${warning}${hidden}${line}`.trim();
    const link = message && !isUnattended ? deps.viewerLink() : '';
    return render({ context: told.context, message: link ? `${message} Viewer: ${link}` : message });
  };

  /** What is wrong, in one line and once in a session, if the person loses something by it. */
  function warnOnce(session: string | null): string {
    if (session !== null && warned.has(session)) return '';
    const warning = deps.findWarning();
    if (warning === null) return '';
    if (warned.size >= MOST_WARNED) warned.clear();
    if (session !== null) warned.add(session);
    return ` Attention: ${warning}`;
  }

  /** What agents hid, once, to somebody who reads it; a session that nobody attends repeats it. */
  function sayHidden(isHeard: boolean): string {
    const ids = listHiddenByAgents(db);
    const rows = readRows(
      db,
      ids.flatMap((id) => parseRef(id) ?? []),
      { withHidden: true },
    );
    const still = ids.flatMap((id) => rows.get(id) ?? []);
    if (isHeard) for (const id of ids) dropNotice(db, hiddenNotice(id));
    if (still.length === 0) return '';
    const named = still.slice(0, MOST_NAMED).map(({ id, title }) => `#${id} “${plainLine(title, 80)}”`);
    const more = still.length > MOST_NAMED ? ` and ${still.length - MOST_NAMED} more` : '';
    const undo = `claude-mem forget --undo ${still
      .slice(0, MOST_NAMED)
      .map(({ id }) => id)
      .join(' ')}`;
    return ` An agent hid ${named.join(', ')}${more}. To show again: ${undo}. All that is hidden: claude-mem forget --hidden.`;
  }

  /** A person reads it once; the greeting of a new project says it, too. */
  function tipOnce(message: string): string {
    if (!message || message.includes('<private>')) return '';
    return takeNotice(db, 'private-tip', clock()) ? ' Tip: text inside <private>…</private> is never kept.' : '';
  }

  async function findSettled(identity: ProjectIdentity): Promise<Project | null> {
    const project = findProjectBy(db, identity);
    if (!project || !settleNow) return project;
    // To find the first commit takes long; whether one that is known is still there is soon told.
    const known = readSettleable(db, project.id);
    const isLong = known?.firstCommit === null && !isApart(known);
    if (isLong && hasObservations(db, project.id)) return project;
    await settleNow(project.id);
    return findProjectBy(db, identity);
  }

  function remember(sessionId: number, event: SessionEvent, { pieces, damaged }: Told): void {
    const source = event.kind === 'start' ? event.source : event.kind;
    const telling = { sessionId, occasion: 'start', about: null, source, at: clock() } as const;
    const keep = () => {
      // That it was compacted counts, too: what was told before is gone.
      if (pieces.length > 0 || source === 'compact' || source === 'clear')
        recordTelling(db, { ...telling, pieces: toToldPieces(pieces) });
      if (damaged > 0) count(db, 'damaged-row', clock(), damaged);
    };
    try {
      db.transaction(keep).immediate();
    } catch (error) {
      // The database is full or locked, or the worker ends: it was told all the same.
      log.error('what a session was told could not be recorded', { error: String(error) });
    }
  }
}

/** A resumed or forked session still has in its history what it was told: only what came later is new to it. */
function lastKnownMoment(db: Database, sessionId: number, event: SessionEvent): number | null {
  if (event.kind !== 'start' || (event.source !== 'resume' && event.source !== 'fork')) return null;
  if (event.secondsSinceLastResponse === null) return lastEventAt(db, sessionId, event.id) ?? event.at;
  // The host counts whole seconds, and the last words of its parent are no news to a fork.
  const slackMs = event.source === 'fork' ? FORK_SLACK_MS : 0;
  return event.at - event.secondsSinceLastResponse * 1000 + slackMs;
}

const FORK_SLACK_MS = 1500;
/** More would be a page. */
const MOST_NAMED = 5;
