// What the routes of search answer.
import { z } from 'zod';
import type { SearchAnswer, SearchHit, SessionHit, SessionSearchAnswer } from '../../../core/search.ts';
import { MemoryRowSchema } from './memory.ts';
import { PageFields } from './page.ts';
import { sameAs } from './same-as.ts';

const SearchHitSchema = sameAs<SearchHit>()(
  z.object({
    ...MemoryRowSchema.shape,
    score: z.number(),
    alike: z.array(z.string()).describe('Near-duplicates that are folded into this one'),
    sameTurn: z
      .array(z.string())
      .describe('What else was found of the same turn: its record, summary and other observations'),
    snippet: z.string().optional().describe('Of the first rows: the words of the turn that answer best'),
    why: z
      .object({
        keyword: z.number(),
        meaning: z.number(),
        neighbours: z.number(),
        recency: z.number(),
        type: z.number(),
        words: z.array(z.string()),
      })
      .optional(),
  }),
).meta({ id: 'SearchHit' });

const SessionHitSchema = sameAs<SessionHit>()(
  z.object({
    session: z.string(),
    title: z.string().nullable(),
    project: z.string(),
    at: z.number(),
    score: z.number(),
    best: z.array(MemoryRowSchema),
  }),
).meta({ id: 'SessionHit' });

const { total, ...PartFields } = PageFields;
const About = { project: z.string().nullable(), note: z.string().nullable() };

export const SearchAnswerSchema = sameAs<SearchAnswer>()(
  z.object({ results: z.array(SearchHitSchema), total, ...PartFields, ...About }),
);

export const SessionSearchAnswerSchema = sameAs<SessionSearchAnswer>()(
  z.object({ results: z.array(SessionHitSchema), ...PartFields, ...About }),
);
