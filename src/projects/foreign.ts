// Marks what tools showed of repositories in which the user has neither worked nor committed: their files are somebody else's words.

import type { Database } from 'bun:sqlite';
import { isAbsolute, resolve } from 'node:path';
import type { SessionEvent } from '../core/event.ts';
import { normal } from '../core/project.ts';
import { canonical, findGitDir } from '../git/git-dir.ts';
import { isBroughtAlong } from '../git/own-commits.ts';
import { hasWorkedIn } from '../memory/trusted.ts';
import { findFolder } from './place.ts';
import { type ShellCommand, splitShell } from './shell.ts';

/** For a look as of a moment (epoch ms): of a path. Null where no repository lies; then only what was done in the session can tell. */
export type IsForeign = (before: number) => (path: string) => boolean | null;

type Looked<E> = { root: string; events: SessionEvent[]; earlier: E[] };

/** What is not foreign stays as it is. */
export function markForeign<E extends SessionEvent>(looked: Looked<E>, isForeign: IsForeign): Omit<Looked<E>, 'root'> {
  const { root, events, earlier } = looked;
  // A session that names no folder works in none: ours is not to be judged in its place.
  if (root === '') return { earlier, events };
  const isTheirs = createJudge(root, isForeign(events[0]?.at ?? 0));
  const mark = <One extends SessionEvent>(event: One): One => {
    const places = event.kind === 'tool' ? readPlaces(event, root) : null;
    return places && isTheirs(places) ? { ...event, isForeign: true } : event;
  };
  // In their order: what is read in a clone comes after the clone.
  return { earlier: earlier.map(mark), events: events.map(mark) };
}

function createJudge(root: string, isForeign: (path: string) => boolean | null): (places: Places) => boolean {
  const known = new Map<string, boolean | null>();
  const cloned: string[] = [];
  const look = (path: string): boolean | null => {
    const there = known.has(path) ? (known.get(path) ?? null) : isForeign(path);
    known.set(path, there);
    return there;
  };
  return ({ shown, made }) => {
    cloned.push(...made);
    return shown.slice(0, MOST_PATHS).some((path) => {
      const clone = cloned.find((folder) => isIn(path, folder));
      if (clone !== undefined) return look(clone) ?? true;
      return (isIn(path, root) ? look(root) : null) ?? look(path) ?? false;
    });
  };
}

const isIn = (path: string, folder: string) => path === folder || path.startsWith(`${folder}/`);

const MOST_PATHS = 40;

type Places = {
  /** Files and folders that a tool may have shown something of. */
  shown: string[];
  /** Folders that were cloned into. */
  made: string[];
};

function readPlaces(event: Extract<SessionEvent, { kind: 'tool' }>, root: string): Places {
  const { action } = event;
  if (action.type === 'read') return { shown: [resolve(event.cwd, action.file)], made: [] };
  if (action.type === 'search') return { shown: [resolve(event.cwd, action.path ?? '.')], made: [] };
  if (action.type !== 'command') return { shown: [], made: [] };
  const places = placeCommands(splitShell(action.command), { root, cwd: event.cwd });
  return {
    shown: places.flatMap(({ command, folder }) => [folder, ...pathsIn(command, folder)]),
    made: places.flatMap(({ command, folder }) => clonesOf(command, folder)),
  };
}

const pathsIn = ({ args }: ShellCommand, folder: string): string[] =>
  args.filter((arg) => /[/.]/.test(arg) && !/^-|:\/\//.test(arg)).map((arg) => resolve(folder, arg));

/** `git clone [options] ADDRESS [FOLDER]` */
function clonesOf({ program, args }: ShellCommand, folder: string): string[] {
  const at = args.indexOf('clone');
  if (at < 0 || !/^(?:git|gh|glab)$/.test(program)) return [];
  const named = args.slice(at + 1).filter((arg) => !arg.startsWith('-'));
  const [address = '', into] = [named.findLast((arg) => /[:/]/.test(arg) && !isAbsolute(arg)), named.at(-1)];
  const own = address.replace(/\/+$|\.git\/*$/g, '').split(/[/:]/);
  return [into, own.at(-1)].flatMap((name) => (name ? [resolve(folder, name)] : []));
}

type Place = { root: string; cwd: string };

/** The folder that each of them runs in, absolute; without those of which nobody can tell. */
function placeCommands(commands: ShellCommand[], place: Place): { command: ShellCommand; folder: string }[] {
  const stands = new Map<number, string | null>([[0, normal(place.cwd)]]);
  return commands.flatMap((command) => {
    const scopes = [0, ...command.scopes];
    const from = stands.get(scopes.findLast((scope) => stands.has(scope)) ?? 0) ?? null;
    if (MOVES.has(command.program)) stands.set(scopes.at(-1) ?? 0, moved(command, from, place));
    const folder = ownFolders(command).reduce<string | null>((at, to) => enter(at, to, place), from);
    return folder === null ? [] : [{ command, folder }];
  });
}

const isOutside = (path: string) => /^(?:\/|[A-Za-z]:[\\/])/.test(path);

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
  const isThere = !target.includes('..') && from === normal(cwd) && from.endsWith(`/${target.replace(/^\.\/|\/$/g, '')}`);
  return isThere ? from : normal(isOutside(target) ? target : `${from}/${target}`);
}

const TAKES_FOLDER = /^(?:git|make|ninja|go|p?npm|yarn|bun)$/;
const FOLDER_OPTION = /^(?:-C|--(?:directory|prefix|dir|cwd))$/;

/** `git -C app`, `npm --prefix=app`: the folders that a command names for itself. */
function ownFolders({ program, args }: ShellCommand): string[] {
  if (!TAKES_FOLDER.test(program)) return [];
  return args.flatMap((arg, at) => {
    const [name = '', value] = arg.split('=', 2);
    return FOLDER_OPTION.test(name) ? [value ?? args[at + 1] ?? ''] : [];
  });
}

export const createIsForeign =
  (db: Database): IsForeign =>
  (before) => {
    const known = new Map<string, boolean>();
    return (path) => {
      const workTree = findGitDir(canonical(path))?.workTree;
      if (workTree === undefined) return null;
      const isTheirs = known.get(workTree) ?? isOfOthers(db, workTree, before);
      known.set(workTree, isTheirs);
      return isTheirs;
    };
  };

const isOfOthers = (db: Database, workTree: string, before: number): boolean =>
  !findFolder(db, workTree).projectIds.some((id) => hasWorkedIn(db, id, before)) && isBroughtAlong(workTree);
