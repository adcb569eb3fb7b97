// Other products that keep a memory of the same sessions, as Claude Code's settings name them. They are told of, never touched.
import type { ClaudeSettings } from './claude-folder.ts';
import { PLUGIN, PLUGIN_ID } from './names.ts';

/** Sentences for a person, with what to do. */
export function describeOthers(settings: ClaudeSettings | null): string[] {
  const enabled = Object.entries(settings?.enabledPlugins ?? {}).filter(([, value]) => value !== false);
  const ids = enabled.map(([id]) => id).filter((id) => id !== PLUGIN_ID);
  const twins = ids.filter((id) => id.split('@')[0] === PLUGIN);
  const public_ = ids.filter((id) => id.split('@')[0] === 'claude-mem');
  return [
    ...public_.map(
      (id) =>
        `The plugin ${id} is enabled, too: both would capture the same sessions and tell of them. To have only this one: claude plugin disable ${id}`,
    ),
    ...twins.map(
      (id) =>
        `The plugin ${id} has the same name: Claude Code runs the hooks of only one of them. To have this one: claude plugin disable ${id}`,
    ),
    ...(/claude-mem/.test(JSON.stringify(settings?.hooks ?? ''))
      ? ['"hooks" in your settings name claude-mem as well: both would capture the same sessions. Take them out there.']
      : []),
  ];
}
