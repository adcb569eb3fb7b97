// The plugin with other hooks: some missing, some that die, as it happens to people.
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const PLUGIN = join(import.meta.dir, '..', '..', 'plugin');

export type Hook = { matcher?: string; hooks: { type: string; command: string; args: string[] }[] };
export type Hooks = Record<string, Hook[]>;

export function makePlugin(folder: string, change: (hooks: Hooks) => Hooks): string {
  mkdirSync(join(folder, 'hooks'), { recursive: true });
  for (const part of ['bin', 'dist']) symlinkSync(join(PLUGIN, part), join(folder, part));
  for (const part of ['.claude-plugin', '.mcp.json', 'skills']) cpSync(join(PLUGIN, part), join(folder, part), { recursive: true });
  const { hooks, ...rest } = JSON.parse(readFileSync(join(PLUGIN, 'hooks/hooks.json'), 'utf8'));
  writeFileSync(join(folder, 'hooks/hooks.json'), JSON.stringify({ ...rest, hooks: change(hooks) }));
  return folder;
}

/** Without these events. */
export const without =
  (...names: string[]) =>
  (hooks: Hooks): Hooks =>
    Object.fromEntries(Object.entries(hooks).filter(([name]) => !names.includes(name)));

/** Every second call of a hook dies before it has said anything. `folder` counts them. */
export function killEverySecond(folder: string): (hooks: Hooks) => Hooks {
  mkdirSync(folder, { recursive: true });
  const wrapper = join(folder, 'dying-hook.sh');
  const script = `#!/bin/bash
n=$(ls ${folder}/calls 2>/dev/null | wc -l); mkdir -p ${folder}/calls/$$
[ $((n % 2)) = 0 ] && kill -9 $$
exec "$@"
`;
  writeFileSync(wrapper, script, { mode: 0o755 });
  const wrap = (hook: Hook['hooks'][number]) => ({ ...hook, command: wrapper, args: [hook.command, ...hook.args] });
  return (hooks) =>
    Object.fromEntries(
      Object.entries(hooks).map(([name, list]) => [
        name,
        name === 'SessionStart' ? list : list.map((entry) => ({ ...entry, hooks: entry.hooks.map(wrap) })),
      ]),
    );
}
