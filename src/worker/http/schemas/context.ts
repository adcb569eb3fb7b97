// What the routes of what a session is told answer.
import { z } from 'zod';
import { CONTEXT_SECTIONS, type PreviewAnswer, type ReplayAnswer, type ToldRecord } from '../../../core/context.ts';
import { MEMORY_KINDS } from '../../../core/memory.ts';
import { OBSERVATION_TYPES } from '../../../core/observation.ts';
import { sameAs } from './same-as.ts';

const OccasionSchema = z.enum(['start', 'first-prompt', 'edit', 'error']);
const ToldKind = z.enum([...MEMORY_KINDS, 'session']);

const ToldRecordSchema = sameAs<ToldRecord>()(
  z.object({
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
  }),
).meta({ id: 'ToldRecord' });

export const PreviewAnswerSchema = sameAs<PreviewAnswer>()(
  z.object({
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
    note: z.string().nullable().describe('Why nothing would be told'),
  }),
);

const ReplayedRecord = z.object({
  id: z.string(),
  kind: ToldKind,
  section: z.string(),
  freshness: z.string().nullable(),
  reason: z.string(),
});

export const ReplayAnswerSchema = sameAs<ReplayAnswer>()(
  z.object({
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
  }),
);
