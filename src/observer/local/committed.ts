// Which files a commit holds: what git printed of it, and what was added to it by name or as a whole.
import { gitWords } from './commands/git-words.ts';
import { isNamed } from './commands/named-path.ts';
import { isOutside, type PlacedCommand, placePath } from './commands/place.ts';
import type { Step } from './turn.ts';

/** `steps`: from the commit before this one up to it. What nobody named or printed is not held as far as anybody knows. */
export function holdsAll(steps: Step[], files: string[], root: string): boolean {
  const printed = readStat(steps.at(-1)?.run?.output ?? '');
  if (printed.changed !== null && printed.changed < files.length) return false;
  const added = isComplete(printed) ? [] : listAdded(steps, root);
  return files.every((file) => isNamed(file, [...printed.names, ...added]));
}

/** Git printed all that the commit holds, and this is not among it. */
export function isLeftOut(commit: Step, file: string): boolean {
  const printed = readStat(commit.run?.output ?? '');
  return isComplete(printed) && !isNamed(file, printed.names);
}

/** What was put into the next commit, from the project's root; '' = all that had changed. */
export function listAdded(steps: Step[], root: string): string[] {
  return steps.flatMap(({ run }) => run?.commands ?? []).flatMap((command) => addedBy(command, root));
}

function addedBy(command: PlacedCommand, root: string): string[] {
  const { verb, rest } = gitWords(command);
  const { folder } = command;
  if (folder === null || (verb !== 'add' && verb !== 'commit')) return [];
  if (isAll(verb, rest)) return [isOutside(folder) ? folder : ''];
  const dashes = rest.indexOf('--');
  const named = verb === 'add' ? rest.filter((arg) => !arg.startsWith('-')) : dashes < 0 ? [] : rest.slice(dashes + 1);
  return named.map((name) => (name.startsWith(':/') ? name.slice(2) : placePath(name, folder, root)));
}

function isAll(verb: string, rest: string[]): boolean {
  if (rest.some((arg) => arg === '-p' || arg === '--patch' || arg === '-n' || arg === '--dry-run')) return false;
  if (verb === 'commit') return rest.some((arg) => /^-[b-z]*a/.test(arg) || arg === '--all');
  return rest.every((arg) => arg.startsWith('-')) && rest.some((arg) => /^(?:-A|--all|-u|--update)$/.test(arg));
}

type Stat = { changed: number | null; names: string[] };

const isComplete = ({ changed, names }: Stat) => changed !== null && names.length >= changed;

/** Of a plain commit git names only files that are new, gone or moved; with --stat all of them. */
function readStat(output: string): Stat {
  const text = output.slice(0, 20_000);
  const counts = [...text.matchAll(/^ ?(\d{1,6}) files? changed\b/gm)].map(([, count]) => Number(count));
  const modes = [...text.matchAll(/^ (?:create|delete) mode \d{6} (.{1,400})$/gm)].map(([, name = '']) => name);
  const moves = [...text.matchAll(/^ (?:rename|copy) (.{1,400}) \(\d+%\)$/gm)].map(([, name = '']) => newName(name));
  const lines = [...text.matchAll(/^ (\S.{0,400}?) +\| +(?:\d+ [+-]*|Bin .*)$/gm)].map(([, name = '']) =>
    newName(name),
  );
  return {
    changed: counts.length > 0 ? Math.max(...counts) : null,
    names: [...new Set([...modes, ...moves, ...lines])],
  };
}

/** `src/{a.ts => b.ts}` and `a.ts => b.ts`: as it is called now. */
const newName = (name: string) =>
  name.includes('{')
    ? name.replace(/\{[^{}]* => ([^{}]*)\}/, '$1').replace('//', '/')
    : (name.split(' => ').at(-1) ?? '');
