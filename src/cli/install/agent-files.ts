// Codex, Gemini CLI, OpenCode, Cursor: our part of their own files, put in by `install --agent`, taken out by `uninstall`.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type AgentSetup, SETUPS } from '../../agents/setups.ts';
import { removeIfEmpty } from '../../own-files.ts';
import { homeDir } from '../../paths.ts';
import { type Change, giveBack, noteAfter, noteBefore, readText, readWithout, writeEntries } from './place.ts';
import { type AgentPlace, launcherIn, NO_MARK, readMark, writeMark } from './plugin-folder.ts';

export const isThere = ({ folder }: AgentSetup): boolean => existsSync(join(homeDir(), folder));

export const listThereAgents = (): string[] => Object.keys(SETUPS).filter((name) => isThere(setupOf(name)));

export function setupOf(name: string): AgentSetup {
  const setup = SETUPS[name];
  if (setup) return setup;
  throw new Error(`"${name}" is not an agent that is known.`);
}

/** What each file would be. Nothing is written. Throws when one is not for us to change. */
export function planAgent(name: string, folder: string): Change[] {
  const known = findPlace(name, folder);
  return setupOf(name).files.map((file) => {
    const path = join(homeDir(), file.path);
    const without = readWithout(path, folder, known?.files.find((one) => one.path === path) ?? null, takeFrom(name)(path));
    const before = readText(path);
    return { path, before, after: about(path, () => file.put(without ?? '', launcherIn(folder), before ?? '')) };
  });
}

export function joinAgent(name: string, folder: string, version: string): boolean {
  const known = findPlace(name, folder);
  const changes = planAgent(name, folder);
  const noted = changes.map(({ path }) => noteBefore(path, folder, known?.files, takeFrom(name)(path)));
  const made = [...(known?.made ?? []), ...new Set(changes.flatMap(({ path }) => listMissing(dirname(path))))];
  const note = (files: AgentPlace['files']) => {
    const mark = readMark(folder) ?? NO_MARK;
    writeMark(folder, { ...mark, version, agents: [...mark.agents.filter(({ agent }) => agent !== name), { agent: name, files, made }] });
  };
  // Known before it is done: whatever happens now can be undone.
  note(noted);
  const changed = changes.filter(({ before, after }) => before !== after);
  writeEntries(changed);
  note(noted.map(noteAfter));
  return changed.length > 0;
}

export function leaveAgent({ agent, files, made }: AgentPlace, folder: string): void {
  giveBack(files, folder, takeFrom(agent));
  for (const path of made.toReversed()) removeIfEmpty(path);
}

export const isWhole = ({ files }: AgentPlace, folder: string): boolean =>
  files.every(
    (file) => noteAfter(file).after === file.after || (readText(file.path) ?? '').includes(JSON.stringify(launcherIn(folder)).slice(1, -1)),
  );

const findPlace = (name: string, folder: string) => readMark(folder)?.agents.find(({ agent }) => agent === name);

/** A file that an earlier version wrote, and this one does not know, stays as it is. */
const takeFrom = (name: string) => (path: string) => {
  const file = setupOf(name).files.find((one) => join(homeDir(), one.path) === path);
  return (text: string, launcher: string, before: string) => about(path, () => file?.take(text, launcher, before) ?? text);
};

function listMissing(folder: string): string[] {
  return existsSync(folder) || folder === dirname(folder) ? [] : [...listMissing(dirname(folder)), folder];
}

function about<Result>(path: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw new Error(`${path}: ${error instanceof Error ? error.message : error} Nothing was changed.`);
  }
}
