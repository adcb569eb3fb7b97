// Whether the worker is there and all is well; to whom it trusts also what is wrong.
import { z } from 'zod';
import { countSessions } from '../../../store/sessions/sessions.ts';
import { findProblems, judge, readFacts } from '../../watch/health.ts';
import type { HealthFacts } from '../../watch/health-checks.ts';
import type { QueueTrend } from '../../watch/queue-trend.ts';
import { type Api, addRoute } from '../route.ts';
import { FactsSchema, HealthStatusSchema } from '../schemas/worker.ts';

export type HealthDeps = HealthFacts & {
  version: string;
  startedAt: number;
  /** Of the web door; null while there is none. */
  port: () => number | null;
  queue: Pick<QueueTrend, 'read'>;
  /** Whatever was set aside is tried again; how much that is. */
  retry: () => number;
};

const HealthSchema = z
  .object({
    status: HealthStatusSchema,
    problems: z
      .array(z.object({ check: z.string(), level: z.enum(['degraded', 'damaged']), problem: z.string() }))
      .optional()
      .describe('What is wrong, the gravest first'),
    facts: FactsSchema.optional(),
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
  addRetryRoute(api, deps);
  addRoute(
    api,
    {
      method: 'GET',
      path: '/health',
      about: 'Whether the worker is there and all is well; with the token also what is wrong, and the facts.',
      access: 'anyone',
      answers: { 200: HealthSchema },
    },
    ({ c }) => {
      const problems = findProblems(deps);
      const status = judge(problems);
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

function addRetryRoute(api: Api, { retry }: HealthDeps): void {
  addRoute(
    api,
    {
      method: 'POST',
      path: '/api/retry',
      about: 'Tries again what was set aside because it could not be stored or processed.',
      answers: { 200: z.object({ events: z.int().describe('How many wait again') }) },
    },
    ({ c }) => c.json({ events: retry() }),
  );
}

/** Nothing of it where the database cannot be read, which is named among the problems. */
function readCounts(deps: HealthDeps) {
  const { db, queue } = deps;
  try {
    const { initialized = 0, active = 0, summarizing = 0 } = countSessions(db);
    return { activeSessions: initialized + active + summarizing, queue: queue.read(), facts: readFacts(deps) };
  } catch {
    return {};
  }
}
