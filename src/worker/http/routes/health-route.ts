// Whether the worker is there; to whom it trusts also how it is.
import type { Database } from 'bun:sqlite';
import { z } from 'zod';
import { countSessions } from '../../../store/sessions/sessions.ts';
import type { QueueTrend } from '../../watch/queue-trend.ts';
import { type Api, addRoute } from '../route.ts';

export type HealthDeps = {
  db: Database;
  version: string;
  startedAt: number;
  /** Of the web door; null while there is none. */
  port: () => number | null;
  queue: Pick<QueueTrend, 'read'>;
  clock: () => number;
};

const HealthSchema = z
  .object({
    status: z.literal('ok'),
    port: z.int().nullable().optional(),
    pid: z.int().optional(),
    version: z.string().optional(),
    activeSessions: z.int().optional(),
    uptimeMs: z.number().optional(),
    rss: z.number().optional(),
    queue: z.object({ depth: z.int(), oldestMs: z.number().nullable(), slope: z.number() }).optional(),
  })
  .meta({ id: 'Health' });

export function addHealthRoute(api: Api, { db, version, startedAt, port, queue, clock }: HealthDeps): void {
  addRoute(
    api,
    {
      method: 'GET',
      path: '/health',
      about: 'Whether the worker is there; with the token also how it is.',
      access: 'anyone',
      answers: { 200: HealthSchema },
    },
    ({ c }) => {
      if (!c.env?.isTrusted) return c.json({ status: 'ok' });
      const { initialized = 0, active = 0, summarizing = 0 } = countSessions(db);
      return c.json({
        status: 'ok',
        port: port(),
        pid: process.pid,
        version,
        activeSessions: initialized + active + summarizing,
        uptimeMs: clock() - startedAt,
        rss: process.memoryUsage().rss,
        queue: queue.read(),
      });
    },
  );
}
