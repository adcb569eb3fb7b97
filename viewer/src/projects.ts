// The projects there are, asked for once and again when a session begins somewhere new.
import { signal } from '@preact/signals';
import type { ProjectRow, ProjectsAnswer } from '../../src/core/project.ts';
import { ask } from './api.ts';
import { listen } from './stream.ts';

export type ProjectChoice = {
  /** What the API takes: the name where it is enough, else the key. */
  value: string;
  name: string;
};

/** The latest used first. */
export const projects = signal<readonly ProjectChoice[]>([]);

const MOST = 200;

/** Returns how to stop. */
export function followProjects(): () => void {
  void load();
  return listen('session', ({ project }) => {
    if (!projects.peek().some(({ name }) => name === project)) void load();
  });
}

async function load(): Promise<void> {
  try {
    const { items } = await ask<ProjectsAnswer>('/api/projects', { query: { limit: MOST } });
    projects.value = items.map((item) => choiceOf(item, items));
  } catch {
    // Without them there is one filter less; that the worker is away is said elsewhere.
  }
}

function choiceOf({ key, project }: ProjectRow, all: readonly ProjectRow[]): ProjectChoice {
  const isAlone = all.filter((other) => other.project === project).length === 1;
  return isAlone ? { value: project, name: project } : { value: key, name: `${project} (${key})` };
}
