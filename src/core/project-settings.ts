// Settings that hold in one project only, over those that hold everywhere.
import { wholeKeyOf } from './project.ts';
import { normaliseRemote } from './remote.ts';

export type ProjectNames = {
  key: string;
  name: string;
  root: string;
  /** The root of the repository, where this work tree is another one of it. */
  mainRoot?: string | undefined;
  /** What else it goes by: keys and names from before, and those of the repository that it is a part of. */
  others?: readonly string[] | undefined;
};

/** By its root goes before by that of its repository, that before by its key (the remote), that before by its name, which another project may have, too, and that before by what else it goes by. */
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
export function rankLabel(label: string, { key, name, root, mainRoot, others = [] }: ProjectNames): number {
  const isKey = label === key || isRemote(label, key);
  const isName = label.toLowerCase() === name.toLowerCase();
  // A part of a repository has its root, too: its own word goes before that of the whole.
  if ((isKey || isName) && wholeKeyOf({ key, root }) !== null) return 6;
  if (label === root) return 5;
  if (label === mainRoot) return 4;
  if (isKey) return 3;
  if (isName) return 2;
  return others.some((other) => label === other || isRemote(label, other)) ? 1 : 0;
}

/** A remote as people write it down: with capitals, or as git has it. A path is no remote. */
const isRemote = (label: string, key: string) =>
  !key.startsWith('/') && (label.toLowerCase() === key.toLowerCase() || normaliseRemote(label) === key);
