// What of an event touches a path that the user has excluded.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Action, SessionEvent } from '../core/event.ts';
import { createPathMatcher } from '../core/project.ts';
import { withoutLinks } from '../git/work-file.ts';
import { homeDir } from '../paths.ts';

type ExclusionPlace = {
  excludePaths: readonly string[];
  /** The work tree's, where relative patterns begin. */
  root: string;
  cwd: string;
};

/** A session at work in there is left out as a whole. */
export const isExcludedFolder = (place: ExclusionPlace): boolean => isExcludedFile(place, place.cwd);

export function isExcludedFile(place: ExclusionPlace, file: string): boolean {
  if (place.excludePaths.length === 0 || file === '') return false;
  const { isNamed, spell } = lookFrom(place);
  const spelled = spell(file);
  return spelled.some(isNamed) || isNamed(withoutLinks(spelled[0] ?? file));
}

/** The event without the names of excluded files; null when it is about one of them. */
export function withoutExcluded(event: SessionEvent, place: ExclusionPlace): SessionEvent | null {
  if (place.excludePaths.length === 0) return event;
  if (isExcludedFolder(place)) return null;
  if (event.extra && namesExcluded(textsIn(event.extra), place)) return withoutExcluded({ ...event, extra: {} }, place);
  if (event.kind !== 'tool') return event;
  const { action } = event;
  if (touchesExcluded(action, place)) return null;
  if (action.type !== 'search') return event;
  return { ...event, action: { ...action, files: action.files.filter((file) => !isExcludedFile(place, file)) } };
}

function touchesExcluded(action: Action, place: ExclusionPlace): boolean {
  switch (action.type) {
    case 'edit':
    case 'read':
      return isExcludedFile(place, action.file);
    case 'search':
      return action.path !== null && isExcludedFile(place, action.path);
    case 'command':
      return namesExcluded(wordsOfCommand(action.command), place);
    case 'other':
      return namesExcluded(textsIn(action.input), place);
    default:
      return false;
  }
}

/** A plain word is a path only where there is such a file: `npm run build` names a script. Links are followed only from there, too. */
function namesExcluded(words: string[], place: ExclusionPlace): boolean {
  const { isNamed, spell } = lookFrom(place);
  return words.some((word) => {
    const spelled = spell(word);
    const isThere = existsSync(spelled[0] ?? word);
    const isPlain = !/[/.~*]/.test(word);
    if (isPlain && !isThere) return false;
    return spelled.some(isNamed) || (isThere && isNamed(withoutLinks(spelled[0] ?? word)));
  });
}

/** `spell`: a path as it was given, and with the folder it was given in spelled without links. */
function lookFrom({ excludePaths, root, cwd }: ExclusionPlace) {
  const home = homeDir();
  const match = createPathMatcher(excludePaths, home);
  const realCwd = withoutLinks(cwd);
  return {
    isNamed: (path: string) => match(path, root),
    spell: (path: string) => {
      const given = resolve(cwd, path.replace(/^~(?=\/|$)/, home));
      const isBelow = realCwd !== cwd && given.startsWith(`${cwd}/`);
      return isBelow ? [given, `${realCwd}${given.slice(cwd.length)}`] : [given];
    },
  };
}

const MOST_TEXTS = 1000;
const LONGEST_PATH = 4096;

/** The texts in what a tool was asked that can be paths: one line, not too long. */
function textsIn(input: unknown): string[] {
  const found: string[] = [];
  const waiting: unknown[] = [input];
  while (waiting.length > 0 && found.length < MOST_TEXTS) {
    const value = waiting.pop();
    if (typeof value === 'string' && value.length <= LONGEST_PATH && !/[\n\0]/.test(value)) found.push(value);
    else if (typeof value === 'object' && value !== null) waiting.push(...Object.values(value));
  }
  return found.map((text) => (text.startsWith('file://') ? text.slice('file://'.length) : text));
}

/** A command that writes a whole file has more words than anybody names paths in. */
const MOST_WORDS = 2000;

/** The words of a shell command that may name a file. Best effort: no variable is filled in, no script is read. */
export function wordsOfCommand(command: string): string[] {
  const words = new Set<string>();
  for (const [word] of command.matchAll(WORD)) {
    const plain = word.replace(/["']|\\(?=.)/g, '');
    for (const part of [plain, ...plain.split(/[=:,@]/)]) if (part !== '' && part !== '-') words.add(part);
    if (words.size > MOST_WORDS) break;
  }
  return [...words];
}

/** Between spaces and the signs that end a command, but a quoted part and an escaped character are one piece with their word. */
const WORD = /(?:"[^"]*"|'[^']*'|\\.|[^\s"'\\;|&<>()`{}])+/g;
