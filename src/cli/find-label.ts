// The project that `--project` means, and the label it has, or gets, in the settings.
import { callApi } from '../client/api.ts';
import { spellLabel } from '../config.ts';
import type { ProjectRow } from '../core/project.ts';
import { type ProjectNames, rankLabel } from '../core/project-settings.ts';
import type { Paths } from '../paths.ts';
import { listProjectLabels } from '../settings-file.ts';
import { identifyFolder } from '../worker/projects/scope.ts';
import { type ProjectOption, readProject } from './project-option.ts';

/** A name that nobody has looked up stands for all three. */
export function namesOf(option: ProjectOption): ProjectNames {
  const said = readProject(option);
  return said.kind === 'folder' ? identifyFolder(said.path) : { key: said.name, name: said.name, root: said.name };
}

/** One that the file has already, the most specific, so that what is set counts; else the key. */
export function findLabel(paths: Paths, names: ProjectNames): string {
  const [known] = listProjectLabels(paths)
    .map((label) => ({ label, rank: rankLabel(spellLabel(label), names) }))
    .filter(({ rank }) => rank > 0)
    .sort((one, other) => other.rank - one.rank);
  return known?.label ?? names.key;
}

/** A slip in a name would change nothing, and nobody would notice. Without a worker it cannot be told. */
export async function isUnknownProject(paths: Paths, names: ProjectNames): Promise<boolean> {
  const answer = await callApi(paths, '/api/projects?limit=200');
  // The worker is ours, so its answers are trusted to keep to their contract.
  const { items } = (answer ?? { items: null }) as { items: ProjectRow[] | null };
  return (
    items !== null &&
    !items.some(
      ({ key, project: name, root, aliases: others }) => rankLabel(names.key, { key, name, root, others }) > 0,
    )
  );
}
