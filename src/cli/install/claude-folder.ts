// Claude Code's own folder: where it is, and who else is in its settings.
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { isOurs as isOurEntry } from '../../agents/setup.ts';
import { wordTable } from '../../core/text.ts';
import { claudeEnvironment } from '../../environment.ts';
import { homeDir } from '../../paths.ts';
import { readText, requireJson } from './place.ts';
import { PLUGIN, PLUGIN_ID } from './plugin-folder.ts';

/** `~/.claude`, or what CLAUDE_CONFIG_DIR says. Whole: we ask `claude` from elsewhere. */
export const findClaudeFolder = () => resolve(claudeEnvironment('').CLAUDE_CONFIG_DIR || `${homeDir()}/.claude`);

type ClaudeSettings = z.infer<typeof Settings>;

const Settings = z.looseObject({
  enabledPlugins: z.record(z.string(), z.unknown()).optional().catch(undefined),
  hooks: z.unknown().optional(),
});

/** Null: there are none. Throws when they cannot be read: then nobody, `claude` included, may write them. */
export function readClaudeSettings(folder: string): ClaudeSettings | null {
  const file = join(folder, 'settings.json');
  const text = readText(file);
  return text === null ? null : Settings.parse(JSON.parse(requireJson(file, text).trim() || '{}'));
}

/** Other products that keep a memory of the same sessions, in sentences with what to do. They are named, never touched. */
export function describeOthers(settings: ClaudeSettings | null, launcher: string): string[] {
  const enabled = Object.entries(settings?.enabledPlugins ?? {}).filter(([id, value]) => value !== false && id !== PLUGIN_ID);
  const others = enabled.flatMap(([id]) => {
    const why = SAME_NAME[id.split('@')[0] ?? ''];
    return why ? [`The plugin ${id} ${why}. To have only this one: claude plugin disable ${id}`] : [];
  });
  const groups = Object.values(Object(settings?.hooks ?? {})).flat();
  const isHooked = groups.some((group) => JSON.stringify(group).includes('claude-mem') && !isOurEntry(group, launcher));
  return [...others, ...(isHooked ? [`"hooks" in your settings name claude-mem as well: ${BOTH}. Take them out there.`] : [])];
}

/** The original claude-mem's plugin, if it is enabled. */
export const findOriginal = (settings: ClaudeSettings | null): string | undefined =>
  Object.entries(settings?.enabledPlugins ?? {}).find(([id, value]) => value !== false && id.startsWith('claude-mem@'))?.[0];

const BOTH = 'both would capture the same sessions';
const SAME_NAME: Record<string, string> = wordTable({
  'claude-mem': `is enabled, too: ${BOTH} and add to their context`,
  [PLUGIN]: 'has the same name: Claude Code runs the hooks of only one of them',
});
