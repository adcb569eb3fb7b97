// Marks what tools showed of repositories in which the user has neither worked nor committed: their files are somebody else's words.
import { isAbsolute, resolve } from 'node:path';
import type { SessionEvent } from '../core/event.ts';
import { soundAction } from '../core/sound-action.ts';
import { placeCommands } from './place-commands.ts';
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
  const action = soundAction(event.action);
  if (action.type === 'read') return { shown: [resolve(event.cwd, action.file)], made: [] };
  if (action.type === 'search') return { shown: [resolve(event.cwd, action.path ?? '.')], made: [] };
  if (action.type !== 'command') return { shown: [], made: [] };
  const places = placeCommands(splitShell(action.command), { root, cwd: event.cwd }).flatMap((command) => {
    if (command.folder === null) return [];
    const folder = resolve(root, command.folder);
    return [{ command, folder }];
  });
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
  const own =
    address
      .replace(/\/+$|\.git\/*$/g, '')
      .split(/[/:]/)
      .at(-1) ?? '';
  return [into, own].filter((name) => name !== undefined && name !== '').map((name) => resolve(folder, name ?? ''));
}
