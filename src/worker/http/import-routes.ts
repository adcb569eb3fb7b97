// What an import would read; the import itself is a job.
import type { Hono } from 'hono';
import { z } from 'zod';
import type { ImportAnswer } from '../../core/import.ts';
import { parseWhen } from '../../core/when.ts';
import type { ChooseDeps } from '../choose-sessions.ts';
import { ImportShape, previewImport } from '../import.ts';
import { readQuery } from './answers.ts';

export function addImportRoutes(app: Hono, deps: ChooseDeps & { clock: () => number }): void {
  app.get('/api/import', async (c) => {
    const { since, ...wanted } = readQuery(c, {
      path: ImportShape.path,
      agent: ImportShape.agent,
      project: ImportShape.project,
      claudeDir: ImportShape.claudeDir,
      since: z.string().max(100).optional(),
    });
    const from = since === undefined ? {} : { since: parseWhen(since, 'since', deps.clock()) };
    return c.json((await previewImport(deps, { ...wanted, ...from })) satisfies ImportAnswer);
  });
}
