// In which folder each command of a shell line ran: what is done in another tree says nothing of the work in this one.

import { normal, relativePath } from '../core/project-path.ts';
import { wordTable } from '../core/word-table.ts';
import type { ShellCommand } from './shell.ts';

export type PlacedCommand = ShellCommand & {
  /** As the project knows it: '' = its root, 'app' = below it, '/p/other' = outside of it; null = nobody can tell. */
  folder: string | null;
  /** Sent out of the tree that the session works in. */
  isElsewhere: boolean;
};

export type Place = { root: string; cwd: string };

export function placeCommands(commands: ShellCommand[], place: Place): PlacedCommand[] {
  const stands = new Map<number, string | null>([[0, normal(place.cwd)]]);
  return commands.map((command) => {
    const scopes = [0, ...command.scopes];
    const from = stands.get(scopes.findLast((scope) => stands.has(scope)) ?? 0) ?? null;
    if (MOVES.has(command.program)) stands.set(scopes.at(-1) ?? 0, moved(command, from, place));
    const at = ownFolders(command).reduce<string | null>((folder, to) => enter(folder, to, place), from);
    const folder = at === null ? null : asProject(at, place.root);
    return { ...command, folder, isElsewhere: at !== null && isOutside(folder ?? '') && !isIn(at, normal(place.cwd)) };
  });
}

export const isOutside = (path: string) => /^(?:\/|[A-Za-z]:[\\/])/.test(path);

const join = (folder: string, name: string) => normal(isOutside(name) ? name : `${folder}/${name}`);

function asProject(path: string, root: string): string {
  return path === normal(root) ? '' : relativePath(path, root, root);
}

const isIn = (path: string, folder: string) => path === folder || path.startsWith(`${folder}/`);

const MOVES = new Set(['cd', 'pushd', 'popd']);

function moved({ program, args }: ShellCommand, from: string | null, place: Place): string | null {
  if (program === 'popd') return normal(place.cwd);
  const target = args.find((arg) => !/^-[a-zA-Z-]+$/.test(arg));
  return target === undefined || target === '-' ? null : enter(from, target, place);
}

function enter(from: string | null, target: string, { root, cwd }: Place): string | null {
  if (/rev-parse --show-toplevel|CLAUDE_PROJECT_DIR\}?$/.test(target)) return normal(root);
  if (/[$`*]/.test(target)) return null;
  if (target.startsWith('~')) return [root, cwd].find((known) => known.endsWith(target.slice(1))) ?? null;
  if (from === null && !isOutside(target)) return null;
  // A host may tell the folder as it is after the command.
  const isThere =
    !target.includes('..') && from === normal(cwd) && from.endsWith(`/${target.replace(/^\.\/|\/$/g, '')}`);
  return isThere ? from : join(from ?? '', target);
}

const FOLDER_OPTIONS = wordTable<RegExp>({
  git: /^-C$/,
  make: /^(?:-C|--directory)$/,
  ninja: /^-C$/,
  go: /^-C$/,
  npm: /^(?:-C|--prefix)$/,
  pnpm: /^(?:-C|--dir|--prefix)$/,
  yarn: /^--cwd$/,
  bun: /^--cwd$/,
});

/** `git -C app`, `npm --prefix=app`: the folders that a command names for itself. */
function ownFolders({ program, args }: ShellCommand): string[] {
  const option = FOLDER_OPTIONS[program];
  if (!option) return [];
  return args.flatMap((arg, at) => {
    const [name = '', value] = arg.split('=', 2);
    if (!option.test(name)) return [];
    return [value ?? args[at + 1] ?? ''];
  });
}
