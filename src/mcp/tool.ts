// What a tool of ours is: how the model is told of it, how what the model gives is read, and what it may ask of the memory.
import type { MemoryApi } from '../client/memory-api.ts';
import { formatRef, parseRef } from '../core/memory.ts';

/** What the tools ask of the memory. Passed in: each call may start a worker, and rejects with a sentence and a remedy. */
type Calls = Pick<MemoryApi, 'search' | 'readTimeline' | 'readMemories' | 'readFileHistory' | 'remember' | 'hide'>;

/** Of a search that does not say how many. They carry the words that answer: a few are enough to choose by. */
export const ROWS = 6;

export type ToolDeps = {
  calls: Calls;
  /** Whose memories are meant when no project is named; `all`: nobody knows where the agent works. */
  scope: { cwd: string } | { project: string } | { all: true };
};

export type Tool = {
  name: string;
  description: string;
  /** JSON Schema. Every word of it is paid for in every session: test/mcp/budget.test.ts counts them. */
  inputSchema: { type: 'object'; properties: Record<string, unknown>; required?: string[] };
  /** The text for the model. Rejects with a sentence and a remedy, which the model is shown too. */
  run: (given: Record<string, unknown>, deps: ToolDeps) => Promise<string>;
};

/** An argument: as the model is told of it, and read with patience: numbers as text, lists as text, one thing in place of a list. */
type Field<Value> = { schema: object; read: (value: unknown, name: string) => Value };
type Fields = Record<string, Field<unknown>>;
export type Given<F extends Fields> = { [Name in keyof F]: ReturnType<F[Name]['read']> };

type Definition<F extends Fields> = Pick<Tool, 'name' | 'description'> & {
  fields: F;
  required?: string[];
  run: (given: Given<F>, deps: ToolDeps) => Promise<string>;
};

export function defineTool<F extends Fields>({ name, description, fields, required, run }: Definition<F>): Tool {
  const known = Object.keys(fields);
  const properties = Object.fromEntries(Object.entries(fields).map(([field, { schema }]) => [field, schema]));
  return {
    name,
    description,
    inputSchema: { type: 'object', properties, ...(required ? { required } : {}) },
    async run(given, deps) {
      // What is passed over in silence is taken for done.
      const unknown = Object.keys(given).filter((one) => !known.includes(one));
      if (unknown.length > 0) throw new Error(`${name} does not know ${unknown.slice(0, 5).join(', ')}. It knows: ${known.join(', ')}.`);
      const values = Object.entries(fields).map(([field, { read }]) => [field, read(given[field], field)]);
      return run(Object.fromEntries(values) as Given<F>, deps); // Read field by field.
    },
  };
}

/** Longer than any name or path in earnest. */
const MAX_TEXT = 4000;

const readText = (value: unknown, name: string, max = MAX_TEXT): string | undefined => {
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value !== 'string' && typeof value !== 'number') throw new Error(`\`${name}\` must be a text.`);
  const text = String(value).trim();
  if (text.length > max) throw new Error(`\`${name}\` is too long: at most ${max.toLocaleString('en')} characters.`);
  return text || undefined;
};

export const text = (description?: string, max?: number): Field<string | undefined> => ({
  schema: describe('string', description),
  read: (value, name) => readText(value, name, max),
});

export const needed = (max?: number): Field<string> => ({
  schema: describe('string'),
  read: (value, name) => {
    const said = readText(value, name, max);
    if (said === undefined) throw new Error(`\`${name}\` is missing. Give it as a text.`);
    return said;
  },
});

const describe = (type: string, description?: string) => (description === undefined ? { type } : { type, description });

/** A whole number within the bounds: what is cut to them in silence is taken for what was asked. */
export const count = (least: number, most: number, usual?: number): Field<number | undefined> => ({
  schema: usual === undefined ? { type: 'integer' } : { type: 'integer', default: usual },
  read: (value, name) => {
    const said = readText(value, name);
    const number = said === undefined ? usual : Number(said);
    if (number === undefined || (Number.isInteger(number) && number >= least && number <= most)) return number;
    throw new Error(`\`${name}\` must be a number from ${least} to ${most.toLocaleString('en')}.`);
  },
});

const FLAGS = new Map<unknown, boolean>([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

export const flag = (description?: string): Field<boolean | undefined> => ({
  schema: describe('boolean', description),
  read: (value, name) => {
    if (value === undefined || value === null || value === '') return undefined;
    const said = FLAGS.get(String(value).toLowerCase());
    if (said === undefined) throw new Error(`\`${name}\` must be true or false.`);
    return said;
  },
});

export const choice = <Choice extends string>(choices: readonly Choice[], schema: object): Field<Choice | undefined> => ({
  schema,
  read: (value, name) => {
    const said = readText(value, name);
    return said === undefined ? undefined : requireChoice(name, said, choices);
  },
});

export const choices = <Choice extends string>(known: readonly Choice[], description?: string): Field<Choice[] | undefined> => ({
  schema: describe('string', description),
  read: (value, name) => readList(value, name)?.map((said) => requireChoice(name, said, known)),
});

function requireChoice<Choice extends string>(name: string, said: string, known: readonly Choice[]): Choice {
  const found = known.find((one) => one === said.toLowerCase());
  if (found !== undefined) return found;
  throw new Error(`\`${name}\` does not know "${said.slice(0, 40)}". It knows: ${known.join(', ')}.`);
}

function readList(value: unknown, name: string): string[] | undefined {
  const parts = Array.isArray(value) ? value.slice(0, 1000) : (readText(value, name)?.split(/[,\s]+/) ?? []);
  const list = parts.filter((part) => typeof part === 'string' || typeof part === 'number').map((part) => String(part).trim());
  const found = list.filter((part) => part !== '' && part.length < 200);
  return found.length > 0 ? found : undefined;
}

/** Ids in their one spelling, each once. */
export const ids = (most: number, description?: string): Field<string[]> => ({
  schema: { ...describe('array'), items: { type: 'string' }, ...(description === undefined ? {} : { description }) },
  read: (value, name) => {
    const said = readList(value, name) ?? [];
    const found = said.map((one) => {
      const ref = parseRef(one);
      if (!ref) throw new Error(`"${one.slice(0, 40)}" is no id. Ids are like 123, S12 or P34; \`search\` finds them.`);
      return formatRef(ref);
    });
    if (found.length === 0) throw new Error('`ids` is missing. Give a list such as ["123", "S12"]; `search` finds ids.');
    if (found.length > most) throw new Error(`At most ${most} ids at once. Ask again with fewer.`);
    return [...new Set(found)];
  },
});
