// What the route of one session answers.
import { z } from 'zod';
import { ints, PageFields, Text } from './fields.ts';
import { MemorySchema, RollUpSchema } from './memory.ts';
import { SessionPageSchema } from './project.ts';

const WholeSessionSchema = z.object({
  ...SessionPageSchema.shape.items.element.shape,
  endReason: Text,
  completedAt: z.number().nullable(),
  cwd: z.string(),
  firstPrompt: Text,
  spend: z.object(ints('tokens', 'calls')),
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
