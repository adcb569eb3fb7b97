// Where a session belongs whose program names no folder: by the name of its project, else nowhere until somebody says.
import type { Database } from 'bun:sqlite';
import type { SilenceKind } from '../../core/silence.ts';
import { ensureMatched, type MatchedProject, matchProject } from '../../importer/peer/match-project.ts';
import { isForgotten } from '../../store/forgetting/tombstones.ts';
import { moveSession } from '../../store/sessions/move-session.ts';
import { ensureSession, findSession, type Session } from '../../store/sessions/sessions.ts';
import { isObserverSession } from '../../store/spending/model-calls.ts';
import { findSilence, type SilenceSettings } from '../silence/silence.ts';

export type WantedPlace = {
  host: string;
  /** The host's id. */
  session: string;
  /** '' when it is not said. */
  cwd: string;
  /** A name; '' when it is not said. */
  project: string;
  at: number;
};

/** `cwd` is '' for a session without a place; it is in the store then, so that the door finds it in its project. */
export type FoundPlace = { kind: 'placed'; cwd: string } | { kind: 'silent'; reason: SilenceKind };

/** Inside a transaction. */
export function placeSession(db: Database, settings: SilenceSettings, wanted: WantedPlace): FoundPlace {
  const { session: name, cwd } = wanted;
  if (cwd !== '') return { kind: 'placed', cwd };
  const known = findSession(db, name);
  if (known) return { kind: 'placed', cwd: known.root || settle(db, known, wanted) };
  // The door drops it and counts it: nothing of it is to be there, not even that it was.
  if (isForgotten(db, 'session', name) || isObserverSession(db, name)) return { kind: 'placed', cwd: '' };
  return open(db, settings, wanted);
}

function open(db: Database, settings: SilenceSettings, wanted: WantedPlace): FoundPlace {
  const { host, session, project, at } = wanted;
  const matched = matchProject(db, project);
  const { identity } = matched;
  if (identity.root !== '') return { kind: 'placed', cwd: identity.root };
  const silence = findSilence(db, settings, { session, cwd: '', project: identity, at });
  if (silence) return { kind: 'silent', reason: silence.kind };
  const projectId = ensureMatched(db, matched, at);
  ensureSession(db, { host, hostSessionId: session, projectId, cwd: '', root: '', branch: null, at });
  return { kind: 'placed', cwd: '' };
}

/** One that began without any name gets the first that is said. */
function settle(db: Database, session: Session, { project, at }: WantedPlace): string {
  if (project === '') return '';
  const matched = matchProject(db, project);
  if (matched.identity.root !== '') return matched.identity.root;
  if (session.projectId === nowhere(db).id)
    moveSession(db, session, { ...PLACELESS, projectId: ensureMatched(db, matched, at) });
  return '';
}

const PLACELESS = { cwd: '', root: '' };

const nowhere = (db: Database): MatchedProject => matchProject(db, '');
