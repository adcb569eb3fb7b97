// Whether an event may be kept, whichever way it came: the one place that judges. Reads only; what follows from it is ingest.ts's part.
import type { Database } from 'bun:sqlite';
import { statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Config } from '../config.ts';
import type { Action, SessionEvent } from '../core/event.ts';
import { type ProjectNames, settingsFor } from '../core/project.ts';
import type { SilenceScope } from '../core/shapes/silence.ts';
import { homeDir } from '../paths.ts';
import { identifyPlace, nameProject } from '../projects/place.ts';
import { isObserverSession } from '../store/model-calls.ts';
import { isForgottenEvent } from '../store/tombstones.ts';
import { isExcludedFile, withoutExcluded, wordsOfCommand } from './exclusions.ts';
import type { EventArrival } from './message.ts';
import type { Session } from './sessions.ts';
import { findSilence, isKeptOut, projectOfSession, type SilenceSettings, silencesAt, wasLeftOutElsewhere } from './silence.ts';
import { passedUntil } from './transcript-files.ts';

export type CaptureSettings = Pick<Config, 'skipTools'> & SilenceSettings;

/** No more of the settings than that leaves the worker: keys stay there. */
export const pickSettings = ({ skipTools, subprojects, excludePaths, off, projects, doubt }: CaptureSettings): CaptureSettings => {
  return { skipTools, subprojects, excludePaths, off, projects, doubt };
};

export type Verdict =
  /** Without the names of excluded files. */
  | { kind: 'kept'; event: SessionEvent; skipTools: readonly string[] }
  /** `scope`: whom the pause, the setting or the exclusion is about that holds now; null for another reason. */
  | { kind: 'refused'; reason: string; scope: SilenceScope | null };

/** The reason when a turn was left out in another session that this one is a copy of. */
export const ELSEWHERE = 'left-out-elsewhere';

/** By what was forgotten, paused and excluded. `session`: null when nothing is known of it yet. */
export function judgeArrival(db: Database, { event, envelope }: EventArrival, session: Session | null, settings: CaptureSettings): Verdict {
  const { session: name, promptId, at } = event;
  const refuse = (reason: string): Verdict => ({ kind: 'refused', reason, scope: null });
  if (isObserverSession(db, name)) return refuse('own-observer');
  if (isForgottenEvent(db, event)) return refuse('forgotten');
  // What a transcript says that was never to be read, in whichever file it stands.
  if (envelope.isFromTranscript) {
    if (isKeptOut(db, name)) return refuse('incognito');
    if (at <= passedUntil(db, name)) return refuse('off');
    if (promptId !== null && wasLeftOutElsewhere(db, name, promptId)) return refuse(ELSEWHERE);
  }
  if (!canBeSilent(db, settings, envelope.receivedAt)) return { kind: 'kept', event, skipTools: settings.skipTools };
  return judgePlaces(db, { event, at: envelope.receivedAt, session }, settings);
}

/** `at`: decides, not the arrival: what waited in the spool happened then. */
type Case = { event: SessionEvent; at: number; session: Session | null };

function judgePlaces(db: Database, { event, at, session }: Case, settings: CaptureSettings): Verdict {
  const refuse = (reason: string, scope: SilenceScope): Verdict => ({ kind: 'refused', reason, scope });
  let kept = event;
  const projects = findProjects(db, settings, event, session);
  for (const project of projects) {
    const silence = findSilence(db, settings, { session: event.session, cwd: event.cwd, project, at });
    if (silence) return refuse(silence.kind, silence.scope);
    const { excludePaths } = settingsFor(settings, project);
    const rest = withoutExcluded(kept, { excludePaths, root: project.root, cwd: event.cwd });
    if (!rest) return refuse('excluded', 'project');
    kept = rest;
  }
  if (touchesSilentProject(db, settings, { event, at, projects })) return refuse('excluded', 'project');
  const { skipTools } = projects[0] ? settingsFor(settings, projects[0]) : settings;
  return { kind: 'kept', event: kept, skipTools };
}

/** Mostly nothing is, and then nobody has to look which project it is. */
function canBeSilent(db: Database, { doubt, off, excludePaths, projects }: CaptureSettings, at: number): boolean {
  const isSet = doubt || off || excludePaths.length > 0 || Object.keys(projects).length > 0;
  return Boolean(isSet) || silencesAt(db, at).length > 0;
}

/** The project that the session belongs to, then the one it works in just now, if it has gone to another. */
function findProjects(db: Database, settings: SilenceSettings, event: SessionEvent, session: Session | null): ProjectNames[] {
  const own = session && projectOfSession(db, session);
  const here = nameProject(db, identifyPlace(event.cwd, settings));
  if (!own) return [here];
  return own.root === here.root && own.key === here.key ? [own] : [own, here];
}

/** Whether a tool touches a project that is silent, from a session that works in another. `projects`: those that were asked already. */
function touchesSilentProject(
  db: Database,
  settings: SilenceSettings,
  { event, at, projects }: { event: SessionEvent; at: number; projects: ProjectNames[] },
): boolean {
  const ofProjects = Object.values(settings.projects).some((own) => own.off || (own.excludePaths?.length ?? 0) > 0);
  // Mostly no project is, and then nobody has to look where a file lies.
  const isAny = ofProjects || silencesAt(db, at).some(({ scope }) => scope === 'project');
  if (event.kind !== 'tool' || !isAny) return false;
  return pathsOf(event.action, event.cwd).some((path) => {
    const folder = statSync(path, { throwIfNoEntry: false })?.isDirectory() ? path : dirname(path);
    const identity = identifyPlace(folder, settings);
    // Without git a folder is a part of where the session works.
    const isPart = ({ root, key }: ProjectNames) =>
      identity.isPlain ? `${identity.root}/`.startsWith(`${root}/`) : root === identity.root && key === identity.key;
    if (projects.some(isPart)) return false;
    const project = nameProject(db, identity);
    const { excludePaths } = settingsFor(settings, project);
    const place = { session: event.session, cwd: folder, project, at };
    return findSilence(db, settings, place) !== null || isExcludedFile({ excludePaths, root: project.root, cwd: folder }, path);
  });
}

const MOST_PATHS = 5;

function pathsOf(action: Action, cwd: string): string[] {
  if (action.type === 'edit' || action.type === 'read') return action.file === '' ? [] : [resolve(cwd, action.file)];
  if (action.type === 'search') return action.path ? [resolve(cwd, action.path)] : [];
  if (action.type !== 'command') return [];
  const whole = wordsOfCommand(action.command).map((word) => word.replace(/^~(?=\/|$)/, homeDir()));
  const exists = (path: string) => statSync(path, { throwIfNoEntry: false }) !== undefined;
  return [...new Set(whole.filter((word) => word.startsWith('/') && exists(word)))].slice(0, MOST_PATHS);
}
