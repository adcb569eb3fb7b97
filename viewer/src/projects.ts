// The projects there are, asked for once, and again when a session begins somewhere new or the worker is back.
import { signal } from '@preact/signals';
import type { ProjectRow, ProjectsAnswer } from '../../src/core/shapes/project.ts';
import { ask } from './api.ts';
import { connection, listen } from './stream.ts';

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
  let isMissing = false;
  const look = async () => {
    isMissing = !(await load());
  };
  void look();
  const stops = [
    listen('session', ({ project }) => {
      if (!projects.peek().some(({ name }) => name === project)) void look();
    }),
    connection.subscribe(({ kind }) => {
      if (isMissing && kind === 'live') void look();
    }),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

/** Whether there was an answer. */
async function load(): Promise<boolean> {
  try {
    const { items } = await ask<ProjectsAnswer>('/api/projects', { query: { limit: MOST } });
    projects.value = items.map((item) => choiceOf(item, items));
    return true;
  } catch {
    // Without them there is one filter less; that the worker is away is said elsewhere.
    return false;
  }
}

/** Two of one name are told apart by the folder they lie in. */
export function nameProject(name: string, key: string | undefined): string {
  const isAlone = projects.value.filter((one) => one.name === name || one.name.startsWith(`${name} (`)).length < 2;
  return isAlone || !key ? name : `${name} (${key.split('/').slice(-2, -1).join('/') || key})`;
}

function choiceOf({ key, project }: ProjectRow, all: readonly ProjectRow[]): ProjectChoice {
  const isAlone = all.filter((other) => other.project === project).length === 1;
  return isAlone ? { value: project, name: project } : { value: key, name: `${project} (${key})` };
}
