// A tool call in a Codex transcript → what the hook would have called it.
import { asList, asRecord, type Fields, text } from '../fields.ts';
import { readJson } from '../json.ts';
import { findPatch, splitPatch } from './patch.ts';

export type ToolCalled = {
  tool: string;
  /** One for each thing it did: a patch of three files is three. */
  inputs: Fields[];
};

/** Null for what does nothing by itself, such as waiting for what runs. */
export function readToolCall(item: Fields): ToolCalled | null {
  const name = text(item.name);
  switch (item.type) {
    case 'custom_tool_call':
      return name === 'apply_patch' ? patchCall(text(item.input)) : one(name, { input: text(item.input) });
    case 'local_shell_call':
      return commandCall(asRecord(item.action));
    case 'web_search_call':
      return webCall(asRecord(item.action));
    case 'function_call':
      return functionCall(name, text(item.namespace), readArguments(item.arguments));
    default:
      return null;
  }
}

const SHELLS = new Set(['shell', 'shell_command', 'exec_command', 'local_shell', 'container.exec', 'unified_exec']);

function functionCall(name: string, namespace: string, input: Fields): ToolCalled | null {
  if (SHELLS.has(name)) return commandCall(input);
  if (name === 'apply_patch') return patchCall(text(input.input) || text(input.patch));
  // Only looking whether there is more to read.
  if (name === 'write_stdin' && text(input.chars) === '') return null;
  const isServer = namespace.startsWith('mcp__');
  return one(isServer ? `${namespace.replace(/__$/, '')}__${name}` : name, input);
}

function commandCall(input: Fields): ToolCalled | null {
  const command = readCommand(input.cmd ?? input.command);
  const patch = findPatch(command);
  if (patch !== null) return patchCall(patch);
  const description = text(input.justification);
  return one('Bash', { command, ...(description && { description }) });
}

const patchCall = (patch: string): ToolCalled => {
  const parts = splitPatch(patch);
  return { tool: 'apply_patch', inputs: (parts.length > 0 ? parts : [patch]).map((command) => ({ command })) };
};

function webCall(action: Fields): ToolCalled | null {
  const { query, queries, url } = action;
  return text(query) || text(url) || asList(queries).length > 0 ? one('web_search', { query, queries, url }) : null;
}

const one = (tool: string, input: Fields): ToolCalled | null => (tool === '' ? null : { tool, inputs: [input] });

/** `["bash", "-lc", "npm test"]` is what a person would call `npm test`. */
export function readCommand(command: unknown): string {
  if (typeof command === 'string') return command;
  const words = asList(command).map(text);
  const [shell = '', flag = '', script] = words;
  if (words.length === 3 && /(?:^|[/\\])(?:ba|z|da|k)?sh(?:\.exe)?$/.test(shell) && /^-l?c$/.test(flag))
    return script ?? '';
  return words.map((word) => (/[\s"'$]/.test(word) ? `'${word}'` : word)).join(' ');
}

function readArguments(value: unknown): Fields {
  return typeof value === 'string' ? asRecord(readJson(value)) : asRecord(value);
}
