// Codex, Gemini CLI, OpenCode, Cursor: our part of their own files, put in by `install --agent`, taken out by `uninstall`.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { AgentSetup, SetupFile } from '../../agents/setup.ts';
import { SETUPS } from '../../agents/setups.ts';
import { removeIfEmpty } from '../../own-files.ts';
import { homeDir } from '../../paths.ts';
import { type Change, hash, keepCopy, readBefore, readText, write } from './place.ts';
import { type AgentPlace, launcherIn, NO_MARK, readMark, writeMark } from './plugin-folder.ts';

export const isThere = ({ folder }: AgentSetup): boolean => existsSync(join(homeDir(), folder));

export const listThereAgents = (): string[] => Object.keys(SETUPS).filter((name) => isThere(setupOf(name)));

export function setupOf(name: string): AgentSetup {
  const setup = SETUPS[name];
  if (setup) return setup;
  throw new Error(`"${name}" is not an agent that is known. Known: claude-code, ${Object.keys(SETUPS).join(', ')}, all.`);
}

/** What each file would be. Nothing is written. Throws when one is not for us to change. */
export function planAgent(name: string, folder: string): Change[] {
  const known = findPlace(name, folder);
  return setupOf(name).files.map((file) => {
    const path = join(homeDir(), file.path);
    const now = readText(path);
    const after = about(path, () => file.put(readWithout(file, now, { known, folder }) ?? '', launcherIn(folder)));
    return { path, before: now, after };
  });
}

export function joinAgent(name: string, folder: string, version: string): boolean {
  const known = findPlace(name, folder);
  const changes = planAgent(name, folder);
  const files = setupOf(name).files.map((file, at) => {
    const { path = '', before: now = null, after = '' } = changes[at] ?? {};
    const without = readWithout(file, now, { known, folder });
    return { path, copy: without === null ? null : keepCopy(folder, path, without), after: hash(after) };
  });
  const made = [...new Set(changes.flatMap(({ path }) => listMissing(dirname(path))))];
  const mark = readMark(folder) ?? NO_MARK;
  const place: AgentPlace = { agent: name, files, made: [...(known?.made ?? []), ...made] };
  // Known before it is done: whatever happens now can be undone.
  writeMark(folder, { ...mark, version, agents: [...mark.agents.filter(({ agent }) => agent !== name), place] });
  const changed = changes.filter(({ before, after }) => before !== after);
  for (const { path, after } of changed) write(path, after);
  return changed.length > 0;
}

/** Each file that nobody has changed since gets its old bytes; of any other only our part goes. */
export function leaveAgent(place: AgentPlace, folder: string): void {
  const setup = setupOf(place.agent);
  const left = place.files.map((noted) => {
    const file = setup.files.find((one) => join(homeDir(), one.path) === noted.path);
    const now = readText(noted.path);
    const later = now === null || !file ? now : about(noted.path, () => readWithout(file, now, { known: place, folder }));
    return { path: noted.path, now, later: noted.copy === null && later !== null && isHollow(later) ? null : later };
  });
  for (const { path, now, later } of left) if (later !== now) write(path, later);
  for (const path of place.made.toReversed()) removeIfEmpty(path);
}

export const isWhole = ({ files }: AgentPlace, folder: string): boolean =>
  files.every(
    ({ path, after }) => hash(readText(path)) === after || (readText(path) ?? '').includes(JSON.stringify(launcherIn(folder)).slice(1, -1)),
  );

const findPlace = (name: string, folder: string) => readMark(folder)?.agents.find(({ agent }) => agent === name);

/** The file as it would be without us. What somebody has changed since is theirs: only our part of it is not. */
function readWithout(file: SetupFile, now: string | null, { known, folder }: { known?: AgentPlace; folder: string }): string | null {
  const noted = known?.files.find(({ path }) => path === join(homeDir(), file.path));
  const before = noted ? readBefore(folder, noted) : null;
  if (noted && noted.after === hash(now)) return before;
  return now === null ? null : file.take(now, launcherIn(folder), before ?? '');
}

/** Nothing but what we write when there is no file. */
const isHollow = (text: string) => ['', '{}', '{"version":1}'].includes(text.replace(/\s/g, ''));

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
