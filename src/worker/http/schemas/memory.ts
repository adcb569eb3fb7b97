// What the routes about memories answer.
import { z } from 'zod';
import type { CorrectionAnswer, DistrustAnswer, ReplaceAnswer } from '../../../core/correction.ts';
import { MEMORY_KINDS, type Memory, type MemoryRow, REPLACED_WHY, type ReplacedBy } from '../../../core/memory.ts';
import { OBSERVATION_TYPES, OUTCOMES } from '../../../core/observation.ts';
import type {
  BatchAnswer,
  ContradictionsAnswer,
  FileHistoryAnswer,
  ForgetAnswer,
  ForgetPreview,
  HiddenAnswer,
  ListAnswer,
  RecapAnswer,
  Receipt,
  SaveAnswer,
  TimelineAnswer,
  UnhideAnswer,
} from '../../../core/search.ts';
import type { RollUp } from '../../../core/session.ts';
import type { Page } from '../../../store/memories/memory-lists.ts';
import { PageFields, pageOf } from './page.ts';
import { sameAs } from './same-as.ts';

const Id = z.string().describe('123 is an observation, S12 a summary, P34 a prompt');

const ReplacedBySchema = sameAs<ReplacedBy>()(
  z.object({
    id: Id.describe('The newest that stands in its place'),
    isCertain: z.boolean().describe('False: it only may be replaced'),
    why: z.enum(REPLACED_WHY),
    words: z.string().nullable().describe('The words or the changed line that show it'),
    at: z.number().describe('Since when, epoch ms'),
    session: z.string().nullable().describe('In which session; null when a person or a commit says so'),
  }),
).meta({ id: 'ReplacedBy' });

export const MemoryRowSchema = sameAs<MemoryRow>()(
  z.object({
    id: Id,
    kind: z.enum(MEMORY_KINDS),
    type: z.enum([...OBSERVATION_TYPES, 'summary', 'prompt']),
    title: z.string(),
    at: z.number().describe('Epoch ms'),
    project: z.string(),
    session: z.string().describe("The host's own id of the session"),
    file: z.string().nullable(),
    tokens: z.number().describe('What reading all of it costs'),
    outcome: z.enum(OUTCOMES).nullable(),
    isFromOutside: z.boolean(),
    isAgentNote: z.literal(true).optional(),
    isByOthers: z.literal(true).optional(),
    isPinned: z.literal(true).optional(),
    isWrong: z.literal(true).optional(),
    isQuarantined: z.literal(true).optional(),
    isDistrusted: z.literal(true).optional(),
    replacedBy: ReplacedBySchema.nullable().describe('What stands in its place, or may do so'),
  }),
).meta({ id: 'MemoryRow' });

const Text = z.string().nullable();

export const MemorySchema = sameAs<Memory>()(
  z.object({
    ...MemoryRowSchema.shape,
    subtitle: Text,
    narrative: Text,
    facts: z.array(z.string()),
    concepts: z.array(z.string()),
    filesRead: z.array(z.string()),
    filesModified: z.array(z.string()),
    branch: Text,
    promptNumber: z.int().nullable(),
    summary: z
      .object({ request: Text, investigated: Text, learned: Text, completed: Text, nextSteps: Text, notes: Text })
      .nullable(),
    text: Text,
    turn: Text.describe('The prompt (P34) under which the record of its turn is read'),
    record: Text.describe("A prompt's, read by its id: what was said and done in its turn, in plain words"),
    recordLeft: z.int().optional().describe('How many characters of the record are left out'),
    commit: z.string().optional(),
  }),
).meta({ id: 'Memory' });

export const MemoryPageSchema = sameAs<Page<MemoryRow>>()(pageOf(MemoryRowSchema));

export const TimelineAnswerSchema = sameAs<TimelineAnswer>()(
  z.object({
    anchor: z.string().nullable(),
    items: z.array(MemoryRowSchema),
    record: z
      .object({ id: Id, text: z.string(), left: z.int() })
      .nullable()
      .describe('Of an anchor that is a prompt: what was said and done in its turn'),
    note: Text,
  }),
);

export const BatchAnswerSchema = sameAs<BatchAnswer>()(
  z.object({ memories: z.array(MemorySchema), missing: z.array(Id) }),
);

export const FileHistoryAnswerSchema = sameAs<FileHistoryAnswer>()(
  z.object({
    path: z.string(),
    earlierNames: z.array(z.string()),
    results: z.array(z.object({ ...MemoryRowSchema.shape, did: z.enum(['changed', 'read']) })),
    ...PageFields,
  }),
);

export const ContradictionsSchema = sameAs<ContradictionsAnswer>()(
  z.object({
    items: z.array(
      z.object({
        newer: MemoryRowSchema,
        older: MemoryRowSchema.describe('May be replaced by it'),
        why: z.enum(REPLACED_WHY),
        words: z.string().nullable().describe('The words or the changed line that show it'),
        at: z.number(),
      }),
    ),
  }),
);

export const RollUpSchema = sameAs<RollUp>()(
  z.object({
    done: z.array(MemoryRowSchema),
    decided: z.array(MemoryRowSchema),
    open: z
      .array(z.object({ text: z.string(), id: Id, at: z.number() }))
      .describe('Announced, and nothing has ended it'),
  }),
).meta({ id: 'RollUp' });

export const RecapAnswerSchema = sameAs<RecapAnswer>()(
  z.object({
    since: z.number(),
    until: z.number(),
    projects: z.array(z.object({ project: z.string(), sessions: z.int(), ...RollUpSchema.shape })),
  }),
);

export const SaveAnswerSchema = sameAs<SaveAnswer>()(
  z.object({ id: Id, title: z.string(), project: z.string(), isNew: z.boolean() }),
);

const ReceiptSchema = sameAs<Receipt>()(
  z.object({
    at: z.string(),
    ids: z.array(Id).describe('Of memories that were named'),
    sessions: z.int().describe('Whole sessions'),
    observations: z.int(),
    summaries: z.int(),
    prompts: z.int(),
    records: z.int().describe('Whole records of turns'),
    paragraphs: z.int().describe('Paragraphs and steps taken out of records that stay'),
    events: z.int(),
    words: z.int(),
    vectors: z.int(),
    tombstones: z.int(),
    backups: z.int().describe('Copies of the memory that it went from, too'),
    remains: z.int(),
    remainsIn: z.array(z.string()),
    alsoSaidBy: z.array(Id),
  }),
).meta({ id: 'Receipt' });

export const ForgetAnswerSchema = sameAs<ForgetAnswer>()(
  z.union([
    z.object({ state: z.literal('hidden'), ids: z.array(Id), next: z.string() }),
    z.object({ state: z.literal('erased'), receipt: ReceiptSchema }),
  ]),
);

export const ForgetPreviewSchema = sameAs<ForgetPreview>()(
  z.object({
    scope: z.string(),
    sessions: z.int(),
    observations: z.int(),
    summaries: z.int(),
    prompts: z.int(),
    records: z.int(),
    memories: z.array(MemoryRowSchema).describe('The newest of them'),
    ids: z.array(Id).describe('Of memories that were found one by one'),
  }),
);

export const UnhideAnswerSchema = sameAs<UnhideAnswer>()(z.object({ ids: z.array(Id) }));

export const HiddenAnswerSchema = sameAs<HiddenAnswer>()(
  z.object({ memories: z.array(z.object({ ...MemoryRowSchema.shape, hiddenAt: z.string() })), ...PageFields }),
);

export const ListAnswerSchema = sameAs<ListAnswer>()(z.object({ memories: z.array(MemoryRowSchema) }));

export const CorrectionAnswerSchema = sameAs<CorrectionAnswer>()(z.object({ memory: MemorySchema }));

export const ReplaceAnswerSchema = sameAs<ReplaceAnswer>()(
  z.object({
    older: MemoryRowSchema,
    newer: z.array(MemoryRowSchema).describe('Of each pair that changed'),
    state: z.enum(['replaced', 'both hold', 'undone']),
  }),
);

export const DistrustAnswerSchema = sameAs<DistrustAnswer>()(
  z.object({
    sources: z.array(z.object({ source: z.string(), since: z.string(), memories: z.int() })),
    source: z.string().optional(),
    isChanged: z.boolean().optional(),
  }),
);
