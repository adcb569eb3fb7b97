// Which files of the project a run of steps has read.
import { relativePath } from './project-path.ts';
import type { Step } from './turn.ts';

const KEPT = 40;

export function filesReadIn(steps: Step[], root: string): string[] {
  const files = steps.flatMap(({ event }) =>
    event.action.type === 'read' && event.error === null && event.action.file
      ? [relativePath(event.action.file, root, event.cwd)]
      : [],
  );
  return [...new Set(files)].slice(0, KEPT);
}
