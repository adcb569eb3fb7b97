// Paths that lead into a work tree through links, spelled as the tree itself spells them.
import { realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, resolve } from 'node:path';
import type { Action, SessionEvent } from '../core/event.ts';

/** As far as it is there; the rest is taken as it is written. */
export function withoutLinks(path: string): string {
  const missing: string[] = [];
  for (let known = path; ; known = dirname(known)) {
    try {
      return resolve(realpathSync(known), ...missing);
    } catch {
      // Not there, or not for us to see: what lies above it may be.
      if (dirname(known) === known) return path;
      missing.unshift(basename(known));
    }
  }
}

/** A file by its name in the tree, where only a link on the way to it hides that it lies in there. Else as it was given. */
export function spellInTree(path: string, root: string): string {
  if (!isAbsolute(path) || isIn(path, root)) return path;
  // A file that is itself a link keeps its name.
  const real = resolve(withoutLinks(dirname(path)), basename(path));
  return isIn(real, root) ? real : path;
}

/** The root itself, too. */
export function spellFolder(path: string, root: string): string {
  if (!isAbsolute(path) || isIn(path, root) || path === root) return path;
  const real = withoutLinks(path);
  return real === root || isIn(real, root) ? real : path;
}

const isIn = (path: string, root: string) => path.startsWith(`${root}/`);

/** The event with the paths of its work tree spelled so. */
export function spellEvent<T extends SessionEvent>(event: T, root: string): T {
  const cwd = spellFolder(event.cwd, root);
  if (event.kind !== 'tool') return cwd === event.cwd ? event : { ...event, cwd };
  const action = spellAction(event.action, { root, given: event.cwd, cwd });
  return { ...event, cwd, action };
}

function spellAction(action: Action, { root, given, cwd }: { root: string; given: string; cwd: string }): Action {
  switch (action.type) {
    case 'edit':
    case 'read':
      return { ...action, file: spellInTree(action.file, root) };
    case 'search': {
      const path = action.path && spellFolder(action.path, root);
      return { ...action, path, files: action.files.map((file) => spellInTree(file, root)) };
    }
    case 'command':
      return cwd === given ? action : { ...action, command: respell(action.command, given, cwd) };
    default:
      return action;
  }
}

/** In a command a path begins with a word. */
const respell = (command: string, from: string, to: string) =>
  command.replaceAll(`${from}/`, (found, at: number) => (/[\w./-]/.test(command[at - 1] ?? '') ? found : `${to}/`));
