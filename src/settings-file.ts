// config.json as the CLI and the worker change it: all that is asked or nothing, for this user alone.
import { chmodSync, lstatSync, mkdirSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { readSettingsFile } from './config.ts';
import { requireOwn, writeOwnFile } from './own-files.ts';
import type { Paths } from './paths.ts';
import { type ProjectSettingName, SETTINGS, type SettingName } from './settings.ts';

/** A default is not written down: the file holds what differs. */
export function writeSettings(paths: Paths, changes: Partial<Record<SettingName, unknown>>): void {
  const settings = readForChange(paths);
  for (const [name, value] of Object.entries(changes)) {
    const { fallback } = SETTINGS[name as SettingName];
    if (value === undefined || isDeepStrictEqual(value, fallback)) delete settings[name];
    else settings[name] = value;
  }
  replaceFile(paths, settings);
}

/** For one project, a default is written down, too: it may differ from what holds elsewhere. */
export function writeProjectSetting(
  paths: Paths,
  { label, name, value }: { label: string; name: ProjectSettingName; value: unknown },
): void {
  const settings = readForChange(paths);
  const projects = readProjects(settings.projects);
  const { [name]: before, ...others } = projects[label] ?? {};
  const own = value === undefined ? others : { ...others, [name]: value };
  const { [label]: replaced, ...rest } = projects;
  const next = Object.keys(own).length > 0 ? { ...rest, [label]: own } : rest;
  const { projects: old, ...global } = settings;
  replaceFile(paths, Object.keys(next).length > 0 ? { ...global, projects: next } : global);
}

/** The projects that the file names, spelled as they are there. */
export const listProjectLabels = (paths: Paths): string[] =>
  Object.keys(readProjects(readSettingsFile(paths.config, []).projects));

/** A file with a key that others could read is closed. What that was, for the person to hear; null when there is nothing to say. */
export function closeSettings(path: string): string | null {
  const problem = describeOpenKey(path);
  if (problem === null) return null;
  chmodSync(path, 0o600);
  return `${problem} It is closed now. If others use this machine, take another key: claude-mem config set apiKey`;
}

/** The same without closing it. */
export function describeOpenKey(path: string): string | null {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat?.isFile() || (stat.mode & 0o077) === 0 || !readSettingsFile(path, []).apiKey) return null;
  const mode = (stat.mode & 0o777).toString(8);
  return `${path} holds a key and other users could read it (mode ${mode}).`;
}

function readProjects(projects: unknown): Record<string, Record<string, unknown>> {
  const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);
  if (projects === undefined) return {};
  if (isObject(projects) && Object.values(projects as object).every(isObject)) return projects as never;
  throw new Error('"projects" in the settings is not an object with an object for each project. Correct it by hand.');
}

function readForChange(paths: Paths): Record<string, unknown> {
  const problems: string[] = [];
  const settings = readSettingsFile(paths.config, problems);
  if (problems[0])
    throw new Error(`${problems[0]}. It was left as it is: correct it by hand, or delete it to begin anew.`);
  return settings;
}

function replaceFile(paths: Paths, settings: Record<string, unknown>): void {
  requireOwn(paths);
  mkdirSync(paths.dataDir, { recursive: true, mode: 0o700 });
  writeOwnFile(paths.config, `${JSON.stringify(settings, null, 2)}\n`);
}
