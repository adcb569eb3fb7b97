// What an import would read; the import itself is a job.
import type { Hono } from 'hono';
import { z } from 'zod';
import type { ImportAnswer } from '../../core/import.ts';
import { parseWhen } from '../../core/when.ts';
import { ImportShape, previewImport } from '../import.ts';
import { readQuery } from './answers.ts';

export function addImportRoutes(app: Hono, { home, clock }: { home: string; clock: () => number }): void {
  app.get('/api/import', (c) => {
    const { since, ...wanted } = readQuery(c, {
      path: ImportShape.path,
      agent: ImportShape.agent,
      project: ImportShape.project,
      claudeDir: ImportShape.claudeDir,
      since: z.string().max(100).optional(),
    });
    const from = since === undefined ? {} : { since: parseWhen(since, 'since', clock()) };
    return c.json(previewImport(home, { ...wanted, ...from }) satisfies ImportAnswer);
  });
}
