// No file may reach itself by imports that happen at run time.
import type { SourceFile, Violation } from './source-file.ts';

type Step = { path: string; line: number };

/** One violation per import that closes a cycle, with the way round. */
export function checkCycles(files: SourceFile[]): Violation[] {
  const edges = new Map(files.map((file) => [file.path, stepsFrom(file)]));
  const finished = new Set<string>();
  const violations: Violation[] = [];
  const visit = (path: string, trail: string[]): void => {
    for (const step of edges.get(path) ?? []) {
      const start = trail.indexOf(step.path);
      if (start !== -1) violations.push(describeCycle(path, step, trail.slice(start)));
      else if (!finished.has(step.path)) visit(step.path, [...trail, step.path]);
    }
    finished.add(path);
  };
  for (const { path } of files) if (!finished.has(path)) visit(path, [path]);
  return violations;
}

function stepsFrom({ imports }: SourceFile): Step[] {
  return imports.flatMap(({ kind, target, line }) => (kind === 'type' || target === null ? [] : [{ path: target, line }]));
}

function describeCycle(file: string, { path, line }: Step, trail: string[]): Violation {
  return { file, line, text: `closes an import cycle: ${[...trail, path].join(' → ')}` };
}
