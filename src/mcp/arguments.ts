// What a model gives to a tool, read with patience: numbers as text, lists as text, one thing in place of a list.
import { formatRef, parseRef } from '../core/memory.ts';

export type Arguments = Record<string, unknown>;

/** Longer than any name or path in earnest. */
const MAX_TEXT = 4000;
/** A whole log may be pasted: its beginning is what is searched for. */
export const MAX_QUERY = 100_000;

/** Undefined when it is not there; rejects what is no text at all. */
export function readText(given: Arguments, name: string, max = MAX_TEXT): string | undefined {
  const value = given[name];
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value !== 'string' && typeof value !== 'number') throw new Error(`\`${name}\` must be a text.`);
  const text = String(value).trim();
  if (text.length > max) throw new Error(`\`${name}\` is too long: at most ${max.toLocaleString('en')} characters.`);
  return text || undefined;
}

export function requireText(given: Arguments, name: string, max?: number): string {
  const text = readText(given, name, max);
  if (text === undefined) throw new Error(`\`${name}\` is missing. Give it as a text.`);
  return text;
}

/** Within the bounds, whatever was asked for. */
export function readCount(given: Arguments, name: string, { least, most }: { least: number; most: number }) {
  const text = readText(given, name);
  if (text === undefined) return undefined;
  const count = Math.round(Number(text));
  if (!Number.isFinite(count)) throw new Error(`\`${name}\` must be a number, such as ${most}.`);
  return Math.min(most, Math.max(least, count));
}

export function readFlag(given: Arguments, name: string): boolean | undefined {
  const value = given[name];
  if (value === undefined || value === null) return undefined;
  return value === true || value === 1 || value === 'true';
}

export function readList(given: Arguments, name: string): string[] | undefined {
  const value = given[name];
  const parts = Array.isArray(value) ? value.slice(0, 1000) : (readText(given, name)?.split(/[,\s]+/) ?? []);
  const list = parts.filter((part) => typeof part === 'string' || typeof part === 'number').map(String);
  const found = list.map((part) => part.trim()).filter((part) => part !== '' && part.length < 200);
  return found.length > 0 ? found : undefined;
}

/** Whose memories: of every project, of a named one, or of the one that the folder belongs to. */
export function readScope(given: Arguments, cwd: string): { cwd?: string; project?: string; all?: boolean } {
  if (readFlag(given, 'all')) return { all: true };
  const project = readText(given, 'project', 200);
  return project ? { project } : { cwd };
}

/** Ids in their one spelling, each once. */
export function requireIds(given: Arguments, most: number): string[] {
  const said = readList(given, 'ids') ?? [];
  const ids = said.map((text) => {
    const ref = parseRef(text);
    if (!ref) throw new Error(`"${text.slice(0, 40)}" is no id. Ids are like 123, S12 or P34; \`search\` finds them.`);
    return formatRef(ref);
  });
  if (ids.length === 0) throw new Error('`ids` is missing. Give a list such as ["123", "S12"]; `search` finds ids.');
  if (ids.length > most) throw new Error(`At most ${most} ids at once. Ask again with fewer.`);
  return [...new Set(ids)];
}
