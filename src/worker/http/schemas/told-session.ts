// What the session routes answer to programs that tell what happens in a session.
import { z } from 'zod';

const SessionFields = { sessionDbId: z.int().nullable(), queueLength: z.int() };

/** Why it will not be distilled; only with `skipped`. */
const Reason = z.enum(['private', 'skipped-tool', 'left-out']).optional();

export const InitAnswerSchema = z
  .object({
    status: z.enum(['initialized', 'skipped']),
    reason: Reason,
    ...SessionFields,
    sessionId: z.string(),
    project: z.string().nullable(),
    promptNumber: z.int(),
    /** Of the web door; null while there is none. */
    port: z.int().nullable(),
  })
  .meta({ id: 'SessionInit' });

export const QueuedSchema = z
  .object({ status: z.enum(['queued', 'skipped']), reason: Reason, ...SessionFields })
  .meta({ id: 'SessionQueued' });

export const SetAsideSchema = z
  .object({ status: z.enum(['quarantined', 'skipped']), reason: Reason, ...SessionFields })
  .meta({ id: 'SessionSetAside' });

export const CompletedSchema = z
  .object({ status: z.enum(['completed', 'skipped']), reason: Reason, ...SessionFields })
  .meta({ id: 'SessionCompleted' });

export const SessionStatusSchema = z
  .object({
    status: z.enum(['initialized', 'active', 'summarizing', 'completed', 'interrupted', 'failed']),
    ...SessionFields,
    sessionId: z.string(),
    /** There is no session of a model that lasts: always null. */
    sdkSessionId: z.null(),
    project: z.string(),
    promptNumber: z.int(),
    /** The same as queueLength. */
    pendingMessages: z.int(),
  })
  .meta({ id: 'SessionStatus' });

export const AbortedSchema = z
  .object({ status: z.literal('aborted'), ...SessionFields })
  .meta({ id: 'SessionAborted' });
