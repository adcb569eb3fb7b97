// The repository that an observation is about, told by where its files lie.
import type { Database } from 'bun:sqlite';
import { dirname, isAbsolute, resolve } from 'node:path';
import type { ObservationDraft, Observed } from '../core/observation.ts';
import { type ProjectIdentity, relativePath, settingsFor } from '../core/project.ts';
import { canonical, findGitDir } from '../git/git-dir.ts';
import { spellInTree } from '../git/work-file.ts';
import { findFolder, identifyPlace, nameKnown, nameProject } from '../projects/place.ts';
import { isExcludedFile } from './exclusions.ts';
import type { Session } from './sessions.ts';
import { findSilence, type SilenceSettings } from './silence.ts';

type Place = {
  project: ProjectIdentity;
  /** Nothing may be kept there: paused, off, or about an excluded path. */
  isSilent: boolean;
};

/** Where an observation belongs by its files; null where its session does. Reads folders, never fails for one that is gone. */
export type PlaceOf = (draft: ObservationDraft, session: Session) => Place | null;

export type Placed = {
  observed: Observed;
  /** Of each observation: the project it belongs to; null for the session's own. */
  places: (ProjectIdentity | null)[];
};

export function placeDrafts(observed: Observed, session: Session, placeOf: PlaceOf = () => null): Placed {
  const placed = observed.observations.map((draft) => ({ draft, place: placeOf(draft, session) })).filter(({ place }) => !place?.isSilent);
  return {
    observed: {
      ...observed,
      observations: placed.map(({ draft, place }) => (place ? respell(draft, { from: session.root, to: place.project.root }) : draft)),
    },
    places: placed.map(({ place }) => place?.project ?? null),
  };
}

/** With the paths that the other repository knows. */
function respell(draft: ObservationDraft, { from, to }: { from: string; to: string }): ObservationDraft {
  const spell = (files: string[]) => [...new Set(files.map((file) => relativePath(file, to, from)))];
  return { ...draft, filesModified: spell(draft.filesModified), filesRead: spell(draft.filesRead) };
}

type PlaceOfDeps = { db: Database; config: () => SilenceSettings; clock: () => number };

/** Only inside of a work tree of git: any other folder is part of where the session works. */
export function createPlaceOf({ db, config }: Pick<PlaceOfDeps, 'db' | 'config'>): PlaceOf {
  return (draft, session) => {
    const folders = listFolders(draft, session);
    const root = findMainRoot(folders, session.root);
    if (root === null) return null;
    const project = identifyCommon(folders, root, config());
    return { project, isSilent: isSilentThere(db, config(), { project, draft, session }) };
  };
}

type PlacedFile = { projectId: number; root: string; path: string };

/** The project in which a file is known that a session is about to edit, if that is another than its own and may be told of. */
export function createPlaceFile({ db, config, clock }: PlaceOfDeps): (session: Session, file: string) => PlacedFile | null {
  return (session, file) => {
    const whole = isAbsolute(file) ? file : resolve(session.root, file);
    const root = findMainRoot([dirname(whole)], session.root);
    if (root === null) return null;
    const { identity, project } = findFolder(db, dirname(whole));
    if (!project) return null;
    const names = nameKnown(db, project, identity);
    const place = { session: session.hostSessionId, cwd: root, project: names, at: clock() };
    const { excludePaths } = settingsFor(config(), names);
    if (findSilence(db, config(), place) || isExcludedFile({ excludePaths, root, cwd: root }, whole)) return null;
    return { projectId: project.id, root, path: relativePath(spellInTree(whole, root), root, root) };
  };
}

const MOST_FILES = 50;

/** Of the files it changed, else of those it read. */
function listFolders({ filesModified, filesRead }: ObservationDraft, { root }: Session): string[] {
  const files = filesModified.length > 0 ? filesModified : filesRead;
  return files.slice(0, MOST_FILES).map((file) => dirname(isAbsolute(file) ? file : resolve(root, file)));
}

/** The work tree that more than half of them lie in; null when there is none, or it is the session's own. */
function findMainRoot(folders: string[], own: string): string | null {
  const roots = new Map<string, string | null>();
  const counts = new Map<string, number>();
  for (const folder of folders) {
    const root = roots.get(folder) ?? findGitDir(canonical(folder))?.workTree ?? null;
    roots.set(folder, root);
    if (root !== null) counts.set(root, (counts.get(root) ?? 0) + 1);
  }
  const [main] = [...counts].filter(([, count]) => count * 2 > folders.length);
  return main && main[0] !== own ? main[0] : null;
}

/** A part of that repository only when all of its files lie in it. */
function identifyCommon(folders: string[], root: string, settings: SilenceSettings): ProjectIdentity {
  const inside = folders.filter((folder) => canonical(folder) === root || canonical(folder).startsWith(`${root}/`));
  const [first, ...others] = inside.map((folder) => identifyPlace(folder, settings)).filter((one) => one.root === root);
  const isOne = first !== undefined && others.every(({ key }) => key === first.key);
  return isOne ? first : identifyPlace(root, settings);
}

type Told = { project: ProjectIdentity; draft: ObservationDraft; session: Session };

/** What is said of that project counts, whoever works in it. */
function isSilentThere(db: Database, settings: SilenceSettings, { project, draft, session }: Told): boolean {
  const names = nameProject(db, project);
  const { root } = project;
  const place = { session: session.hostSessionId, cwd: root, project: names, at: draft.at };
  if (findSilence(db, settings, place) !== null) return true;
  const { excludePaths } = settingsFor(settings, names);
  const files = [...draft.filesModified, ...draft.filesRead];
  return files.some((file) => isExcludedFile({ excludePaths, root, cwd: session.root }, file));
}
