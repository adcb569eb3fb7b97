// config.json as the CLI changes it: one key at a time, whole or not at all, for this user alone.
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { readSettingsFile, SETTINGS, type SettingName } from '../config.ts';
import type { Paths } from '../paths.ts';

/** A default is not written down: the file holds what differs. */
export function writeSettings(paths: Paths, changes: Partial<Record<SettingName, unknown>>): void {
  const problems: string[] = [];
  const settings = readSettingsFile(paths.config, problems);
  if (problems[0] && existsSync(paths.config)) {
    throw new Error(`${problems[0]} It was left as it is: correct it by hand, or delete it to begin anew.`);
  }
  for (const [name, value] of Object.entries(changes)) {
    const { fallback } = SETTINGS[name as SettingName];
    if (value === undefined || isDeepStrictEqual(value, fallback)) delete settings[name];
    else settings[name] = value;
  }
  mkdirSync(paths.dataDir, { recursive: true, mode: 0o700 });
  writeFileSync(`${paths.config}.part`, `${JSON.stringify(settings, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${paths.config}.part`, paths.config);
}
