// Claude Code's own folder: what is in it before we are, and how it is put back after us.
import { existsSync, realpathSync, renameSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { wordTable } from '../../core/text.ts';
import { claudeEnvironment } from '../../environment.ts';
import { homeDir } from '../../paths.ts';
import { readRegular } from '../../regular-file.ts';
import { MARKETPLACE, PLUGIN, PLUGIN_ID } from './plugin-folder.ts';

/** `~/.claude`, or what CLAUDE_CONFIG_DIR says. Whole: we ask `claude` from elsewhere. */
export const findClaudeFolder = () => resolve(claudeEnvironment('').CLAUDE_CONFIG_DIR || `${homeDir()}/.claude`);

type ClaudeSettings = z.infer<typeof Settings>;

const Settings = z.looseObject({
  enabledPlugins: z.record(z.string(), z.unknown()).optional().catch(undefined),
  extraKnownMarketplaces: z.record(z.string(), z.unknown()).optional().catch(undefined),
  hooks: z.unknown().optional(),
});

/** Null: there are none. Throws when they cannot be read: then nobody, `claude` included, may write them. */
export function readClaudeSettings(folder: string): ClaudeSettings | null {
  const file = join(folder, 'settings.json');
  if (!existsSync(file)) return null;
  const text = readRegular(file).toString();
  if (text.trim() === '') return {};
  try {
    return Settings.parse(JSON.parse(text));
  } catch (error) {
    throw new Error(
      `${file} cannot be read (${error instanceof z.ZodError ? 'not a JSON object' : String(error)}). ` +
        'Nothing was changed: correct it, then say this again.',
    );
  }
}

/** Keys and files that `claude plugin` makes when they are missing, with what is left in them when our plugin goes. Inner ones first. */
const SETTINGS_KEYS = ['enabledPlugins', 'extraKnownMarketplaces'] as const;
const HOLLOW_FILES: [string, unknown][] = [
  ['plugins/known_marketplaces.json', {}],
  ['plugins/installed_plugins.json', { version: 2, plugins: {} }],
];
const FOLDERS = ['plugins/cache', 'plugins/marketplaces', 'plugins/data', 'plugins'];

/** What is not there yet. */
export function findAbsent(folder: string): string[] {
  const settings = readClaudeSettings(folder);
  const files = ['settings.json', ...HOLLOW_FILES.map(([file]) => file), ...FOLDERS];
  return [...SETTINGS_KEYS.filter((key) => settings?.[key] === undefined), ...files.filter((path) => !existsSync(join(folder, path)))];
}

/** Takes away what `claude plugin` left behind, and of that only what was absent before us and is empty now. */
export function tidyClaudeFolder(folder: string, absent: string[]): void {
  // A copy of our plugin, which Claude Code would drop after some days.
  rmSync(join(folder, 'plugins/cache', MARKETPLACE), { recursive: true, force: true });
  tidySettings(folder, absent);
  for (const [file, hollow] of HOLLOW_FILES) {
    const path = join(folder, file);
    if (absent.includes(file) && existsSync(path) && isDeepStrictEqual(readJson(path), hollow)) rmSync(path);
  }
  for (const path of FOLDERS.filter((one) => absent.includes(one))) removeIfEmpty(join(folder, path));
}

function tidySettings(folder: string, absent: string[]): void {
  const settings = readClaudeSettings(folder);
  if (settings === null) return;
  const hollow = SETTINGS_KEYS.filter((key) => absent.includes(key) && isDeepStrictEqual(settings[key], {}));
  if (hollow.length === 0) return;
  const rest = Object.fromEntries(Object.entries(settings).filter(([key]) => !hollow.some((one) => one === key)));
  // A link to a file elsewhere stays one.
  const file = realpathSync(join(folder, 'settings.json'));
  if (Object.keys(rest).length === 0 && absent.includes('settings.json')) {
    rmSync(file);
    return;
  }
  // In the form that Claude Code gives it.
  writeFileSync(`${file}.part`, `${JSON.stringify(rest, null, 2)}\n`, { mode: statSync(file).mode });
  renameSync(`${file}.part`, file);
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readRegular(path).toString());
  } catch {
    // Not as we know it: it stays.
    return null;
  }
}

export function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // Somebody else has something in it, or it is gone already.
  }
}

/** Other products that keep a memory of the same sessions, in sentences with what to do. They are named, never touched. */
export function describeOthers(settings: ClaudeSettings | null): string[] {
  const enabled = Object.entries(settings?.enabledPlugins ?? {}).filter(([id, value]) => value !== false && id !== PLUGIN_ID);
  const others = enabled.flatMap(([id]) => {
    const why = SAME_NAME[id.split('@')[0] ?? ''];
    return why ? [`The plugin ${id} ${why}. To have only this one: claude plugin disable ${id}`] : [];
  });
  const isHooked = /claude-mem/.test(JSON.stringify(settings?.hooks ?? ''));
  return [...others, ...(isHooked ? [`"hooks" in your settings name claude-mem as well: ${BOTH}. Take them out there.`] : [])];
}

const BOTH = 'both would capture the same sessions';
const SAME_NAME: Record<string, string> = wordTable({
  'claude-mem': `is enabled, too: ${BOTH} and add to their context`,
  [PLUGIN]: 'has the same name: Claude Code runs the hooks of only one of them',
});
