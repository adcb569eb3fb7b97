// Reads one source file as the rules see it: its text, its code without comments and strings, and what it imports.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { maskSource } from './mask.ts';

export type Violation = { file: string; line: number; text: string };

export type Import = {
  specifier: string;
  line: number;
  /** `type` is erased before anything runs; `lazy` is an `import()`; `static` is everything else. */
  kind: 'type' | 'lazy' | 'static';
  /** The imported file, relative to the root like SourceFile.path; null for packages, built-ins and files that do not exist. */
  target: string | null;
};

export type SourceFile = { path: string; text: string; code: string; imports: Import[]; unreadable: Violation[] };

const IMPORT = /(?<![.\w$])(?:(?:from|import)\s*(['"])|(?:import|require)\s*(\()\s*(['"])?)/g;
const transpiler = new Bun.Transpiler({ loader: 'tsx' });
const plainTranspiler = new Bun.Transpiler({ loader: 'ts' });

export function readSourceFile(root: string, path: string): SourceFile {
  const text = readFileSync(join(root, path), 'utf8');
  const code = maskSource(text);
  const file: SourceFile = { path, text, code, imports: [], unreadable: [] };
  const kinds = scanKinds(path, text);
  for (const match of code.matchAll(IMPORT)) readImport({ root, file, kinds, match });
  reportMissed(file, kinds);
  return file;
}

export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

/** What is imported when the file runs. Bun's own parser decides this; it leaves out what is imported only as a type. */
function scanKinds(path: string, text: string): Map<string, 'lazy' | 'static'> {
  const scanned = (path.endsWith('x') ? transpiler : plainTranspiler).scanImports(text);
  const kinds = new Map<string, 'lazy' | 'static'>();
  for (const { path: specifier, kind } of scanned) {
    // What JSX becomes is the build's choice, not an import of the file.
    if (path.endsWith('x') && /^react(\/jsx-(dev-)?runtime)?$/.test(specifier)) continue;
    if (kind !== 'dynamic-import') kinds.set(specifier, 'static');
    else if (!kinds.has(specifier)) kinds.set(specifier, 'lazy');
  }
  return kinds;
}

type Found = { root: string; file: SourceFile; kinds: Map<string, 'lazy' | 'static'>; match: RegExpExecArray };

function readImport({ root, file, kinds, match }: Found): void {
  const line = lineAt(file.text, match.index);
  const quote = match[1] ?? match[3];
  if (quote === undefined) {
    const text = 'imports a computed path, which nobody can check; name the file';
    file.unreadable.push({ file: file.path, line, text });
    return;
  }
  const start = match.index + match[0].length;
  const specifier = file.text.slice(start, file.code.indexOf(quote, start));
  const target = resolveTarget(root, file.path, specifier);
  file.imports.push({ specifier, line, kind: kinds.get(specifier) ?? 'type', target });
  if (target === null && specifier.startsWith('.')) {
    const text = `imports ${specifier}, which does not exist; write the path with its extension`;
    file.unreadable.push({ file: file.path, line, text });
  }
}

function resolveTarget(root: string, from: string, specifier: string): string | null {
  if (!specifier.startsWith('.')) return null;
  const path = join(root, dirname(from), specifier);
  return existsSync(path) ? relative(root, path).replaceAll('\\', '/') : null;
}

/** Guards the text search with the parser: what it knows and we did not find would escape every rule. */
function reportMissed(file: SourceFile, kinds: Map<string, unknown>): void {
  const found = new Set(file.imports.map(({ specifier }) => specifier));
  for (const specifier of kinds.keys()) {
    if (found.has(specifier)) continue;
    file.unreadable.push({ file: file.path, line: 1, text: `imports ${specifier} in a way check-shape cannot read` });
  }
}
