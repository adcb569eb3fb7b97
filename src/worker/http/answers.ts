// What every route shares: parameters and bodies by a schema, and errors of one shape.
import type { Context, ErrorHandler } from 'hono';
import { z } from 'zod';
import { AskError, type AskErrorKind } from '../../core/ask-error.ts';
import { MEMORY_KINDS, type MemoryRef, parseRef } from '../../core/memory.ts';
import { OBSERVATION_TYPES } from '../../core/observation.ts';
import type { Log } from '../../log.ts';
import { describeIssue } from './describe-issue.ts';

const STATUS = { invalid: 400, unknown: 404, ambiguous: 409, conflict: 409 } as const satisfies Record<
  AskErrorKind,
  number
>;

/** `{error, hint}`, with `candidates` where there are some. Only a fault of our own is a 500. */
export function answerError(log: Log): ErrorHandler {
  return (error, c) => {
    if (error instanceof AskError) {
      const { message, hint, candidates, kind } = error;
      return c.json({ error: message, hint, ...(candidates.length > 0 ? { candidates } : {}) }, STATUS[kind]);
    }
    log.error('a request could not be answered', { path: c.req.path, error: error.stack ?? String(error) });
    return c.json({ error: 'The worker failed to answer.', hint: 'See `claude-mem logs`.' }, 500);
  };
}

/** Each parameter once, none that is not known. */
export function readQuery<Shape extends z.ZodRawShape>(c: Context, shape: Shape): z.output<z.ZodObject<Shape>> {
  const given: Record<string, string> = {};
  for (const [name, values] of Object.entries(c.req.queries())) {
    if (values.length > 1) throw new AskError('invalid', `${name} is given twice.`, 'Give it once.');
    given[name] = values[0] ?? '';
  }
  return check(z.strictObject(shape), given, 'parameter');
}

export async function readBody<Shape extends z.ZodRawShape>(
  c: Context,
  shape: Shape,
  { isLoose = false } = {},
): Promise<z.output<z.ZodObject<Shape>>> {
  let body: unknown;
  try {
    body = await c.req.json();
  } catch {
    // How it is broken helps nobody.
    throw new AskError('invalid', 'The body is not JSON.', `Send an object with ${Object.keys(shape).join(', ')}.`);
  }
  return check(isLoose ? z.object(shape) : z.strictObject(shape), body, 'field');
}

function check<Schema extends z.ZodObject>(schema: Schema, value: unknown, noun: string): z.output<Schema> {
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const known = `Known: ${Object.keys(schema.shape).join(', ')}.`;
  if (issue?.code === 'unrecognized_keys') {
    throw new AskError('invalid', `There is no ${noun} ${issue.keys[0]?.slice(0, 60)}.`, known);
  }
  const { message, hint } = issue ? describeIssue(issue) : { message: `A ${noun} cannot be read.`, hint: null };
  throw new AskError('invalid', message, hint ?? known);
}

export const ScopeShape = {
  cwd: z.string().min(1).max(4096).optional().describe('A folder: its project, with what holds everywhere'),
  project: z.string().min(1).max(4096).optional().describe('A project by its name or its key'),
  all: z.stringbool().optional().describe('Every project'),
};

/** Where a session would start. */
export const StartShape = {
  cwd: z.string().min(1).max(4096).optional().describe('The folder that the session starts in'),
  project: z.string().min(1).max(4096).optional().describe('Instead of a folder: a project by its name or its key'),
};

export const RangeShape = {
  since: z.string().max(100).optional().describe('A date, a time, yesterday, monday, or how long ago: 2h, 3 days'),
  until: z.string().max(100).optional().describe('Like since; included'),
};

/** In the path of a route. */
export const SOME_IDS = 'Ids of memories, separated by commas';

/** A whole number of the query. */
export const wholeNumber = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/)
    .transform(Number)
    .pipe(z.int().min(least).max(most));

const MAX_LIMIT = 200;

export const pageShape = (limit: number) => ({
  limit: wholeNumber(1, MAX_LIMIT).default(limit).describe('At most so many'),
  offset: wholeNumber(0, 999_999_999).default(0).describe('Without the first so many'),
});

/** `a,b`; empty parts are nothing. */
export const List = z.string().transform((text) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean),
);

export const ObservationTypes = List.pipe(z.array(z.enum(OBSERVATION_TYPES)).min(1))
  .optional()
  .describe('Only of these types');

/** Types of observations and kinds of memories; `observation` stands for all its types. */
export const MemoryTypes = List.pipe(z.array(z.enum([...OBSERVATION_TYPES, ...MEMORY_KINDS])).min(1))
  .transform((types) => [...new Set(types.flatMap((type) => (type === 'observation' ? OBSERVATION_TYPES : [type])))])
  .optional()
  .describe('Only of these types and kinds; `observation` stands for all its types');

/** `123`, `S12`, `P34`. */
export function readRef(text: string): MemoryRef {
  const ref = parseRef(text);
  if (ref) return ref;
  const message = `"${text.slice(0, 60)}" is not the id of a memory.`;
  throw new AskError('invalid', message, 'Ids look like 123 (observation), S12 (summary) or P34 (prompt).');
}
