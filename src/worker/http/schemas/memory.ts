// What the routes about memories answer.
import { z } from 'zod';
import type { CorrectionAnswer, DistrustAnswer } from '../../../core/correction.ts';
import { MEMORY_KINDS, type Memory, type MemoryRow } from '../../../core/memory.ts';
import { OBSERVATION_TYPES, OUTCOMES } from '../../../core/observation.ts';
import type {
  BatchAnswer,
  FileHistoryAnswer,
  ForgetAnswer,
  HiddenAnswer,
  ListAnswer,
  RecapAnswer,
  Receipt,
  SaveAnswer,
  TimelineAnswer,
  UnhideAnswer,
} from '../../../core/search.ts';
import type { Page } from '../../../store/memories/memory-lists.ts';
import { PageFields, pageOf } from './page.ts';
import { sameAs } from './same-as.ts';

const Id = z.string().describe('123 is an observation, S12 a summary, P34 a prompt');

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
    supersededBy: z.string().nullable(),
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
    commit: z.string().optional(),
  }),
).meta({ id: 'Memory' });

export const MemoryPageSchema = sameAs<Page<MemoryRow>>()(pageOf(MemoryRowSchema));

export const TimelineAnswerSchema = sameAs<TimelineAnswer>()(
  z.object({ anchor: z.string().nullable(), items: z.array(MemoryRowSchema), note: Text }),
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

export const RecapAnswerSchema = sameAs<RecapAnswer>()(
  z.object({
    since: z.number(),
    until: z.number(),
    projects: z.array(
      z.object({
        project: z.string(),
        sessions: z.int(),
        done: z.array(MemoryRowSchema),
        decided: z.array(MemoryRowSchema),
        open: z.array(z.object({ text: z.string(), id: Id, at: z.number() })),
      }),
    ),
  }),
);

export const SaveAnswerSchema = sameAs<SaveAnswer>()(
  z.object({ id: Id, title: z.string(), project: z.string(), isNew: z.boolean() }),
);

const ReceiptSchema = sameAs<Receipt>()(
  z.object({
    at: z.string(),
    ids: z.array(Id),
    observations: z.int(),
    summaries: z.int(),
    prompts: z.int(),
    events: z.int(),
    words: z.int(),
    vectors: z.int(),
    tombstones: z.int(),
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

export const UnhideAnswerSchema = sameAs<UnhideAnswer>()(z.object({ ids: z.array(Id) }));

export const HiddenAnswerSchema = sameAs<HiddenAnswer>()(
  z.object({ memories: z.array(z.object({ ...MemoryRowSchema.shape, hiddenAt: z.string() })), ...PageFields }),
);

export const ListAnswerSchema = sameAs<ListAnswer>()(z.object({ memories: z.array(MemoryRowSchema) }));

export const CorrectionAnswerSchema = sameAs<CorrectionAnswer>()(z.object({ memory: MemorySchema }));

export const DistrustAnswerSchema = sameAs<DistrustAnswer>()(
  z.object({
    sources: z.array(z.object({ source: z.string(), since: z.string(), memories: z.int() })),
    source: z.string().optional(),
    isChanged: z.boolean().optional(),
  }),
);
