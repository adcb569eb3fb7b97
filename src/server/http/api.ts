// The HTTP API: the table of routes on one Hono app, a value that a test can call.
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { z } from 'zod';
import { AskError, type AskErrorKind } from '../../core/ask-error.ts';
import { codeOf, isFull } from '../../core/passing-fault.ts';
import type { Log } from '../../log.ts';
import { describeApi } from './openapi.ts';
import { type ApiEnv, type Route, route } from './route.ts';

export type Api = { app: Hono<ApiEnv>; routes: Route[] };

type ApiDeps = {
  version: string;
  log: Log;
  before?: MiddlewareHandler<ApiEnv>;
  /** A route that may change something has answered. */
  onChange?: () => void;
};

export function createApi(table: Route[], { version, log, before, onChange }: ApiDeps): Api {
  const app = new Hono<ApiEnv>();
  const describe: Route = route(
    'GET /api/openapi.json',
    'This document: every route, what it takes and what it answers.',
    { answer: z.record(z.string(), z.unknown()) },
    () => describeApi(routes, version),
  );
  const routes: Route[] = [...table, describe].flatMap((one) => [one, ...(one.aliases ?? []).map((path) => ({ ...one, path }))]);
  const fetch = async (request: Request) => app.fetch(request, { isTrusted: true });
  if (before) app.use('*', before);
  for (const { method, path, handle } of routes) {
    app.on(method, path, async (c) => {
      const response = await handle(c, fetch);
      if (method !== 'GET') onChange?.();
      return response;
    });
  }
  app.onError((error, c) => answerError(error, c, log));
  app.notFound((c) => c.json({ error: 'There is no such route.', hint: 'docs/api.md lists them.' }, 404));
  return { app, routes };
}

const STATUS = { invalid: 400, unknown: 404, ambiguous: 409, conflict: 409 } as const satisfies Record<AskErrorKind, number>;

/** `{error, hint}`, with `candidates` where there are some. Only a fault of our own is a 500. */
function answerError(error: Error, c: Context, log: Log): Response {
  if (error instanceof AskError) {
    const { message, hint, candidates, kind } = error;
    return c.json({ error: message, hint, ...(candidates.length > 0 ? { candidates } : {}) }, STATUS[kind]);
  }
  log.error('a request could not be answered', { path: c.req.path, error: error.stack ?? String(error) });
  if (isFull(error)) return c.json({ error: 'The disk is full.', hint: 'Make room there, and ask again.' }, 500);
  if (/^SQLITE_(?:BUSY|LOCKED)/.test(codeOf(error)))
    return c.json({ error: 'The memory is busy with something else.', hint: 'Try again in a moment.' }, 500);
  return c.json({ error: 'The worker failed to answer.', hint: 'See `claude-mem logs`.' }, 500);
}
