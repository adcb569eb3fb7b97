// A project to choose; two of the same name are told apart by where they are.
import type { ProjectRow } from '../../../../src/core/shapes/project.ts';

export type ProjectChoiceProps = {
  projects: readonly Pick<ProjectRow, 'key' | 'project'>[];
  /** '' for every project, where that can be chosen. */
  chosen: string;
  withAll?: boolean;
  onChoose: (key: string) => void;
};

export function ProjectChoice({ projects, chosen, withAll = false, onChoose }: ProjectChoiceProps) {
  const isKnown = chosen === '' || projects.some(({ key }) => key === chosen);
  return (
    <select aria-label="Project" value={chosen} onChange={({ currentTarget }) => onChoose(currentTarget.value)}>
      {withAll && <option value="">All projects</option>}
      {!isKnown && <option value={chosen}>{chosen}</option>}
      {projects.map(({ key, project }) => (
        <option key={key} value={key}>
          {projects.filter((one) => one.project === project).length > 1 ? `${project} (${key})` : project}
        </option>
      ))}
    </select>
  );
}
