// What every route answers when something is wrong.
import { z } from 'zod';

export const ErrorSchema = z
  .object({
    error: z.string().describe('What is wrong'),
    hint: z.string().describe('What to do about it'),
    candidates: z.array(z.string()).optional().describe('Which of these may be meant'),
  })
  .meta({ id: 'Error' });
