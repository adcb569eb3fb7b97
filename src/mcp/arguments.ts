// What a model gives to a tool, read with patience: numbers as text, lists as text, one thing in place of a list.
import { formatRef, parseRef } from '../core/memory.ts';
import { OBSERVATION_TYPES } from '../core/observation.ts';

export type Arguments = Record<string, unknown>;

export const MEMORY_TYPES = [...OBSERVATION_TYPES, 'summary', 'prompt'] as const;

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

export type Bounds = { least: number; most: number };

/** A whole number within the bounds: what is cut to them in silence is taken for what was asked. */
export function readCount(given: Arguments, name: string, { least, most }: Bounds): number | undefined {
  const text = readText(given, name);
  if (text === undefined) return undefined;
  const count = Number(text);
  if (!Number.isInteger(count) || count < least || count > most)
    throw new Error(`\`${name}\` must be a number from ${least} to ${most.toLocaleString('en')}.`);
  return count;
}

export function readFlag(given: Arguments, name: string): boolean | undefined {
  const value = given[name];
  if (value === undefined || value === null || value === '') return undefined;
  const flag = FLAGS.get(String(value).toLowerCase());
  if (flag === undefined) throw new Error(`\`${name}\` must be true or false.`);
  return flag;
}

const FLAGS = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

/** One of a few words. */
export function readChoice<Choice extends string>(
  given: Arguments,
  name: string,
  choices: readonly Choice[],
): Choice | undefined {
  const text = readText(given, name);
  return text === undefined ? undefined : requireChoice(name, text, choices);
}

export function readChoices<Choice extends string>(
  given: Arguments,
  name: string,
  choices: readonly Choice[],
): Choice[] | undefined {
  return readList(given, name)?.map((text) => requireChoice(name, text, choices));
}

function requireChoice<Choice extends string>(name: string, text: string, choices: readonly Choice[]): Choice {
  const choice = choices.find((one) => one === text.toLowerCase());
  if (choice !== undefined) return choice;
  throw new Error(`\`${name}\` does not know "${text.slice(0, 40)}". It knows: ${choices.join(', ')}.`);
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
