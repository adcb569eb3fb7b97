// What the routes of the viewer's pages answer: the overview, the decisions of a project, one memory with all that is known of it.
import { z } from 'zod';
import { ints, Text } from './fields.ts';
import { MemoryRowSchema, MemorySchema } from './memory.ts';

const FreshnessWordSchema = z
  .enum(['fresh', 'changed', 'gone', 'reverted', 'elsewhere', 'unverified', 'uncited'])
  .describe('Whether its files are as they were when it was made');

const OpenStepSchema = z
  .object({ id: z.int(), text: z.string(), turn: z.string().describe('The prompt (P34) of its turn'), project: z.string(), at: z.number() })
  .meta({ id: 'OpenStep' });
export type OpenStep = z.output<typeof OpenStepSchema>;

export const OverviewSchema = z.object({
  since: z.number().describe('Epoch ms: from then on it is counted'),
  sessions: z.int().describe('That were at work'),
  given: z
    .object(ints('sessions', 'memories', 'opened', 'edited', 'errors'))
    .describe('As in GET /api/stats, of these days and this project'),
  spent: z.object(ints('tokens', 'calls')).describe('On models'),
  made: z.object(ints('decisions', 'fixes', 'memories')),
  days: z.array(z.object({ day: z.string(), count: z.int() })).describe('Memories of each day, oldest first'),
  files: z.array(z.object({ file: z.string(), project: z.string(), changed: z.int(), read: z.int(), at: z.number() })),
  steps: z.array(OpenStepSchema),
  openSteps: z.int().describe('How many there are in all'),
});
export type Overview = z.output<typeof OverviewSchema>;

const DecisionSchema = z
  .object({
    ...MemorySchema.shape,
    isRule: z.boolean().describe('A rule of the user'),
    isGlobal: z.boolean().describe('It applies in every project'),
    isUsers: z.boolean().describe('In the words of the user'),
    state: FreshnessWordSchema.nullable(),
    lastGivenAt: z.number().nullable().describe('When a session was last given it'),
  })
  .meta({ id: 'Decision' });
export type Decision = z.output<typeof DecisionSchema>;

export const DecisionsSchema = z.object({
  project: z.string(),
  current: z.array(DecisionSchema).describe('Rules of the user first, then the newest'),
  replaced: z.array(z.object({ older: DecisionSchema, newer: MemorySchema })),
  total: z.int(),
});
export type DecisionsAnswer = z.output<typeof DecisionsSchema>;

const TurnStepSchema = z
  .object({
    kind: z.string().describe('said, ran, edited, read, asked, planned, committed, answered, …'),
    text: z.string(),
    short: z.string().nullable().describe('What is shown of the text while the record is shown in short; null: nothing'),
    detail: z.string().describe('The output of a command, the diff of an edit'),
    isBad: z.boolean().nullable().describe('Of a command: whether it failed'),
    isUntrusted: z.boolean().describe('After words from an untrusted source'),
  })
  .meta({ id: 'TurnStep' });
export type TurnStep = z.output<typeof TurnStepSchema>;

export const WholeMemorySchema = z.object({
  memory: MemorySchema,
  steps: z.array(TurnStepSchema).describe('What was said and done in its turn'),
  left: z.int().describe('How many characters of these a record shown in short leaves out, with all details; 0: show it whole'),
  prompt: Text.describe('What was asked in its turn'),
  state: FreshnessWordSchema.nullable(),
  replaced: z.array(MemoryRowSchema).describe('What it replaced'),
  beside: z.array(MemoryRowSchema).describe('What else came of its turn'),
  uses: z
    .array(
      z.object({
        session: z.string(),
        title: Text,
        occasion: z.string(),
        section: z.string(),
        at: z.number(),
      }),
    )
    .describe('The sessions that were given it, the latest first'),
  usesTotal: z.int(),
});
export type WholeMemory = z.output<typeof WholeMemorySchema>;
