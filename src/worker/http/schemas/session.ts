// What the route of one session answers.
import { z } from 'zod';
import type { SessionPage, SessionTool, SessionTurn, WholeSession } from '../../../core/session.ts';
import { MemorySchema, RollUpSchema } from './memory.ts';
import { PageFields } from './page.ts';
import { SessionPageSchema } from './project.ts';
import { sameAs } from './same-as.ts';

const Text = z.string().nullable();

const WholeSessionSchema = sameAs<WholeSession>()(
  z.object({
    ...SessionPageSchema.shape.items.element.shape,
    endReason: Text,
    completedAt: z.number().nullable(),
    cwd: z.string(),
    firstPrompt: Text,
    spend: z.object({ tokens: z.int(), calls: z.int() }),
  }),
);

const ToolSchema = sameAs<SessionTool>()(
  z.object({
    id: z.string(),
    tool: Text.describe('Null once its payload is past its retention'),
    subject: Text.describe('A file, the head of a command, a question: one line'),
    at: z.number(),
    status: z.enum(['pending', 'done', 'skipped', 'quarantined']),
    isError: z.boolean(),
    observations: z.array(z.string()).describe('Those that rest on it'),
  }),
);

const TurnSchema = sameAs<SessionTurn>()(
  z.object({
    number: z.int().describe('0 is before the first prompt'),
    prompt: z.object({ id: z.string(), text: z.string(), at: z.number() }).nullable(),
    isPrivate: z.boolean(),
    tools: z.array(ToolSchema),
    moreTools: z.int(),
    observations: z.array(MemorySchema),
    moreObservations: z.int(),
    summary: MemorySchema.nullable(),
  }),
);

export const WholeSessionAnswerSchema = sameAs<SessionPage>()(
  z.object({ session: WholeSessionSchema, rollUp: RollUpSchema, turns: z.array(TurnSchema), ...PageFields }),
);
