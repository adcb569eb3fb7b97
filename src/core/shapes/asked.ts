// What the routes about memories are asked: the fields that several of them take, and of each what the CLI and the tools ask it by.
import { z } from 'zod';
import { AskError } from '../ask-error.ts';
import { CONTEXT_SECTIONS } from '../context.ts';
import { formatRef, MEMORY_KINDS, type MemoryRef, parseRef, REPLACED_WHY, RULE_CHANGES } from '../memory.ts';
import { OBSERVATION_TYPES } from '../observation.ts';
import { DEFAULT_DEPTH, DEFAULT_LIMIT, MOST_DEPTH } from '../search.ts';

type Fields<Shape extends z.ZodRawShape> = { [Name in keyof Shape]: z.output<Shape[Name]> };
/** As it is asked: what is not said is left out. `Needed` is always said. */
type Asked<Shape extends z.ZodRawShape, Needed extends keyof Shape = never> = Partial<Fields<Shape>> & Pick<Fields<Shape>, Needed>;
/** The worker says which types there are. */
type OfTypes<Question> = Omit<Question, 'type'> & { type?: string[] | undefined };

export const Folder = z.string().min(1).max(4096).optional();

export const ProjectName = z.string().min(1).max(4096).optional().describe('A project by its name or its key');

export const SessionName = z.string().min(1).max(200).optional();

export const ScopeShape = {
  cwd: Folder.describe('A folder: its project, with what applies everywhere'),
  project: ProjectName,
  all: z.stringbool().optional().describe('Every project'),
};

export const StartShape = { cwd: Folder.describe('The folder that the session starts in'), project: ProjectName };

export const RangeShape = {
  since: z.string().max(100).optional().describe('A date, a time, yesterday, monday, or how long ago: 2h, 3 days'),
  until: z.string().max(100).optional().describe('Like since; included'),
};

export const SOME_IDS = 'Ids of memories, separated by commas';

export const By = z.enum(['user', 'agent']).default('agent').describe('Who says so; only a person may');

export const Id = z.union([z.string().min(1).max(40), z.int().positive().transform(String)]);

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

export function readRef(text: string): MemoryRef {
  const ref = parseRef(text);
  if (ref) return ref;
  const message = `"${text.slice(0, 60)}" is not the id of a memory.`;
  throw new AskError('invalid', message, 'Ids look like 123 (observation), S12 (summary) or P34 (prompt).');
}

export const readRefs = (texts: string[]): MemoryRef[] => [...new Map(texts.map(readRef).map((ref) => [formatRef(ref), ref])).values()];

export const FilterShape = {
  ...ScopeShape,
  ...RangeShape,
  query: z.string().max(100_000).default('').describe('A question, words or a name; empty: all that the filters leave'),
  type: MemoryTypes,
  concept: z.string().min(1).max(200).optional().describe('Only with this concept'),
  file: z.string().min(1).max(4096).optional().describe('Only about this file: a path, or the end of one'),
  session: SessionName.describe("Only of this session, by the agent's id or the beginning of it"),
  branch: z.string().min(1).max(200).optional().describe('Only of this branch'),
};

export const SearchShape = {
  ...FilterShape,
  ...pageShape(DEFAULT_LIMIT),
  order: z.enum(['relevance', 'date']).default('relevance').describe('The best first, or the newest'),
  why: z.stringbool().default(false).describe('Each hit with the reasons for its place'),
  given: z.string().max(10_000).default('').describe('A note that the asker has: what it says is not said again'),
};
export type SearchParameters = OfTypes<Asked<typeof SearchShape, 'query'>>;

export const TimelineShape = {
  ...ScopeShape,
  anchor: z.string().min(1).max(100).optional().describe('An id like 123, S12 or P34, or a time'),
  query: z.string().min(1).max(10_000).optional().describe('Instead of an anchor: around what answers this best'),
  depth_before: wholeNumber(0, MOST_DEPTH).default(DEFAULT_DEPTH).describe('So many before it'),
  depth_after: wholeNumber(0, MOST_DEPTH).default(DEFAULT_DEPTH).describe('So many after it'),
  type: MemoryTypes,
};
export type TimelineParameters = OfTypes<Asked<typeof TimelineShape>>;

export const RecapShape = { ...ScopeShape, ...RangeShape };
export type RecapParameters = Asked<typeof RecapShape>;

export const HistoryShape = {
  ...ScopeShape,
  ...pageShape(40),
  path: z.string().min(1).max(4096).describe('Of the file: absolute, or below cwd or the project'),
};
export type HistoryParameters = Asked<typeof HistoryShape, 'path'>;

export const PreviewShape = {
  ...StartShape,
  prompt: z.string().min(1).max(100_000).optional().describe('As if this were its first prompt'),
  file: z.string().min(1).max(4096).optional().describe('As if this file were about to be edited'),
  // Instead of the settings of these names, with the same bounds: to see what a change of them would do.
  tokens: wholeNumber(200, 10_000).optional().describe('Instead of the setting contextTokens'),
  sections: listOf(CONTEXT_SECTIONS, 0).describe('Instead of the setting contextSections'),
  types: listOf(OBSERVATION_TYPES, 0).describe('Instead of the setting contextTypes'),
  index: wholeNumber(0, 200).optional().describe('Instead of the setting contextIndex'),
  full: wholeNumber(0, 30).optional().describe('Instead of the setting contextFull'),
  sessions: wholeNumber(0, 50).optional().describe('Instead of the setting contextSessions'),
};
export type PreviewParameters = Asked<typeof PreviewShape>;

export const SaveShape = {
  text: z.string().max(100_000).describe('What to remember'),
  title: z.string().max(1000).optional().describe('Else the first sentence is it'),
  type: z.enum(OBSERVATION_TYPES).optional().describe('Else it is read from the text'),
  cwd: Folder.describe('A folder of the project that it is about'),
  project: ProjectName,
  global: z.boolean().optional().describe('It applies in every project'),
  by: By.describe('Whoever does not say to be a person is believed as an agent is'),
};
export type SaveParameters = Asked<typeof SaveShape, 'text'>;

/** What is not given stays. */
export const CorrectionShape = {
  pinned: z.boolean().optional().describe('Always included'),
  wrong: z.boolean().optional().describe('Incorrect: found, with a mark, and never added to a context'),
  title: z.string().max(1000).optional().describe('A new title'),
  subtitle: z
    .string()
    .max(4000)
    .nullable()
    .optional()
    .describe('A new subtitle; null takes it away, and so does a new title or narrative unless this is given'),
  narrative: z.string().max(100_000).nullable().optional().describe('A new text; null takes it away'),
  facts: z.array(z.string().max(4000)).max(100).optional().describe('New facts, all of them'),
  type: z.enum(OBSERVATION_TYPES).optional().describe('Another type'),
  supersededBy: Id.nullable()
    .optional()
    .describe('As POST /api/memory/replace: the id of the observation that holds instead; null: it still holds'),
  by: By,
};
export type CorrectionParameters = Asked<typeof CorrectionShape>;

export const ReplaceShape = {
  older: Id.describe('123, P34 for a turn, or S12'),
  newer: Id.optional().describe('What holds instead: 123, or P34 for a turn'),
  bothHold: z.boolean().default(false).describe('Neither replaces the other, and no rule says so again'),
  undo: z.boolean().default(false).describe('The older is not replaced: by the newer, or by anything'),
  doubt: z
    .object({ why: z.enum(REPLACED_WHY), words: z.string().max(1000).nullable() })
    .optional()
    .describe('The pair is undecided again, for the reason that /api/contradictions gave'),
  by: By,
};
export type ReplaceParameters = Asked<typeof ReplaceShape, 'older'>;

export const BlockShape = {
  source: z.string().min(1).max(300).describe('session:ID, origin:web, host:NAME, or the id of a memory'),
  trusted: z.boolean().default(false).describe('True: trusted again'),
  by: By,
};
export type BlockParameters = Asked<typeof BlockShape, 'source'>;

export const RulesShape = {
  cwd: Folder.describe('A folder of the project'),
  project: ProjectName,
  global: z.stringbool().default(false).describe('Only those that apply in every project'),
};
export type RulesParameters = Asked<typeof RulesShape>;

export const RuleShape = {
  id: Id.describe('Its id, like 123'),
  change: z.enum(RULE_CHANGES).describe('accept: it is a rule; remove: no session gets it any more; promote: it applies in every project'),
  by: By,
};
export type RuleParameters = Asked<typeof RuleShape, 'id' | 'change'>;

export const ForgetShape = {
  session: SessionName.describe("A session, by the agent's id of it or how that begins"),
  project: ProjectName,
  matching: z.string().min(1).max(1000).optional().describe('All that has this text in it, whatever the case'),
};
/** Exactly one of them. */
export type ForgetScope = Asked<typeof ForgetShape>;

export const Ids = z.array(z.string()).min(1).describe('Like 123, S12 and P34');

export const EndShape = {
  minutes: z.number().positive().max(5_256_000).optional().describe('For so long; without an end until it is ended'),
  until: z.string().max(100).optional().describe('An ISO time'),
};

/** Whose pause: of everything unless something is named. */
export const WhoseShape = {
  session: SessionName.describe("Of this session, by the agent's id"),
  cwd: Folder.describe('Of the project of this folder'),
  project: ProjectName,
};
export type Whose = Asked<typeof WhoseShape>;
