// What `install --agent` writes into an agent's own files, and takes out again: texts in, texts out.

import { quoteWord } from '../core/text.ts';
import { insert, isObjectText, type JSONPath, put, readValue, removeUpwards, valueIn } from './json-text.ts';

export type AgentSetup = {
  title: string;
  /** Below the home: where it keeps its things. It is there if the agent is. */
  folder: string;
  files: SetupFile[];
  /** What a person has to do besides; empty mostly. */
  afterwards: string;
  lacks: string;
};

export type SetupFile = {
  path: string;
  /** '' for a file that is not there. */
  put: (text: string, launcher: string) => string;
  /** `before`: the file as it was without us. */
  take: (text: string, launcher: string, before: string) => string;
};

type Entry = { list: JSONPath; value: unknown } | { at: JSONPath; value: unknown };

export const jsonFile = (path: string, entriesFor: (launcher: string) => Entry[]): SetupFile => ({
  path,
  put: (text, launcher) =>
    entriesFor(launcher).reduce((left, entry) => {
      if ('list' in entry) return insert(left, entry.list, entry.value);
      if (valueIn(readValue(left), entry.at) !== undefined) throw new Error(`${entry.at.join('.')} in it is somebody else's.`);
      return put(left, entry.at, entry.value);
    }, requireObject(text)),
  take: (text, launcher, before) =>
    findOurs(readValue(requireObject(text)), launcher).reduce((left, at) => removeUpwards(left, at, before), text),
});

function requireObject(text: string): string {
  if (isObjectText(text)) return text;
  throw new Error('It is not a JSON object: correct it first.');
}

/** Our hooks and servers in the settings of any agent. From the end: what stands before it keeps its number. */
export function findOurs(file: Record<string, unknown>, launcher: string): JSONPath[] {
  const projects = Object.keys(Object(file.projects)).map((project) => ['projects', project]);
  const servers = [[], ...projects].map((above) => [...above, 'mcpServers', SERVER]);
  const groups = Object.entries(Object(file.hooks)).flatMap(([event, list]) =>
    (Array.isArray(list) ? list : []).map((_, at): JSONPath => ['hooks', event, at]),
  );
  return [...servers, ...groups].filter((path) => isOurs(valueIn(file, path), launcher)).reverse();
}

export function isOurs(value: unknown, launcher: string): boolean {
  const text = JSON.stringify(value ?? null);
  return [launcher, quoteWord(launcher)].some((word) => text.includes(JSON.stringify(word).slice(1, -1)));
}

export const hookCommand = (launcher: string, command: string, agent: string): string =>
  [launcher, 'hook.js', command, agent].map(quoteWord).join(' ');

export const SERVER = 'claude-mem';
