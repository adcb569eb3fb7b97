// Whether the worker is there; to whom it trusts also how it is.
import { z } from 'zod';
import { countSessions } from '../../../store/sessions/sessions.ts';
import { findProblems, type HealthFacts } from '../../watch/health.ts';
import type { QueueTrend } from '../../watch/queue-trend.ts';
import { type Api, addRoute } from '../route.ts';

export type HealthDeps = HealthFacts & {
  version: string;
  startedAt: number;
  /** Of the web door; null while there is none. */
  port: () => number | null;
  queue: Pick<QueueTrend, 'read'>;
};

const HealthSchema = z
  .object({
    status: z.enum(['ok', 'degraded']).describe('degraded: it is there, and something is wrong'),
    problems: z
      .array(z.object({ check: z.string(), problem: z.string() }))
      .optional()
      .describe('What is wrong'),
    port: z.int().nullable().optional(),
    pid: z.int().optional(),
    version: z.string().optional(),
    activeSessions: z.int().optional(),
    uptimeMs: z.number().optional(),
    rss: z.number().optional(),
    queue: z.object({ depth: z.int(), oldestMs: z.number().nullable(), slope: z.number() }).optional(),
  })
  .meta({ id: 'Health' });

export function addHealthRoute(api: Api, deps: HealthDeps): void {
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
      const problems = findProblems(deps);
      const status = problems.length > 0 ? 'degraded' : 'ok';
      if (!c.env?.isTrusted) return c.json({ status });
      const { version, startedAt, port, clock } = deps;
      return c.json({
        status,
        problems,
        port: port(),
        pid: process.pid,
        version,
        uptimeMs: clock() - startedAt,
        rss: process.memoryUsage().rss,
        ...readCounts(deps),
      });
    },
  );
}

/** Nothing of it where the database cannot be read, which is named among the problems. */
function readCounts({ db, queue }: HealthDeps) {
  try {
    const { initialized = 0, active = 0, summarizing = 0 } = countSessions(db);
    return { activeSessions: initialized + active + summarizing, queue: queue.read() };
  } catch {
    return {};
  }
}
