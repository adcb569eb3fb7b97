// Checks the shape of src/ and viewer/src/: who imports whom, no cycles, small well-named files, one place for the environment and for printing.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { checkCycles } from './shape/cycle-rule.ts';
import { checkFile, checkName } from './shape/file-rules.ts';
import { checkImports } from './shape/import-rules.ts';
import { readSourceFile, type Violation } from './shape/source-file.ts';

export type ShapeReport = { fileCount: number; violations: Violation[] };

const NOTHING_TO_CHECK = { file: 'src', line: 1, text: 'holds no TypeScript file; is this the root of the project?' };

/** Reads root/src and root/viewer/src and reports every broken rule, in the order of files and lines. */
export function checkShape(root: string): ShapeReport {
  const paths = ['src', 'viewer/src']
    .filter((folder) => existsSync(resolve(root, folder)))
    .flatMap((folder) => [...new Bun.Glob(`${folder}/**/*`).scanSync({ cwd: root, dot: true })])
    .map((path) => path.replaceAll('\\', '/'))
    .sort();
  const isSource = (path: string) => /\.tsx?$/.test(path);
  const files = paths.filter(isSource).map((path) => readSourceFile(root, path));
  if (files.length === 0) return { fileCount: 0, violations: [NOTHING_TO_CHECK] };
  const violations = [
    ...files.flatMap(({ unreadable }) => unreadable),
    ...files.flatMap(checkFile),
    ...paths.filter((path) => !isSource(path)).flatMap(checkName),
    ...checkImports(files),
    ...checkCycles(files),
  ];
  return { fileCount: files.length, violations: violations.sort(byPlace) };
}

function byPlace(a: Violation, b: Violation): number {
  return a.file.localeCompare(b.file) || a.line - b.line;
}

function main(): void {
  const { fileCount, violations } = checkShape(resolve(process.argv[2] ?? resolve(import.meta.dir, '..')));
  for (const { file, line, text } of violations) console.log(`${file}:${line}: ${text}`);
  if (violations.length > 0) process.exit(1);
  console.log(`ok: ${fileCount} files`);
}

if (import.meta.main) main();
