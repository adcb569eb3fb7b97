// A person's JSON file, changed as text: every byte that is not ours stays as it is, comments included.
import { findNodeAtLocation, type JSONPath, type Node, type ParseError, parse, parseTree } from 'jsonc-parser';

export type { JSONPath };

type Json = Record<string, unknown>;

const asRecord = (value: unknown): Json => (typeof value === 'object' && value !== null ? (value as Json) : {}); // Looked at by key only.

export const readValue = (text: string): Json => asRecord(parse(text.trim() || '{}', [], { allowTrailingComma: true }));

/** Whether it is an object, comments and all. What is not must not be written by anybody but its owner. */
export function isObjectText(text: string): boolean {
  const errors: ParseError[] = [];
  const value: unknown = parse(text.trim() || '{}', errors, { allowTrailingComma: true });
  return errors.length === 0 && typeof value === 'object' && value !== null && !Array.isArray(value);
}

export const valueIn = (file: unknown, path: JSONPath): unknown => path.reduce((value: unknown, key) => asRecord(value)[key], file);

export const valueAt = (text: string, path: JSONPath): unknown => valueIn(readValue(text), path);

export const insert = (text: string, list: JSONPath, value: unknown): string =>
  Array.isArray(valueAt(text, list)) ? add(text, list, null, value) : put(text, list, [value]);

/** As the last one of the nearest object that is there. */
export function put(text: string, path: JSONPath, value: unknown): string {
  const whole = text.trim() === '' ? '{}\n' : text;
  const depth = path.findLastIndex((_, at) => typeof valueAt(whole, path.slice(0, at)) === 'object');
  const made = path.slice(depth + 1).reduceRight((inner: unknown, key) => ({ [key]: inner }), value);
  return add(whole, path.slice(0, depth), String(path[depth]), made);
}

/** With all above it that holds nothing else then and was not there `before`. */
export function removeUpwards(text: string, path: JSONPath, before: string): string {
  const left = remove(text, path);
  const above = path.slice(0, -1);
  const isHollow = above.length > 0 && Object.keys(asRecord(valueAt(left, above))).length === 0;
  return isHollow && valueAt(before, above) === undefined ? removeUpwards(left, above, before) : left;
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
