// Who may import whom. This table is the architecture; DESIGN and ARCHITECTURE.md only draw it.
import type { Import, SourceFile, Violation } from './source-file.ts';

/** Each may import whatever stands in a line above its own; what stands in one line knows nothing of each other. */
const LAYERS = [
  ['secrets'],
  ['core'],
  ['store', 'git', 'agents', 'client'],
  ['memory'],
  ['projects'],
  ['turns'],
  ['capture'],
  ['search', 'model'],
  ['forget'],
  ['backup'],
  ['observe', 'mcp', 'hook'],
  ['context'],
  ['import'],
  // What another machine sends is checked like an import, deleted like a deletion here.
  ['sync', 'hub'],
  ['server'],
  ['cli'],
];

/** Against that order, each for a reason. */
const ALSO: Record<string, string[]> = {
  // What is stored of a turn is read from its events; capture, in turn, makes a record again when its prompt turns out to be private.
  turns: ['capture'],
  // Forgetting reaches the backups; a backup that is restored must forget what was forgotten since.
  forget: ['backup'],
  // A rebuild runs in the importing process, which reads turns as a live session is read.
  observe: ['import'],
};

const ALLOWED: Record<string, string[]> = {
  ...Object.fromEntries(LAYERS.flatMap((layer, at) => layer.map((part) => [part, [...LAYERS.slice(0, at).flat(), ...(ALSO[part] ?? [])]]))),
  'paths.ts': ['agents', 'regular-file.ts'],
  'start-bun.ts': [],
  'child-program.ts': [],
  'regular-file.ts': [],
  'own-files.ts': ['paths.ts'],
  'log.ts': ['core', 'secrets', 'paths.ts', 'own-files.ts'],
  'settings.ts': ['core', 'log.ts'],
  'config.ts': ['core', 'paths.ts', 'own-files.ts', 'log.ts', 'settings.ts'],
  'environment.ts': ['agents', 'settings.ts', 'config.ts'],
};

const SHARED_FILES = ['paths.ts', 'log.ts', 'regular-file.ts', 'start-bun.ts', 'child-program.ts', 'own-files.ts'];
const CONFIG_FILES = ['config.ts', 'environment.ts', 'settings.ts'];
const CONFIG_READERS = ['server', 'cli', 'model', 'search'];
const HOOK_ENTRY = 'src/hook/hook.ts';

export function checkImports(files: SourceFile[]): Violation[] {
  return [...files.flatMap(checkTable), ...checkLight(files)];
}

function checkTable(file: SourceFile): Violation[] {
  const part = partOf(file.path);
  const isViewer = file.path.startsWith('viewer/');
  if (!isViewer && ALLOWED[part] === undefined) return [{ file: file.path, line: 1, text: `src/${part} is not in the import table` }];
  return file.imports.flatMap((entry) => {
    const text = isViewer ? explainForeign(entry) : isShape(file.path, entry) ? null : explainForbidden(part, entry);
    return text === null ? [] : [{ file: file.path, line: entry.line, text }];
  });
}

/** The schemas of what is answered, exported and stored are core's; only their types are on the way of a hook. */
function isShape(path: string, { specifier }: Import): boolean {
  return path.startsWith('src/core/shapes/') && specifier === 'zod';
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
  if (CONFIG_FILES.includes(other)) return `${part} imports ${other}; settings are passed in (its types may be imported)`;
  return `${part} imports ${other} (${specifier}), but ${part} may import only: ${allowed}`;
}

function mayImport(part: string, other: string, kind: Import['kind']): boolean {
  if (ALLOWED[part]?.includes(other)) return true;
  const isFolder = !part.endsWith('.ts');
  if (part === 'core' || !isFolder) return false;
  if (SHARED_FILES.includes(other)) return true;
  return CONFIG_FILES.includes(other) && (kind === 'type' || CONFIG_READERS.includes(part));
}

/** What a process loads before it does anything: a hook is paid for at every tool call, and Claude Code waits for the MCP server. */
const LIGHT = [
  // node:fs alone costs 3.5 ms.
  {
    entry: HOOK_ENTRY,
    name: 'the hook',
    isRefused: (specifier: string) => !specifier.startsWith('.'),
    instead: 'built-in globals',
  },
  {
    entry: 'src/cli/mcp.ts',
    name: 'the MCP server',
    isRefused: (specifier: string) => !/^(\.|node:|bun)/.test(specifier),
    instead: 'no package',
  },
];

function checkLight(files: SourceFile[]): Violation[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  return LIGHT.flatMap(({ entry, name, isRefused, instead }) => {
    const reached = new Set([entry]);
    const violations: Violation[] = [];
    for (const path of reached) {
      for (const { kind, target, specifier, line } of byPath.get(path)?.imports ?? []) {
        if (kind !== 'static') continue;
        if (target !== null) reached.add(target);
        else if (isRefused(specifier))
          violations.push({
            file: path,
            line,
            text: `${name} loads this file, and it imports ${specifier}; use ${instead}`,
          });
      }
    }
    return violations;
  });
}

/** `src/store/events.ts` → `store`, `src/paths.ts` → `paths.ts`. */
function partOf(path: string): string {
  return path.split('/')[1] ?? path;
}
