// The routes of the spinner: what a host says of itself, and whether anything is worked on.
import { z } from 'zod';
import type { Processing } from '../../../core/stream.ts';
import type { ProcessingState } from '../../watch/processing.ts';
import { type Api, addRoute } from '../route.ts';
import { sameAs } from '../schemas/same-as.ts';
import { WhoShape } from './session-bodies.ts';

export const ProcessingSchema = sameAs<Processing>()(
  z.object({
    isProcessing: z.boolean(),
    queueDepth: z.int(),
    openTurns: z.int(),
    sessions: z.array(z.string()),
  }),
).meta({ id: 'Processing' });

export function addProcessingRoutes(api: Api, processing: ProcessingState): void {
  addRoute(
    api,
    {
      method: 'POST',
      path: '/api/processing',
      about: 'A host says that it works, or that it does not any more. Believed for ten minutes.',
      body: { ...WhoShape, isProcessing: z.boolean().describe('True: it works; false: not any more') },
      isLoose: true,
      answers: { 200: ProcessingSchema },
    },
    ({ body: { isProcessing, sessionId, claudeSessionId, session_id }, c }) => {
      processing.say(isProcessing, String(sessionId ?? claudeSessionId ?? session_id ?? ''));
      return c.json(processing.read());
    },
  );
  addRoute(
    api,
    {
      method: 'GET',
      path: '/api/processing-status',
      about: 'Whether anything is worked on, and what waits.',
      answers: { 200: ProcessingSchema },
    },
    ({ c }) => c.json(processing.read()),
  );
}
