// Settings that hold in one project only, over those that hold everywhere.

export type ProjectNames = { key: string; name: string; root: string };

/** By its root goes before by its key (the remote), and that before by its name, which another project may have, too. */
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
export function rankLabel(label: string, { key, name, root }: ProjectNames): number {
  if (label === root) return 3;
  if (label === key) return 2;
  return label.toLowerCase() === name.toLowerCase() ? 1 : 0;
}
