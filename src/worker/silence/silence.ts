// Whether a session is in a silence: paused, off, or at work in an excluded folder.
import type { Database } from 'bun:sqlite';
import { basename } from 'node:path';
import type { Config } from '../../config.ts';
import { settingsFor } from '../../core/project-settings.ts';
import { listOff, type Silence, type SilencePlace, silenceInDoubt } from '../../core/silence.ts';
import { identifyProject } from '../../git/identity.ts';
import { findProject, getProject } from '../../store/projects/projects.ts';
import type { Session } from '../../store/sessions/sessions.ts';
import { type SilenceRow, silencesAt } from '../../store/sessions/silences.ts';
import { nameKnown } from '../projects/identify-place.ts';
import { isExcludedFolder } from './exclusions.ts';

export type SilenceSettings = Pick<Config, 'off' | 'excludePaths' | 'projects'> &
  Partial<Pick<Config, 'doubt' | 'subprojects'>>;

/** Nothing is kept of it, and it is told nothing. */
export function isSilent(db: Database, settings: SilenceSettings, place: SilencePlace): boolean {
  return findSilence(db, settings, place) !== null;
}

/** The silence that holds there, the longest if there are several. */
export function findSilence(db: Database, settings: SilenceSettings, place: SilencePlace): Silence | null {
  const { project, at, cwd } = place;
  if (settings.doubt) return silenceInDoubt(settings.doubt);
  const pause = silencesAt(db, at).find((row) => isAbout(row, place));
  if (pause) return showPause(db, pause, project.name);
  const { off, excludePaths } = settingsFor(settings, project);
  if (off) return { kind: 'off', ...nameOff(settings, project), since: null, until: null };
  if (isExcludedFolder({ excludePaths, root: project.root, cwd }))
    return { kind: 'excluded', scope: 'project', name: project.name, since: null, until: null };
  return null;
}

/** The project of a session that is known, as settings and silences know it. */
export function projectOfSession(db: Database, session: Session): SilencePlace['project'] | null {
  const project = getProject(db, session.projectId);
  return project && nameKnown(db, project, { ...identifyProject(session.root), root: session.root });
}

function isAbout({ scope, key }: SilenceRow, { session, project }: SilencePlace): boolean {
  if (scope === 'everything') return true;
  // A pause of a repository holds in its folders that are projects of their own, too.
  return scope === 'project' ? key === project.key || project.others?.includes(key) === true : key === session;
}

const nameOff = ({ off }: SilenceSettings, { name }: { name: string }) =>
  off ? ({ scope: 'everything', name: '' } as const) : ({ scope: 'project', name } as const);

/** Everything that is silenced now, whoever it is about: for people. Of several pauses of one thing the longest. */
export function listSilences(db: Database, settings: SilenceSettings, now: number): Silence[] {
  const pauses = new Map<string, Silence>();
  for (const row of silencesAt(db, now)) {
    const about = `${row.scope} ${row.key}`;
    if (!pauses.has(about)) pauses.set(about, showPause(db, row, null));
  }
  return [...pauses.values(), ...listOff(settings)];
}

function showPause(db: Database, { scope, key, since, until }: SilenceRow, projectName: string | null): Silence {
  const name = scope === 'project' ? (projectName ?? findProject(db, key)?.name ?? basename(key)) : key;
  return { kind: 'paused', scope, name, since, until };
}
