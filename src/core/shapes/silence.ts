// What the routes of silence and the status line answer.
import { z } from 'zod';

export const SilenceSchema = z
  .object({
    kind: z.enum(['paused', 'off', 'excluded']),
    scope: z.enum(['everything', 'project', 'session']),
    name: z.string(),
    since: z.number().nullable(),
    until: z.number().nullable().describe('Null: until somebody ends it'),
    reason: z.string().optional(),
  })
  .meta({ id: 'Silence' });
export type Silence = z.output<typeof SilenceSchema>;
export type SilenceScope = Silence['scope'];

export const SilenceAnswerSchema = z.object({ silences: z.array(SilenceSchema) });
export type SilenceAnswer = z.output<typeof SilenceAnswerSchema>;

export const ResumeAnswerSchema = z.object({ ended: z.int(), silences: z.array(SilenceSchema) });
export type ResumeAnswer = z.output<typeof ResumeAnswerSchema>;

export const StatuslineAnswerSchema = z.object({
  observations: z.int().describe('Of the project'),
  given: z.int().describe('Memories and turns that the session was given in more than a line'),
  waiting: z.int(),
  isHealthy: z.boolean(),
  silence: SilenceSchema.nullable(),
});
export type StatuslineAnswer = z.output<typeof StatuslineAnswerSchema>;
