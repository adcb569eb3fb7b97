// What an import would read; the import itself is a job.
import { z } from 'zod';
import type { ImportAnswer } from '../../../core/import.ts';
import { parseWhen } from '../../../core/when.ts';
import type { ChooseDeps } from '../../import/choose-sessions.ts';
import { ImportShape, previewImport } from '../../import/import.ts';
import { type Api, addRoute } from '../route.ts';
import { ImportAnswerSchema } from '../schemas/job.ts';

export function addImportRoutes(api: Api, deps: ChooseDeps & { clock: () => number }): void {
  const spec = {
    method: 'GET',
    path: '/api/import',
    about: 'What an import would read.',
    // It looks into folders that the caller names.
    access: 'socket',
    query: {
      path: ImportShape.path,
      agent: ImportShape.agent,
      project: ImportShape.project,
      claudeDir: ImportShape.claudeDir,
      since: z.string().max(100).optional(),
    },
    answers: { 200: ImportAnswerSchema },
  } as const;
  addRoute(api, spec, async ({ query: { since, ...wanted }, c }) => {
    const from = since === undefined ? {} : { since: parseWhen(since, 'since', deps.clock()) };
    return c.json((await previewImport(deps, { ...wanted, ...from })) satisfies ImportAnswer);
  });
}
