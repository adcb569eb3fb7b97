// Commands that ran while git had the work set aside: between `git stash` and its pop, or after a switch to another branch.
import { gitWords } from './git-words.ts';
import type { PlacedCommand } from './place.ts';

/** Between a stash and its pop. `lines`: the commands of each shell line, in order. */
export function listStashed(lines: PlacedCommand[][]): Set<PlacedCommand> {
  return listBetween(lines.flat(), isStash, isPop);
}

/** Of one line: stashed, or on the branch that it switched to. */
export function listSetAside(line: PlacedCommand[]): Set<PlacedCommand> {
  return new Set([...listStashed([line]), ...listBetween(line, isSwitch, () => false)]);
}

type Test = (command: PlacedCommand) => boolean;

function listBetween(commands: PlacedCommand[], begins: Test, ends: Test): Set<PlacedCommand> {
  const between = new Set<PlacedCommand>();
  let isBetween = false;
  for (const command of commands) {
    if (isBetween) between.add(command);
    if (command.isElsewhere) continue;
    if (begins(command)) isBetween = true;
    else if (ends(command)) isBetween = false;
  }
  return between;
}

export function isStash(command: PlacedCommand): boolean {
  const { verb, rest } = gitWords(command);
  return verb === 'stash' && /^(?:push|save|-.*)?$/.test(rest[0] ?? '');
}

export function isPop(command: PlacedCommand): boolean {
  const { verb, rest } = gitWords(command);
  return verb === 'stash' && /^(?:pop|apply)$/.test(rest[0] ?? '');
}

function isSwitch(command: PlacedCommand): boolean {
  const { verb, rest } = gitWords(command);
  if (verb !== 'checkout' && verb !== 'switch') return false;
  return !rest.some((arg) => /^(?:--|-[bBcC]|\.|.*\.\w{1,5})$/.test(arg));
}
