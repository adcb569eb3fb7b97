// What the routes of silence and the status line answer.
import { z } from 'zod';
import type { ResumeAnswer, Silence, SilenceAnswer, StatuslineAnswer } from '../../../core/silence.ts';
import { sameAs } from './same-as.ts';

export const SilenceSchema = sameAs<Silence>()(
  z.object({
    kind: z.enum(['paused', 'off', 'excluded']),
    scope: z.enum(['everything', 'project', 'session']),
    name: z.string(),
    since: z.number().nullable(),
    until: z.number().nullable().describe('Null: until somebody ends it'),
    reason: z.string().optional(),
  }),
).meta({ id: 'Silence' });

export const SilenceAnswerSchema = sameAs<SilenceAnswer>()(z.object({ silences: z.array(SilenceSchema) }));

export const ResumeAnswerSchema = sameAs<ResumeAnswer>()(
  z.object({ ended: z.int(), silences: z.array(SilenceSchema) }),
);

export const StatuslineAnswerSchema = sameAs<StatuslineAnswer>()(
  z.object({ observations: z.int(), waiting: z.int(), isHealthy: z.boolean(), silence: SilenceSchema.nullable() }),
);
