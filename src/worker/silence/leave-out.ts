// What the door does not let in: what happens in a silence, and what touches an excluded path.
import type { Database } from 'bun:sqlite';
import type { Config } from '../../config.ts';
import type { SessionEvent } from '../../core/event.ts';
import { settingsFor } from '../../core/project-settings.ts';
import type { SilencePlace, SilenceScope } from '../../core/silence.ts';
import type { Session } from '../../store/sessions/sessions.ts';
import { silencesAt } from '../../store/sessions/silences.ts';
import { identifyPlace, nameProject } from '../projects/identify-place.ts';
import { withoutExcluded } from './exclusions.ts';
import { findSilence, projectOfSession, type SilenceSettings } from './silence.ts';
import { touchesSilentProject } from './touched-projects.ts';

/** Without a word about silence nothing is silent but what is paused. */
export type DoorSettings = Pick<Config, 'skipTools'> & Partial<SilenceSettings>;

/** No more of the settings than that leaves the worker: keys stay there. */
export const pickSettings = (settings: DoorSettings): DoorSettings => {
  const { skipTools, subprojects, excludePaths, off, projects, doubt } = settings;
  return {
    skipTools,
    ...(subprojects && { subprojects }),
    ...(excludePaths && { excludePaths }),
    ...(off !== undefined && { off }),
    ...(projects && { projects }),
    ...(doubt && { doubt }),
  };
};

export type Judged =
  | { kind: 'kept'; event: SessionEvent; skipTools: readonly string[] }
  /** `scope`: whom the silence is about. A path is excluded in its project. */
  | { kind: 'left-out'; reason: 'paused' | 'off' | 'excluded'; scope: SilenceScope };

export type Case = {
  event: SessionEvent;
  /** Decides, not the arrival: what waited in the spool happened then. */
  receivedAt: number;
  /** Null when nothing is known of it yet. */
  session: Session | null;
};

export function judgeEvent(db: Database, { event, receivedAt, session }: Case, door: DoorSettings): Judged {
  const settings = { ...NOTHING_SILENT, ...door };
  const { skipTools } = settings;
  if (!canBeSilent(db, settings, receivedAt)) return { kind: 'kept', event, skipTools };
  let kept = event;
  const places = findPlaces(db, settings, event, session).map((project) => ({
    session: event.session,
    cwd: event.cwd,
    project,
    at: receivedAt,
  }));
  for (const place of places) {
    const silence = findSilence(db, settings, place);
    if (silence) return { kind: 'left-out', reason: silence.kind, scope: silence.scope };
    const { excludePaths } = settingsFor(settings, place.project);
    const rest = withoutExcluded(kept, { excludePaths, root: place.project.root, cwd: event.cwd });
    if (!rest) return { kind: 'left-out', reason: 'excluded', scope: 'project' };
    kept = rest;
  }
  if (touchesSilentProject(db, settings, { event, at: receivedAt, known: places.map(({ project }) => project) }))
    return { kind: 'left-out', reason: 'excluded', scope: 'project' };
  const own = places[0] ? settingsFor(settings, places[0].project) : settings;
  return { kind: 'kept', event: kept, skipTools: own.skipTools };
}

export const NOTHING_SILENT: SilenceSettings = { off: false, excludePaths: [], projects: {} };

/** Mostly nothing is, and then nobody has to look which project it is. */
function canBeSilent(db: Database, settings: SilenceSettings, at: number): boolean {
  const isSet =
    settings.doubt || settings.off || settings.excludePaths.length > 0 || Object.keys(settings.projects).length > 0;
  return Boolean(isSet) || silencesAt(db, at).length > 0;
}

/** The project that the session belongs to, then the one it works in just now, if it has gone to another. */
function findPlaces(
  db: Database,
  settings: SilenceSettings,
  event: SessionEvent,
  session: Session | null,
): SilencePlace['project'][] {
  const own = [session && projectOfSession(db, session)].filter((project) => project !== null);
  const here = nameProject(db, identifyPlace(event.cwd, settings));
  return own.some(({ root, key }) => root === here.root && key === here.key) ? own : [...own, here];
}

/** What could not be read tells no project: while anything is silent, none of its words are kept. */
export function judgeUnread(db: Database, at: number, door: DoorSettings): 'kept' | 'without-words' | 'left-out' {
  const settings = { ...NOTHING_SILENT, ...door };
  if (settings.doubt || settings.off || silencesAt(db, at).some(({ scope }) => scope === 'everything'))
    return 'left-out';
  return canBeSilent(db, settings, at) ? 'without-words' : 'kept';
}
