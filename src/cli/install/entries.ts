// Our entries in Claude Code's own JSON files: put in and taken out as text, so that every other byte stays as it is.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findNodeAtLocation, type JSONPath, type Node, parseTree } from 'jsonc-parser';
import { z } from 'zod';
import { quoteWord } from '../../core/text.ts';
import { MARKETPLACE, PLUGIN_ID } from './plugin-folder.ts';

type Json = Record<string, unknown>;

/** Where the servers of a user are, and those of one project. */
const SERVER = 'claude-mem';
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
  const ours = findOurs(parse(text), launcher).reverse();
  return ours.reduce((left, path) => removeUpwards(left, path, before ?? '{}'), text);
}

function removeUpwards(text: string, path: JSONPath, before: string): string {
  const left = remove(text, path);
  const above = path.slice(0, -1);
  const isHollow = above.length > 0 && Object.keys(asRecord(valueAt(left, above))).length === 0;
  return isHollow && valueAt(before, above) === undefined ? removeUpwards(left, above, before) : left;
}

export const hasHooks = (text: string, launcher: string): boolean => findOurs(parse(text), launcher).some(([key]) => key === 'hooks');

/** It runs our launcher, by its path or as a word of a shell. */
export function isOurEntry(value: unknown, launcher: string): boolean {
  const text = JSON.stringify(value ?? null);
  return [launcher, quoteWord(launcher)].some((word) => text.includes(JSON.stringify(word).slice(1, -1)));
}

/** In the four files that it may be in: settings, known marketplaces, installed plugins, servers. */
function findOurs(file: Json, launcher: string): JSONPath[] {
  const isOurs = (value: unknown) => isOurEntry(value, launcher);
  const named: JSONPath[] = [['enabledPlugins', PLUGIN_ID], ['extraKnownMarketplaces', MARKETPLACE], ['plugins', PLUGIN_ID], [MARKETPLACE]];
  const projects = Object.keys(asRecord(file.projects));
  const servers = [null, ...projects].map(serversOf).filter((path) => isOurs(valueIn(file, path)));
  const groups = Object.entries(asRecord(file.hooks)).flatMap(([event, list]) =>
    (Array.isArray(list) ? list : []).flatMap((group, at): JSONPath[] => (isOurs(group) ? [['hooks', event, at]] : [])),
  );
  return [...named.filter((path) => valueIn(file, path) !== undefined), ...servers, ...groups];
}

const asRecord = (value: unknown): Json => (typeof value === 'object' && value !== null ? (value as Json) : {}); // Looked at by key only.
const valueIn = (file: unknown, path: JSONPath): unknown => path.reduce((value: unknown, key) => asRecord(value)[key], file);

const parse = (text: string): Json => asRecord(JSON.parse(text.trim() || '{}'));
const valueAt = (text: string, path: JSONPath): unknown => valueIn(parse(text), path);

/** Appended to the list there, which is made if it must. */
const insert = (text: string, list: JSONPath, value: unknown) =>
  Array.isArray(valueAt(text, list)) ? add(text, list, null, value) : put(text, list, [value]);

/** As the last one of the nearest object that is there. */
function put(text: string, path: JSONPath, value: unknown): string {
  const whole = text.trim() === '' ? '{}\n' : text;
  const depth = path.findLastIndex((_, at) => typeof valueAt(whole, path.slice(0, at)) === 'object');
  const made = path.slice(depth + 1).reduceRight((inner: unknown, key) => ({ [key]: inner }), value);
  return add(whole, path.slice(0, depth), String(path[depth]), made);
}

/** Written as the rest is: in one line where that is, else with its indentation and line ends. */
function add(text: string, into: JSONPath, key: string | null, value: unknown): string {
  const node = nodeAt(text, into);
  const last = node.children?.at(-1);
  const isOneLine = last !== undefined && !text.slice(node.offset, last.offset).includes('\n');
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const indent = /^([ \t]+)"/m.exec(text)?.[1] ?? '  ';
  const lineAt = (depth: number) => (isOneLine ? '' : eol + indent.repeat(depth));
  const spelled = JSON.stringify(value, null, isOneLine ? undefined : indent).replaceAll('\n', lineAt(into.length + 1));
  const piece = `${lineAt(into.length + 1)}${key === null ? '' : `${JSON.stringify(key)}:${isOneLine ? '' : ' '}`}${spelled}`;
  if (last) return splice(text, last.offset + last.length, last.offset + last.length, `,${piece}`);
  return splice(text, node.offset + 1, node.offset + node.length - 1, `${piece}${lineAt(into.length)}`);
}

/** With the comma that tells it from its neighbour. */
function remove(text: string, path: JSONPath): string {
  const node = nodeAt(text, path);
  const own = node.parent?.type === 'property' ? node.parent : node;
  const all = own.parent?.children ?? [];
  const at = all.indexOf(own);
  const [before, after] = [all[at - 1], all[at + 1]];
  if (before) return splice(text, before.offset + before.length, own.offset + own.length, '');
  if (after) return splice(text, own.offset, after.offset, '');
  const { offset, length } = own.parent ?? own;
  return splice(text, offset + 1, offset + length - 1, '');
}

const splice = (text: string, from: number, to: number, piece: string) => text.slice(0, from) + piece + text.slice(to);

function nodeAt(text: string, path: JSONPath): Node {
  const root = parseTree(text);
  const node = root && findNodeAtLocation(root, path);
  if (!node) throw new Error(`There is no ${path.join('.')} to change.`);
  return node;
}
