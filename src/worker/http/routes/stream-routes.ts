// The route by which a viewer hears what happens, as it happens.
import { z } from 'zod';
import type { StreamType } from '../../../core/stream.ts';
import { List } from '../answers.ts';
import { type Api, addRoute } from '../route.ts';
import { ErrorSchema } from '../schemas/error.ts';
import { StreamMessageSchema } from '../schemas/stream.ts';
import type { Streams } from '../streams.ts';

const TYPES = [
  'prompt',
  'event',
  'observation',
  'summary',
  'changed',
  'removed',
  'session',
  'processing',
  'spend',
  'silences',
  'reset',
] as const satisfies StreamType[];

export function addStreamRoutes(api: Api, streams: Streams): void {
  addRoute(
    api,
    {
      method: 'GET',
      path: '/stream',
      about: 'What happens, as it happens, as server-sent events.',
      query: {
        last_event_id: z
          .string()
          .max(100)
          .optional()
          .describe('The id of the last message that was heard: what came after it is told first'),
        types: List.pipe(z.array(z.enum(TYPES)).min(1))
          .optional()
          .describe('Only messages of these types; reset in any case'),
        project: z
          .string()
          .min(1)
          .max(4096)
          .optional()
          .describe('Only what is about the project of this name, or about none'),
      },
      answers: { 200: 'text/event-stream', 503: ErrorSchema },
      messages: StreamMessageSchema,
    },
    ({ query, c }) => {
      // Nobody reads what a HEAD would open.
      if (c.req.method === 'HEAD') return new Response(null, { headers: HEADERS });
      const body = streams.open({
        types: query.types ?? null,
        project: query.project ?? null,
        // A browser that lost the connection sends the header by itself, and it is newer.
        lastId: c.req.header('last-event-id') || query.last_event_id || null,
      });
      if (body) return new Response(body, { headers: HEADERS });
      const error = `${streams.count()} streams are open already.`;
      return c.json({ error, hint: 'Close some of the pages that watch, and try again.' }, 503, {
        'retry-after': '10',
      });
    },
  );
}

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
};
