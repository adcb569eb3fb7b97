// What the routes of what a session is told answer.
import { z } from 'zod';
import { CONTEXT_SECTIONS } from '../context.ts';
import { MEMORY_KINDS } from '../memory.ts';
import { OBSERVATION_TYPES } from '../observation.ts';

const OccasionSchema = z.enum(['start', 'first-prompt', 'edit', 'error']);
const ToldKind = z.enum([...MEMORY_KINDS, 'session']);

const ToldRecordSchema = z
  .object({
    id: z.string(),
    kind: ToldKind,
    section: z.enum([...CONTEXT_SECTIONS, 'rules', 'recall', 'file', 'error']),
    text: z.string(),
    tokens: z.number(),
    freshness: z.string().nullable(),
    why: z.array(z.string()),
    value: z.number(),
    replaced: z.array(z.string()).describe('The ids of what it replaced'),
    lastGivenAt: z.number().nullable().describe('When a session was last given it'),
  })
  .meta({ id: 'ToldRecord' });
export type ToldRecord = z.output<typeof ToldRecordSchema>;

export const PreviewAnswerSchema = z.object({
  occasion: OccasionSchema,
  project: z.string(),
  text: z.string(),
  tokens: z.number(),
  characters: z.int(),
  budgetTokens: z.number(),
  settings: z
    .object({
      tokens: z.int(),
      sections: z.array(z.enum(CONTEXT_SECTIONS)),
      types: z.array(z.enum(OBSERVATION_TYPES)),
      index: z.int(),
      full: z.int(),
      sessions: z.int(),
    })
    .describe('What is set for this project, whatever was asked for instead'),
  records: z.array(ToldRecordSchema),
  leftOut: z.array(z.object({ id: z.string(), title: z.string(), reason: z.string() })),
  note: z.string().nullable().describe('Why nothing would be added to the context'),
});
export type PreviewAnswer = z.output<typeof PreviewAnswerSchema>;
export type Occasion = PreviewAnswer['occasion'];
export type LeftOut = PreviewAnswer['leftOut'][number];
/** The settings that decide what a starting session is told; in the preview each can be another than the one that is set. */
export type ToldSettings = PreviewAnswer['settings'];

const ReplayedRecord = z.object({
  id: z.string(),
  kind: ToldKind,
  section: z.string(),
  freshness: z.string().nullable(),
  reason: z.string(),
});

export const ReplayAnswerSchema = z.object({
  session: z.string(),
  project: z.string(),
  tellings: z.array(
    z.object({
      occasion: OccasionSchema,
      about: z.string().nullable(),
      at: z.number(),
      text: z.string(),
      records: z.array(ReplayedRecord),
      missing: z.int().describe('How many records have no text any more'),
    }),
  ),
});
export type ReplayAnswer = z.output<typeof ReplayAnswerSchema>;
