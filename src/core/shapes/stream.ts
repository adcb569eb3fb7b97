// What the stream tells: a schema for each message.
import { z } from 'zod';
import { MemorySchema } from './memory.ts';
import { SilenceAnswerSchema } from './silence.ts';
import { SpendFields } from './worker.ts';

const EventSchema = z
  .object({
    id: z.string(),
    session: z.string().describe("The agent's id"),
    project: z.string(),
    kind: z.string(),
    tool: z.string().nullable().describe('The name of a tool'),
    subject: z.string().nullable().describe('What it was about, in a line: a file, a command'),
    isWaiting: z.boolean().describe('It waits to be processed; else it is kept for the record'),
    at: z.number().describe('Epoch ms'),
  })
  .meta({ id: 'StreamedEvent' });
export type StreamedEvent = z.output<typeof EventSchema>;

const SessionSchema = z
  .object({
    session: z.string().describe("The agent's id"),
    project: z.string(),
    status: z.string(),
    title: z.string().nullable(),
    at: z.number().describe('Epoch ms'),
  })
  .meta({ id: 'StreamedSession' });
export type StreamedSession = z.output<typeof SessionSchema>;

export const ProcessingSchema = z
  .object({
    isProcessing: z.boolean(),
    queueDepth: z.int(),
    openTurns: z.int(),
    sessions: z.array(z.string()),
  })
  .meta({ id: 'Processing' });
export type Processing = z.output<typeof ProcessingSchema>;

export const StreamMessageSchema = z
  .discriminatedUnion('type', [
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
  ])
  .meta({
    id: 'StreamMessage',
    description: 'A message of /stream. Before the first there is one of the type ready with {id}, where the stream stands.',
  });
export type StreamMessage = z.output<typeof StreamMessageSchema>;
export type StreamType = StreamMessage['type'];
export const STREAM_TYPES = StreamMessageSchema.options.map(({ shape }) => shape.type.value);
