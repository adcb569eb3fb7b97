// What the stream tells: a schema for each message.
import { z } from 'zod';
import type { StreamedEvent, StreamedSession, StreamMessage } from '../../../core/stream.ts';
import { ProcessingSchema } from '../routes/processing-routes.ts';
import { MemorySchema } from './memory.ts';
import { sameAs } from './same-as.ts';
import { SilenceAnswerSchema } from './silence.ts';
import { SpendFields } from './stats.ts';

const EventSchema = sameAs<StreamedEvent>()(
  z.object({
    id: z.string(),
    session: z.string().describe("The host's id"),
    project: z.string(),
    kind: z.string(),
    tool: z.string().nullable().describe('The name of a tool'),
    subject: z.string().nullable().describe('What it was about, in a line: a file, a command'),
    isWaiting: z.boolean().describe('It waits to be distilled; else it is kept for the record'),
    at: z.number().describe('Epoch ms'),
  }),
).meta({ id: 'StreamedEvent' });

const SessionSchema = sameAs<StreamedSession>()(
  z.object({
    session: z.string().describe("The host's id"),
    project: z.string(),
    status: z.string(),
    title: z.string().nullable(),
    at: z.number().describe('Epoch ms'),
  }),
).meta({ id: 'StreamedSession' });

export const StreamMessageSchema = sameAs<StreamMessage>()(
  z.discriminatedUnion('type', [
    z.object({ type: z.literal('prompt'), data: MemorySchema }),
    z.object({ type: z.literal('event'), data: EventSchema }),
    z.object({ type: z.literal('observation'), data: MemorySchema }),
    z.object({ type: z.literal('summary'), data: MemorySchema }),
    z.object({ type: z.literal('changed'), data: MemorySchema }),
    z.object({ type: z.literal('removed'), data: z.object({ ids: z.array(z.string()) }) }),
    z.object({ type: z.literal('session'), data: SessionSchema }),
    z.object({ type: z.literal('processing'), data: ProcessingSchema }),
    z.object({
      type: z.literal('spend'),
      data: z.object({ spentToday: SpendFields.spentToday, exhausted: SpendFields.exhausted }),
    }),
    z.object({ type: z.literal('silences'), data: SilenceAnswerSchema }),
    z.object({ type: z.literal('reset'), data: z.object({ reason: z.string() }) }),
  ]),
).meta({
  id: 'StreamMessage',
  description:
    'A message of /stream. Before the first there is one of the type ready with {id}, where the stream stands.',
});
