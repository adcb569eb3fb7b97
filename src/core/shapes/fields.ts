// Fields that many shapes have: several of one kind by their names, and a page of a list.
import { z } from 'zod';

export const fields = <Field extends z.ZodType, const Names extends readonly string[]>(field: () => Field, names: Names) =>
  Object.fromEntries(names.map((name) => [name, field()])) as Record<Names[number], Field>;

export const ints = <const Names extends readonly string[]>(...names: Names) => fields(() => z.int(), names);

export const numbers = <const Names extends readonly string[]>(...names: Names) => fields(() => z.number(), names);

export const Text = z.string().nullable();

export const texts = <const Names extends readonly string[]>(...names: Names) => fields(() => Text, names);

export const lists = <const Names extends readonly string[]>(...names: Names) => fields(() => z.array(z.string()), names);

/** True, or not there at all. */
export const marks = <const Names extends readonly string[]>(...names: Names) => fields(() => z.literal(true).optional(), names);

/** `total`: how many there are in all. */
export const PageFields = ints('total', 'limit', 'offset');

export const pageOf = <Item extends z.ZodType>(item: Item) => z.object({ items: z.array(item), ...PageFields });

export const ErrorSchema = z
  .object({
    error: z.string().describe('What is wrong'),
    hint: z.string().describe('What to do about it'),
    candidates: z.array(z.string()).optional().describe('Which of these may be meant'),
  })
  .meta({ id: 'Error' });
