// Who may import whom. This table is the architecture; DESIGN and ARCHITECTURE.md only draw it.
import type { Import, SourceFile, Violation } from './source-file.ts';

const ALLOWED: Record<string, string[]> = {
  secrets: [],
  core: ['secrets'],
  hosts: ['core'],
  store: ['secrets', 'core'],
  git: ['core'],
  llm: ['secrets', 'core'],
  client: ['core', 'secrets'],
  memory: ['store', 'secrets', 'core'],
  search: ['memory', 'turns', 'store', 'secrets', 'core'],
  turns: ['store', 'secrets', 'core'],
  // A rebuild reads the answers of a model again.
  observe: ['model', 'turns', 'memory', 'search', 'store', 'core'],
  forget: ['turns', 'memory', 'store', 'core'],
  observer: ['turns', 'memory', 'store', 'secrets', 'core'],
  model: ['observer', 'turns', 'memory', 'store', 'llm', 'secrets', 'core'],
  context: ['search', 'memory', 'store', 'git', 'core'],
  importer: ['hosts', 'memory', 'store', 'git', 'core'],
  backup: ['forget', 'turns', 'store', 'core'],
  mcp: ['core'],
  // What of the worker is in its place already; worker/ joins it there.
  server: ['store', 'secrets', 'core'],
  worker: [
    'server',
    'core',
    'secrets',
    'hosts',
    'store',
    'memory',
    'turns',
    'backup',
    'forget',
    'git',
    'llm',
    'search',
    'observer',
    'observe',
    'model',
    'context',
    'importer',
    'mcp',
  ],
  cli: ['client', 'server', 'worker', 'backup', 'mcp', 'hosts', 'core'],
  'paths.ts': ['hosts'],
  'start-bun.ts': [],
  'regular-file.ts': [],
  'own-files.ts': ['paths.ts'],
  'log.ts': ['core', 'secrets', 'paths.ts', 'own-files.ts'],
  'settings.ts': ['core', 'log.ts'],
  'config.ts': ['core', 'paths.ts', 'own-files.ts', 'log.ts', 'settings.ts'],
  'environment.ts': ['hosts', 'settings.ts', 'config.ts'],
  'settings-file.ts': ['paths.ts', 'own-files.ts', 'settings.ts', 'config.ts'],
  'check-setting.ts': ['core', 'settings.ts'],
};

const SHARED_FILES = ['paths.ts', 'log.ts', 'regular-file.ts', 'start-bun.ts', 'own-files.ts'];
const CONFIG_FILES = ['config.ts', 'environment.ts', 'settings.ts', 'settings-file.ts', 'check-setting.ts'];
const CONFIG_READERS = ['worker', 'cli'];
const HOOK_ENTRY = 'src/cli/hook.ts';

export function checkImports(files: SourceFile[]): Violation[] {
  return [...files.flatMap(checkTable), ...checkHookPath(files)];
}

function checkTable(file: SourceFile): Violation[] {
  const part = partOf(file.path);
  const isViewer = file.path.startsWith('viewer/');
  if (!isViewer && ALLOWED[part] === undefined)
    return [{ file: file.path, line: 1, text: `src/${part} is not in the import table` }];
  return file.imports.flatMap((entry) => {
    const text = isViewer ? explainForeign(entry) : explainForbidden(part, entry);
    return text === null ? [] : [{ file: file.path, line: entry.line, text }];
  });
}

/** The viewer knows the worker by its HTTP API alone; the types of the answers are core's. */
function explainForeign({ specifier, target, kind }: Import): string | null {
  if (target === null || target.startsWith('viewer/src/')) return null;
  if (target.startsWith('src/core/') && kind === 'type') return null;
  return `the viewer imports ${specifier}; it may import types of src/core and nothing else of ours`;
}

function explainForbidden(part: string, { specifier, target, kind }: Import): string | null {
  if (target === null) {
    if (part !== 'core' || specifier.startsWith('.')) return null;
    return `core imports ${specifier}, but core is pure: it imports nothing outside core`;
  }
  if (!target.startsWith('src/')) return `imports ${target}, which is outside src and is not shipped`;
  const other = partOf(target);
  if (other === part || mayImport(part, other, kind)) return null;
  const allowed = (ALLOWED[part] ?? []).join(', ') || 'nothing';
  if (CONFIG_FILES.includes(other))
    return `${part} imports ${other}; settings are passed in (its types may be imported)`;
  return `${part} imports ${other} (${specifier}), but ${part} may import only: ${allowed}`;
}

function mayImport(part: string, other: string, kind: Import['kind']): boolean {
  if (ALLOWED[part]?.includes(other)) return true;
  const isFolder = !part.endsWith('.ts');
  if (part === 'core' || !isFolder) return false;
  if (SHARED_FILES.includes(other)) return true;
  return CONFIG_FILES.includes(other) && (kind === 'type' || CONFIG_READERS.includes(part));
}

/** Every package or node: module the hook loads is paid for at every tool call: node:fs alone costs 3.5 ms. */
function checkHookPath(files: SourceFile[]): Violation[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const reached = new Set([HOOK_ENTRY]);
  const violations: Violation[] = [];
  for (const path of reached) {
    const file = byPath.get(path);
    for (const { kind, target, specifier, line } of file?.imports ?? []) {
      if (kind !== 'static') continue;
      if (target !== null) reached.add(target);
      else if (!specifier.startsWith('.')) {
        violations.push({
          file: path,
          line,
          text: `the hook loads this file, and it imports ${specifier}; use built-in globals`,
        });
      }
    }
  }
  return violations;
}

/** `src/store/events.ts` → `store`, `src/paths.ts` → `paths.ts`. */
function partOf(path: string): string {
  return path.split('/')[1] ?? path;
}
