// Our entries in Claude Code's own JSON files: put in and taken out as text, so that every other byte stays as it is.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { insert, type JSONPath, put, readValue, removeUpwards, valueAt, valueIn } from '../../agents/json-text.ts';
import { isOurs as isOurEntry, SERVER } from '../../agents/setup.ts';
import { quoteWord } from '../../core/text.ts';
import { MARKETPLACE, PLUGIN_ID } from './plugin-folder.ts';

/** Where the servers of a user are, and those of one project. */
const serversOf = (project: string | null): JSONPath => [...(project === null ? [] : ['projects', project]), 'mcpServers', SERVER];

/** The hooks of plugin/hooks/hooks.json as commands of a shell: every version of Claude Code runs those. */
export function putHooks(text: string, plugin: string, launcher: string): string {
  const { hooks } = Hooks.parse(JSON.parse(readFileSync(join(plugin, 'hooks/hooks.json'), 'utf8')));
  return Object.entries(hooks).reduce((left, [event, groups]) => {
    const own = groups.map(({ hooks: all, ...group }) => ({
      ...group,
      hooks: all.map(({ args, ...hook }) => ({ ...hook, command: [launcher, ...args].map(quoteWord).join(' ') })),
    }));
    return own.reduce((one, group) => insert(one, ['hooks', event], group), left);
  }, text);
}

const Hook = z.looseObject({ type: z.literal('command'), args: z.array(z.string()) });
const Hooks = z.object({ hooks: z.record(z.string(), z.array(z.looseObject({ hooks: z.array(Hook) }))) });

/** Throws when another program has its name there. */
export function putServer(text: string, project: string | null, launcher: string): string {
  const path = serversOf(project);
  if (valueAt(text, path) !== undefined) {
    throw new Error(`Another MCP server is called ${SERVER}. Nothing was changed. Remove it: claude mcp remove ${SERVER}`);
  }
  return put(text, path, { type: 'stdio', command: launcher, args: ['mcp.js'], env: {}, alwaysLoad: true });
}

/** Of whatever file: what is ours goes, and with it what holds nothing else and was not there `before`. */
export function takeOut(text: string, before: string | null, launcher: string): string {
  // From the end: what stands before it keeps its number.
  const ours = findOurs(readValue(text), launcher).reverse();
  return ours.reduce((left, path) => removeUpwards(left, path, before ?? '{}'), text);
}

export const hasHooks = (text: string, launcher: string): boolean => findOurs(readValue(text), launcher).some(([key]) => key === 'hooks');

/** In the four files that it may be in: settings, known marketplaces, installed plugins, servers. */
function findOurs(file: Record<string, unknown>, launcher: string): JSONPath[] {
  const isOurs = (value: unknown) => isOurEntry(value, launcher);
  const named: JSONPath[] = [['enabledPlugins', PLUGIN_ID], ['extraKnownMarketplaces', MARKETPLACE], ['plugins', PLUGIN_ID], [MARKETPLACE]];
  const projects = Object.keys(Object(file.projects));
  const servers = [null, ...projects].map(serversOf).filter((path) => isOurs(valueIn(file, path)));
  const groups = Object.entries(Object(file.hooks)).flatMap(([event, list]) =>
    (Array.isArray(list) ? list : []).flatMap((group, at): JSONPath[] => (isOurs(group) ? [['hooks', event, at]] : [])),
  );
  return [...named.filter((path) => valueIn(file, path) !== undefined), ...servers, ...groups];
}
