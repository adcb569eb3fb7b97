// Which project a folder belongs to by git and by the settings, and all the names under which settings and silences may speak of it.
import type { Database } from 'bun:sqlite';
import { basename } from 'node:path';
import type { Config } from '../../config.ts';
import { asPart, findPart, type ProjectIdentity, wholeKeyOf } from '../../core/project.ts';
import { type ProjectNames, settingsFor } from '../../core/project-settings.ts';
import { canonical } from '../../git/git-dir.ts';
import { identifyProject } from '../../git/identity.ts';
import { listAliases, listFormerPlaces } from '../../store/projects/project-keys.ts';
import { findProject, findProjectBy, type Project } from '../../store/projects/projects.ts';

export type PlaceSettings = Partial<Pick<Config, 'subprojects' | 'projects'>>;

/** The repository, or the folder of it that the settings make a project of its own. */
export function identifyPlace(cwd: string, { subprojects = [], projects = {} }: PlaceSettings): ProjectIdentity {
  const whole = identifyProject(cwd);
  if (subprojects.length === 0 && Object.keys(projects).length === 0) return whole;
  const own = settingsFor({ subprojects, projects }, whole);
  const part = own.subprojects.length > 0 ? findPart(canonical(cwd), whole.root, own.subprojects) : null;
  return part === null ? whole : asPart(whole, part);
}

/** As the store knows it, if it does, with all that it was ever called. */
export function nameProject(db: Database, identity: ProjectIdentity): ProjectNames {
  const project = findProjectBy(db, identity);
  const { root, mainRoot } = identity;
  if (!project) return { ...identity, others: namesOfWhole(db, identity) };
  return { ...nameKnown(db, project, identity), root, mainRoot };
}

/** The project of a session, as it is met in the session's own work tree. */
export function nameKnown(db: Database, project: Project, here: ProjectIdentity): ProjectNames {
  const { key, name } = project;
  const others = [here.key, here.name, ...namesFromBefore(db, project.id), ...namesOfWhole(db, { ...here, key })];
  return { key, name, root: here.root, mainRoot: here.mainRoot, others: [...new Set(others)] };
}

function namesOfWhole(db: Database, part: { key: string; root: string }): string[] {
  const key = wholeKeyOf(part);
  if (key === null) return [];
  const whole = findProject(db, key);
  return whole ? [key, whole.key, whole.name, ...namesFromBefore(db, whole.id)] : [key];
}

/** Where it was before it moved it had the name of that folder. */
const namesFromBefore = (db: Database, projectId: number): string[] => [
  ...listAliases(db, projectId),
  ...listFormerPlaces(db, projectId).map(nameOfPath),
];

function nameOfPath(key: string): string {
  const [root = '', part] = key.split('#');
  return part === undefined ? basename(root) : `${basename(root)}/${part}`;
}
