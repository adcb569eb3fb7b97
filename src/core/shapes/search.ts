// What the routes of search answer.
import { z } from 'zod';
import { PageFields } from './fields.ts';
import { MemoryRowSchema } from './memory.ts';

const SearchHitSchema = z
  .object({
    ...MemoryRowSchema.shape,
    score: z.number(),
    alike: z.array(z.string()).describe('Near-duplicates that are folded into this one'),
    sameTurn: z.array(z.string()).describe('What else was found of the same turn: its record, summary and other observations'),
    snippet: z.string().optional().describe('Of the first rows: the words of the turn that answer best'),
    isGiven: z.literal(true).optional().describe('The asker has some of its turn; the snippet is what it was not given'),
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
  })
  .meta({ id: 'SearchHit' });
export type SearchHit = z.output<typeof SearchHitSchema>;
/** How a score came about; the parts add up to it. */
export type ScoreParts = NonNullable<SearchHit['why']>;

const SessionHitSchema = z
  .object({
    session: z.string(),
    title: z.string().nullable(),
    project: z.string(),
    at: z.number(),
    score: z.number(),
    best: z.array(MemoryRowSchema),
  })
  .meta({ id: 'SessionHit' });
export type SessionHit = z.output<typeof SessionHitSchema>;

const { total, ...PartFields } = PageFields;
const About = { project: z.string().nullable(), note: z.string().nullable() };

export const SearchAnswerSchema = z.object({ results: z.array(SearchHitSchema), total, ...PartFields, ...About });
export type SearchAnswer = z.output<typeof SearchAnswerSchema>;

export const SessionSearchAnswerSchema = z.object({ results: z.array(SessionHitSchema), ...PartFields, ...About });
export type SessionSearchAnswer = z.output<typeof SessionSearchAnswerSchema>;
