// Paths as a model writes them, matched with the paths we know; what we do not know is left out.
import { relativePath } from '../../core/project-path.ts';

export function matchPaths(written: string[], known: Set<string>, root: string): string[] {
  if (written.length === 0 || known.size === 0) return [];
  const byName = groupByName(known);
  const matched = written.map((path) => matchPath(path, { known, byName, root }));
  return [...new Set(matched.filter((path) => path !== null))];
}

type Known = { known: Set<string>; byName: Map<string, string[]>; root: string };

function matchPath(written: string, { known, byName, root }: Known): string | null {
  for (const path of spellingsOf(written)) {
    const exact = relativePath(path, root, root);
    if (known.has(exact)) return exact;
    const ending = (byName.get(nameOf(exact)) ?? []).filter((other) => other.endsWith(`/${exact}`));
    if (ending.length === 1) return ending[0] ?? null;
  }
  return null;
}

/** `src/a.ts:12`, `/src/a.ts` for a path below the root, `src/a.ts (new)`, `src/a.ts - the parser`. */
function spellingsOf(written: string): string[] {
  const bare = written.replace(/ (?:\(|[-–—] ).*$/, '').replace(/(?::\d+(?:[-:]\d+)*|#L\d+(?:-L?\d+)?)$/, '');
  return [written, bare, bare.replace(/^\/+/, '')].filter((path, at, all) => path !== '' && all.indexOf(path) === at);
}

function groupByName(known: Set<string>): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const path of known) {
    const group = groups.get(nameOf(path)) ?? [];
    group.push(path);
    groups.set(nameOf(path), group);
  }
  return groups;
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
