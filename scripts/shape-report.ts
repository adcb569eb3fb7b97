// `npm run shape [-- --list WHAT] [--coverage]`: how large and how tangled the source is, each figure beside its goal. WHAT lists what a
// figure counts. --coverage starts a worker and counts the files that answer one question of each kind.
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { MAX_COLUMNS } from './shape/file-rules.ts';
import { lineAt, readSourceFile, type SourceFile } from './shape/source-file.ts';

type Place = { place: string; note?: string | number };
type Figure = { name: string; value: number; goal: number | null; places: Place[] };

const MAX_FUNCTION_LINES = 60;
const MAX_FILE_LINES = 400;
/** Files that a table lists one by one: each is a thing of its own, whoever imports it. */
const ENTRIES = /\/(commands|routes|migrations|tools|providers|kinds)\/|^src\/agents\/[^/]+\/|^src\/cli\/[^/]+\.ts$|^src\/search\/wasm\//;
const FUNCTION = /\bfunction\b[^{;]*\{|=>\s*\{|^\s+(?:async\s+)?\w+\([^()]*\)(?::[^={;]+)?\s*\{/gm;
const EXPORT = /^export (?:async )?(?:function|const|class|type|interface|enum) (\w+)/gm;

export function measureShape(root: string): Figure[] {
  const files = readFolder(root, 'src');
  const others = ['test', 'bench', 'scripts', 'viewer/src'].flatMap((folder) => readFolder(root, folder));
  const shipped = others.filter(({ path }) => /^(viewer|scripts|bench)\//.test(path));
  const tests = others.filter(({ path }) => path.startsWith('test/') && !path.startsWith('test/fixtures/'));
  return [
    { name: 'src lines', value: sumLines(files), goal: 36_000, places: sizesByFolder(files) },
    { name: 'src files', value: files.length, goal: 420, places: countsByFolder(files) },
    count(`lines over ${MAX_COLUMNS} characters`, 0, files.flatMap(findLongLines)),
    count(`functions over ${MAX_FUNCTION_LINES} lines`, 0, files.flatMap(findLongFunctions)),
    count(`files over ${MAX_FILE_LINES} lines`, 0, files.filter(isLong).map(toPlace)),
    count('files with one importer', 60, findLonely(files)),
    count('exports that only tests use', 0, findUnused(files, shipped)),
    count('exports that nobody uses', 0, findUnused(files, others)),
    { name: 'test lines', value: sumLines(tests), goal: 34_000, places: sizesByFolder(tests) },
  ];
}

function readFolder(root: string, folder: string): SourceFile[] {
  const paths = [...new Bun.Glob(`${folder}/**/*.{ts,tsx}`).scanSync({ cwd: root })].sort();
  return paths.map((path) => readSourceFile(root, path));
}

function count(name: string, goal: number, places: Place[]): Figure {
  return { name, value: places.length, goal, places };
}

function linesOf({ text }: SourceFile): number {
  return text.replace(/\n$/, '').split('\n').length;
}

function isLong(file: SourceFile): boolean {
  return linesOf(file) > MAX_FILE_LINES;
}

function toPlace(file: SourceFile): Place {
  return { place: file.path, note: linesOf(file) };
}

function sumLines(files: SourceFile[]): number {
  return files.reduce((total, file) => total + linesOf(file), 0);
}

function sizesByFolder(files: SourceFile[]): Place[] {
  return byFolder(files, linesOf);
}

function countsByFolder(files: SourceFile[]): Place[] {
  return byFolder(files, () => 1);
}

function byFolder(files: SourceFile[], weigh: (file: SourceFile) => number): Place[] {
  const sums = new Map<string, number>();
  for (const file of files) {
    const folder = file.path.split('/').slice(0, 2).join('/');
    sums.set(folder, (sums.get(folder) ?? 0) + weigh(file));
  }
  return [...sums].sort(([, a], [, b]) => b - a).map(([place, note]) => ({ place, note }));
}

function findLongLines({ path, text }: SourceFile): Place[] {
  const lines = text.split('\n').map((line, index) => ({ place: `${path}:${index + 1}`, note: line.length }));
  return lines.filter(({ note }) => note > MAX_COLUMNS);
}

function findLongFunctions({ path, text, code }: SourceFile): Place[] {
  return [...code.matchAll(FUNCTION)].flatMap((match) => {
    const open = match.index + match[0].length - 1;
    const length = lineAt(text, closingBrace(code, open)) - lineAt(text, match.index) + 1;
    return length > MAX_FUNCTION_LINES ? [{ place: `${path}:${lineAt(text, match.index)}`, note: length }] : [];
  });
}

function closingBrace(code: string, open: number): number {
  let depth = 0;
  for (let at = open; at < code.length; at += 1) {
    if (code[at] === '{') depth += 1;
    if (code[at] === '}') depth -= 1;
    if (depth === 0) return at;
  }
  return code.length;
}

function findLonely(files: SourceFile[]): Place[] {
  const importers = new Map<string, Set<string>>();
  for (const { path, imports } of files)
    for (const { target } of imports) if (target !== null) importers.set(target, (importers.get(target) ?? new Set()).add(path));
  return files.flatMap(({ path }) => {
    const found = [...(importers.get(path) ?? [])];
    return found.length === 1 && !ENTRIES.test(path) ? [{ place: path, note: `only ${found[0]}` }] : [];
  });
}

/** Exports of `files` whose name stands in no other file of them, nor in `others`. */
function findUnused(files: SourceFile[], others: SourceFile[]): Place[] {
  const users = new Map<string, Set<string>>();
  for (const { path, code } of [...files, ...others])
    for (const [word] of code.matchAll(/[A-Za-z_$][\w$]*/g)) users.set(word, (users.get(word) ?? new Set()).add(path));
  return files.flatMap(({ path, text, code }) =>
    [...code.matchAll(EXPORT)]
      .filter(([, name]) => users.get(name ?? '')?.size === 1)
      .map((match) => ({ place: `${path}:${lineAt(text, match.index)}`, note: match[1] })),
  );
}

const MOST_RUN: Record<string, number> = { PostToolUse: 20, turn: 50, SessionStart: 35, search: 20, deletion: 12 };

async function measureRuns(root: string): Promise<Figure[]> {
  const { listRanFiles } = await import('./shape/ran-files.ts');
  return (await listRanFiles(root)).map(({ name, files }) => ({
    ...count(
      `files that run for ${name}`,
      0,
      files.map((place) => ({ place })),
    ),
    goal: MOST_RUN[name.split(' ')[1] ?? ''] ?? null,
  }));
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { list: { type: 'string' }, root: { type: 'string' }, coverage: { type: 'boolean' } } });
  const root = resolve(values.root ?? resolve(import.meta.dir, '..'));
  const figures = [...measureShape(root), ...(values.coverage ? await measureRuns(root) : [])];
  const listed = values.list === undefined ? [] : figures.filter(({ name }) => name.includes(values.list ?? ''));
  for (const { places } of listed) for (const { place, note } of places) console.log(`${place}  ${note ?? ''}`);
  for (const { name, value, goal } of figures)
    console.log(`${name.padEnd(40)}${String(value).padStart(8)}${goal === null ? '' : `   goal ${goal}`}`);
}

if (import.meta.main) await main();
