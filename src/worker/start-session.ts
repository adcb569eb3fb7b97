// The answer to a starting session: first what still waits for its project, then what it is told.
import type { Database } from 'bun:sqlite';
import type { Config } from '../config.ts';
import { type Told, tellSession } from '../context/tell.ts';
import type { SessionEvent } from '../core/event.ts';
import { identifyProject } from '../git/identity.ts';
import { findHost } from '../hosts/index.ts';
import { count } from '../store/counters.ts';
import { lastEventAt } from '../store/events.ts';
import { recordInjection } from '../store/injections.ts';
import { findProject } from '../store/projects.ts';
import { isStuck } from '../store/queue.ts';
import { findSession } from '../store/sessions.ts';
import type { Distiller } from './distiller.ts';
import type { SpoolDrain } from './spool-drain.ts';

/** The part of the hook's second that may be spent on distilling what came before. */
const WAIT_MS = 500;

export type StartSessionDeps = {
  db: Database;
  config: () => Config;
  distiller: Distiller;
  spool: SpoolDrain;
  /** A line for the person, told once; '' mostly. */
  notice: () => string;
  clock: () => number;
};

export type StartCall = { host: string; cwd: string; event: SessionEvent | null; isUnattended: boolean };
export type StartSession = (call: StartCall) => Promise<string>;

export function createStartSession({ db, config, distiller, spool, notice, clock }: StartSessionDeps): StartSession {
  return async ({ host, cwd, event, isUnattended }) => {
    const identity = identifyProject(cwd);
    await spool.drain();
    const project = findProject(db, identity.key);
    if (project) await distiller.finishProject(project.id, WAIT_MS);
    const session = event ? findSession(db, event.session) : null;
    const isFirstWord = event?.kind !== 'start' || event.source === 'startup';
    const told = tellSession(db, {
      project: { id: project?.id ?? 0, name: identity.name },
      sessionId: session?.id ?? 0,
      since: session && event ? lastKnownMoment(db, session.id, event) : null,
      isFirstWord,
      budgetTokens: config().contextTokens,
    });
    if (session && event) remember(session.id, event, told);
    const warning = isStuck(db, clock()) ? ' Events wait too long: see `claude-mem status`.' : '';
    const line = session && isFirstWord && !isUnattended ? notice() : '';
    return findHost(host)?.renderStart({ ...told, message: `${told.message}${warning}${line}`.trim() }) ?? '';
  };

  function remember(sessionId: number, event: SessionEvent, { shown, damaged }: Told): void {
    const source = event.kind === 'start' ? event.source : event.kind;
    db.transaction(() => {
      recordInjection(db, { sessionId, ...shown, source, reason: 'session-start', at: clock() });
      if (damaged > 0) count(db, 'damaged-row', clock(), damaged);
    }).immediate();
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
