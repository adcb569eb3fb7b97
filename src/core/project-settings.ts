// Settings that hold in one project only, over those that hold everywhere.
import { normaliseRemote } from './project.ts';

export type ProjectNames = {
  key: string;
  name: string;
  root: string;
  /** The root of the repository, where this work tree is another one of it. */
  mainRoot?: string | undefined;
};

/** By its root goes before by that of its repository, that before by its key (the remote), and that before by its name, which another project may have, too. */
export function settingsFor<Settings extends { projects: Readonly<Record<string, Partial<Settings>>> }>(
  settings: Settings,
  project: ProjectNames,
): Settings {
  const said = Object.entries(settings.projects)
    .map(([label, own]) => ({ rank: rankLabel(label, project), own }))
    .filter(({ rank }) => rank > 0)
    .sort((one, other) => one.rank - other.rank);
  return said.length === 0 ? settings : Object.assign({}, settings, ...said.map(({ own }) => own));
}

/** How closely a label names the project; 0 when it names another. */
export function rankLabel(label: string, { key, name, root, mainRoot }: ProjectNames): number {
  if (label === root) return 4;
  if (label === mainRoot) return 3;
  if (label === key || isRemote(label, key)) return 2;
  return label.toLowerCase() === name.toLowerCase() ? 1 : 0;
}

/** A remote as people write it down: with capitals, or as git has it. A path is no remote. */
const isRemote = (label: string, key: string) =>
  !key.startsWith('/') && (label.toLowerCase() === key.toLowerCase() || normaliseRemote(label) === key);
