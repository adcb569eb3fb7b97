// Parameters that several routes take.
import { z } from 'zod';
import { AskError } from '../../core/ask-error.ts';
import { formatRef, MEMORY_KINDS, type MemoryRef, parseRef } from '../../core/memory.ts';
import { OBSERVATION_TYPES } from '../../core/observation.ts';

export const Folder = z.string().min(1).max(4096).optional();

export const ProjectName = z.string().min(1).max(4096).optional().describe('A project by its name or its key');

export const SessionName = z.string().min(1).max(200).optional();

export const ScopeShape = {
  cwd: Folder.describe('A folder: its project, with what applies everywhere'),
  project: ProjectName,
  all: z.stringbool().optional().describe('Every project'),
};

/** Where a session would start. */
export const StartShape = { cwd: Folder.describe('The folder that the session starts in'), project: ProjectName };

export const RangeShape = {
  since: z.string().max(100).optional().describe('A date, a time, yesterday, monday, or how long ago: 2h, 3 days'),
  until: z.string().max(100).optional().describe('Like since; included'),
};

/** In the path of a route. */
export const SOME_IDS = 'Ids of memories, separated by commas';

/** Whoever does not say to be a person is an agent. */
export const By = z.enum(['user', 'agent']).default('agent').describe('Who says so; only a person may');

export const Id = z.union([z.string().min(1).max(40), z.int().positive().transform(String)]);

/** A whole number of the query. */
export const wholeNumber = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.int().min(least).max(most));

export const pageShape = (limit: number, most = 200) => ({
  limit: wholeNumber(1, most).default(limit).describe('At most so many'),
  offset: wholeNumber(0, 999_999_999).default(0).describe('Without the first so many'),
});

/** `a,b`; empty parts are nothing. */
const List = z.string().transform((text) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean),
);

export const listOf = <const Values extends readonly string[]>(values: Values, least = 1) =>
  List.pipe(z.array(z.enum(values)).min(least)).optional();

/** Types of observations and kinds of memories; `observation` stands for all its types. */
export const MemoryTypes = List.pipe(
  z
    .array(z.enum([...OBSERVATION_TYPES, ...MEMORY_KINDS]))
    .min(1)
    .overwrite((types) => [...new Set(types.flatMap((type) => (type === 'observation' ? OBSERVATION_TYPES : [type])))]),
)
  .optional()
  .describe('Only of these types and kinds; `observation` stands for all its types');

/** `123`, `S12`, `P34`. */
export function readRef(text: string): MemoryRef {
  const ref = parseRef(text);
  if (ref) return ref;
  const message = `"${text.slice(0, 60)}" is not the id of a memory.`;
  throw new AskError('invalid', message, 'Ids look like 123 (observation), S12 (summary) or P34 (prompt).');
}

/** Each once. */
export const readRefs = (texts: string[]): MemoryRef[] => [...new Map(texts.map(readRef).map((ref) => [formatRef(ref), ref])).values()];
