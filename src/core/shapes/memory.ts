// What the routes about memories answer.
import { z } from 'zod';
import { MEMORY_KINDS, OUTCOME_WHY, REPLACED_WHY, RULE_CHANGES } from '../memory.ts';
import { OBSERVATION_TYPES, OUTCOMES } from '../observation.ts';
import { ints, lists, marks, PageFields, pageOf, Text, texts } from './fields.ts';
import { SessionPageSchema } from './project.ts';

const Id = z.string().describe('123 is an observation, S12 a summary, P34 a prompt');

const ReplacedBySchema = z
  .object({
    id: Id.describe('The newest that stands in its place'),
    isCertain: z.boolean().describe('False: it only may be replaced'),
    why: z.enum(REPLACED_WHY),
    words: z.string().nullable().describe('The words or the changed line that show it'),
    at: z.number().describe('Since when, epoch ms'),
    session: z.string().nullable().describe('In which session; null when a person or a commit says so'),
  })
  .meta({ id: 'ReplacedBy' });
export type ReplacedBy = z.output<typeof ReplacedBySchema>;

export const MemoryRowSchema = z
  .object({
    id: Id,
    kind: z.enum(MEMORY_KINDS),
    type: z.enum([...OBSERVATION_TYPES, 'summary', 'prompt']),
    title: z.string(),
    at: z.number().describe('Epoch ms'),
    project: z.string(),
    session: z.string().nullable().describe("The agent's own id of the session; null for a note, a commit and what a team published"),
    agent: z.string().optional().describe('Whose, if not of Claude Code: codex, gemini, opencode, cursor, vscode, team/NAME'),
    file: z.string().nullable(),
    tokens: z.number().describe('What reading all of it costs'),
    outcome: z.enum(OUTCOMES).nullable(),
    isFromOutside: z.boolean(),
    ...marks('isAgentNote', 'isByOthers', 'isPinned', 'isWrong', 'isQuarantined', 'isDistrusted'),
    replacedBy: ReplacedBySchema.nullable().describe('What stands in its place, or may do so'),
  })
  .meta({ id: 'MemoryRow' });
export type MemoryRow = z.output<typeof MemoryRowSchema>;

export const MemorySchema = z
  .object({
    ...MemoryRowSchema.shape,
    ...texts('subtitle', 'narrative', 'text', 'branch'),
    ...lists('facts', 'concepts', 'filesRead', 'filesModified'),
    promptNumber: z.int().nullable(),
    summary: z.object(texts('request', 'investigated', 'learned', 'completed', 'nextSteps', 'notes')).nullable(),
    turn: Text.describe('The prompt (P34) under which the record of its turn is read'),
    record: Text.describe("A prompt's, read by its id: what was said and done in its turn, in plain words"),
    recordLeft: z.int().optional().describe('How many characters of the record are left out'),
    outcomeBy: z
      .object({ why: z.enum(OUTCOME_WHY), turn: Id, at: z.number().describe('Since when, epoch ms') })
      .optional()
      .describe('The later turn that decided the outcome'),
    commit: z.string().optional(),
  })
  .meta({ id: 'Memory' });
export type Memory = z.output<typeof MemorySchema>;

export const MemoryPageSchema = pageOf(MemoryRowSchema);

export const FeedAnswerSchema = z.object({
  memories: z.array(MemorySchema),
  heads: z.array(MemoryRowSchema).describe('The prompts of their turns that are not among them'),
  sessions: z.array(
    z.object({
      session: z.string(),
      title: Text,
      host: z.string(),
      key: z.string().describe("Its project's: two projects may have one name"),
    }),
  ),
  next: Text.describe('For the next page'),
});
export type FeedAnswer = z.output<typeof FeedAnswerSchema>;

export const TimelineAnswerSchema = z.object({
  anchor: z.string().nullable(),
  items: z.array(MemoryRowSchema),
  record: z
    .object({ id: Id, text: z.string(), left: z.int() })
    .nullable()
    .describe('Of an anchor that is a prompt: what was said and done in its turn'),
  note: Text,
});
export type TimelineAnswer = z.output<typeof TimelineAnswerSchema>;

export const BatchAnswerSchema = z.object({ memories: z.array(MemorySchema), missing: z.array(Id) });
export type BatchAnswer = z.output<typeof BatchAnswerSchema>;

export const FileHistoryAnswerSchema = z.object({
  path: z.string(),
  earlierNames: z.array(z.string()),
  results: z.array(z.object({ ...MemoryRowSchema.shape, did: z.enum(['changed', 'read']) })),
  ...PageFields,
});
export type FileHistoryAnswer = z.output<typeof FileHistoryAnswerSchema>;

export const ContradictionsSchema = z.object({
  items: z.array(
    z.object({
      newer: MemoryRowSchema,
      older: MemoryRowSchema.describe('May be replaced by it'),
      why: z.enum(REPLACED_WHY),
      words: z.string().nullable().describe('The words or the changed line that show it'),
      at: z.number(),
    }),
  ),
});
export type ContradictionsAnswer = z.output<typeof ContradictionsSchema>;

const RollUpSchema = z
  .object({
    done: z.array(MemoryRowSchema),
    decided: z.array(MemoryRowSchema),
    open: z.array(z.object({ text: z.string(), id: Id, at: z.number() })).describe('Announced, and nothing has ended it'),
  })
  .meta({ id: 'RollUp' });
export type RollUp = z.output<typeof RollUpSchema>;

export const RecapAnswerSchema = z.object({
  since: z.number(),
  until: z.number(),
  projects: z.array(z.object({ project: z.string(), sessions: z.int(), ...RollUpSchema.shape })),
});
export type RecapAnswer = z.output<typeof RecapAnswerSchema>;

export const SaveAnswerSchema = z.object({ id: Id, title: z.string(), project: z.string(), isNew: z.boolean() });
export type SaveAnswer = z.output<typeof SaveAnswerSchema>;

const ReceiptSchema = z
  .object({
    at: z.string(),
    ids: z.array(Id).describe('Of memories that were named'),
    sessions: z.int().describe('Whole sessions'),
    ...ints('observations', 'summaries', 'prompts', 'events', 'words', 'vectors', 'tombstones', 'remains'),
    records: z.int().describe('Whole records of turns'),
    paragraphs: z.int().describe('Paragraphs and steps taken out of records that stay'),
    backups: z.int().describe('Copies of the memory that it went from, too'),
    remainsIn: z.array(z.string()),
    alsoSaidBy: z.array(Id),
  })
  .meta({ id: 'Receipt' });
export type Receipt = z.output<typeof ReceiptSchema>;

export const ForgetAnswerSchema = z.union([
  z.object({ state: z.literal('hidden'), ids: z.array(Id), next: z.string() }),
  z.object({ state: z.literal('erased'), receipt: ReceiptSchema }),
]);
export type ForgetAnswer = z.output<typeof ForgetAnswerSchema>;

export const ForgetPreviewSchema = z.object({
  scope: z.string(),
  ...ints('sessions', 'observations', 'summaries', 'prompts', 'records'),
  memories: z.array(MemoryRowSchema).describe('The newest of them'),
  ids: z.array(Id).describe('Of memories that were found one by one'),
});
export type ForgetPreview = z.output<typeof ForgetPreviewSchema>;

export const UnhideAnswerSchema = z.object({ ids: z.array(Id) });
export type UnhideAnswer = z.output<typeof UnhideAnswerSchema>;

export const HiddenAnswerSchema = z.object({
  memories: z.array(z.object({ ...MemoryRowSchema.shape, hiddenAt: z.string() })),
  ...PageFields,
});
export type HiddenAnswer = z.output<typeof HiddenAnswerSchema>;

export const ListAnswerSchema = z.object({ memories: z.array(MemoryRowSchema) });
export type ListAnswer = z.output<typeof ListAnswerSchema>;

export const CorrectionAnswerSchema = z.object({ memory: MemorySchema });
export type CorrectionAnswer = z.output<typeof CorrectionAnswerSchema>;

export const ReplaceAnswerSchema = z.object({
  older: MemoryRowSchema,
  newer: z.array(MemoryRowSchema).describe('Of each pair that changed'),
  state: z.enum(['replaced', 'both hold', 'undone']),
});
export type ReplaceAnswer = z.output<typeof ReplaceAnswerSchema>;

export const DistrustAnswerSchema = z.object({
  sources: z.array(z.object({ source: z.string(), since: z.string(), memories: z.int() })),
  source: z.string().optional(),
  isChanged: z.boolean().optional(),
});
export type DistrustAnswer = z.output<typeof DistrustAnswerSchema>;
export type DistrustedSource = DistrustAnswer['sources'][number];

const WholeSessionSchema = z.object({
  ...SessionPageSchema.shape.items.element.shape,
  endReason: Text,
  completedAt: z.number().nullable(),
  cwd: z.string(),
  firstPrompt: Text,
});
export type WholeSession = z.output<typeof WholeSessionSchema>;

const ToolSchema = z.object({
  id: z.string(),
  tool: Text.describe('Null once its payload is past its retention'),
  subject: Text.describe('A file, the head of a command, a question: one line'),
  at: z.number(),
  status: z.enum(['pending', 'done', 'skipped', 'quarantined']),
  isError: z.boolean(),
  observations: z.array(z.string()).describe('Those that rest on it'),
});
export type SessionTool = z.output<typeof ToolSchema>;

const TurnSchema = z.object({
  number: z.int().describe('0 is before the first prompt'),
  prompt: z.object({ id: z.string(), text: z.string(), at: z.number() }).nullable(),
  isPrivate: z.boolean(),
  tools: z.array(ToolSchema),
  moreTools: z.int(),
  observations: z.array(MemorySchema),
  moreObservations: z.int(),
  summary: MemorySchema.nullable(),
});
export type SessionTurn = z.output<typeof TurnSchema>;

export const WholeSessionAnswerSchema = z.object({
  session: WholeSessionSchema,
  rollUp: RollUpSchema,
  turns: z.array(TurnSchema),
  ...PageFields,
});
export type SessionPage = z.output<typeof WholeSessionAnswerSchema>;

const RuleRowSchema = z
  .object({
    id: z.string(),
    text: z.string().describe('As the user said it, in its newest wording'),
    project: z.string().nullable().describe('Null: it applies in every project'),
    at: z.number().describe('When it was said last, epoch ms'),
    times: z.int().describe('How often it was said'),
  })
  .meta({ id: 'Rule' });
export type RuleRow = z.output<typeof RuleRowSchema>;

export const RulesAnswerSchema = z.object({
  project: z.string().nullable(),
  rules: z.array(RuleRowSchema),
  offers: z.array(z.object({ ...RuleRowSchema.shape, why: z.enum(['maybe', 'several-projects']) })),
});
export type RulesAnswer = z.output<typeof RulesAnswerSchema>;
export type RuleOffer = RulesAnswer['offers'][number];

export const RuleChangeAnswerSchema = z.object({
  rule: RuleRowSchema,
  change: z.enum(RULE_CHANGES),
  others: z.array(z.string()).describe('What said the same and changed with it'),
});
export type RuleChangeAnswer = z.output<typeof RuleChangeAnswerSchema>;
