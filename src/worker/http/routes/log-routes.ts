// The route of the log: what the worker wrote last, page by page.
import { existsSync } from 'node:fs';
import { z } from 'zod';
import { AskError } from '../../../core/ask-error.ts';
import { LOG_LEVELS } from '../../../log.ts';
import type { Paths } from '../../../paths.ts';
import { type LogPlace, readLog } from '../../watch/read-log.ts';
import { wholeNumber } from '../answers.ts';
import { type Api, addRoute } from '../route.ts';

const LogPageSchema = z.object({
  entries: z.array(
    z.object({
      at: z.string(),
      level: z.enum(LOG_LEVELS),
      message: z.string(),
      details: z.record(z.string(), z.unknown()).nullable(),
    }),
  ),
  next: z.string().nullable().describe('For `before`, to go on; null when there is nothing more'),
});

const READ = {
  method: 'GET',
  path: '/api/logs',
  about: 'What the worker wrote into its log, newest first.',
  query: {
    level: z.enum(LOG_LEVELS).default('debug').describe('This one and graver ones'),
    query: z.string().max(200).default('').describe('Words that an entry holds, whatever the case'),
    limit: wholeNumber(1, 500).default(100).describe('At most so many'),
    before: z.string().max(60).optional().describe('The `next` of the page before'),
  },
  answers: { 200: LogPageSchema },
} as const;

export function addLogRoutes(api: Api, { paths }: { paths: Paths }): void {
  addRoute(api, READ, ({ query: { before, ...asked }, c }) => {
    const place = before === undefined ? null : readPlace(before);
    const { entries, next } = existsSync(paths.logs)
      ? readLog(paths.logs, { ...asked, before: place })
      : { entries: [], next: null };
    return c.json({ entries, next: next && `${next.day}.${next.offset}` });
  });
}

function readPlace(text: string): LogPlace {
  const [, day, offset] = /^(\d{4}-\d\d-\d\d)\.(\d{1,15})$/.exec(text) ?? [];
  if (day !== undefined) return { day, offset: Number(offset) };
  throw new AskError('invalid', 'before is not the end of a page.', 'Give the `next` of an earlier answer.');
}
