// What the routes of projects and sessions answer.
import { z } from 'zod';
import { ints, numbers, pageOf, texts } from './fields.ts';

const Key = z.string().describe('Two projects may have one name: this is its own');

export const ProjectsAnswerSchema = pageOf(
  z
    .object({
      key: Key,
      project: z.string(),
      root: z.string(),
      ...ints('sessions', 'observations'),
      characters: z.int().nullable().describe('Of its memories and records; only with sizes=true'),
      agents: z.array(z.string()),
      days: z.array(z.int()).describe('Observations of each of the last 28 days, oldest first'),
      updatedAt: z.number().nullable(),
      aliases: z.array(z.string()),
      isGone: z.boolean(),
      maybe: z
        .object({ project: z.string(), key: Key })
        .nullable()
        .describe('A project with the same remote, which nothing has proven to be the same'),
    })
    .meta({ id: 'Project' }),
);
export type ProjectsAnswer = z.output<typeof ProjectsAnswerSchema>;
export type ProjectRow = ProjectsAnswer['items'][number];

const Joined = z.object({
  from: z.string(),
  project: z.string(),
  key: Key,
  moved: z.object(ints('sessions', 'observations', 'summaries')),
});
export const MergeAnswerSchema = Joined;
export type MergeAnswer = z.output<typeof MergeAnswerSchema>;
export type Moved = MergeAnswer['moved'];
export const SeparateAnswerSchema = Joined;
export type SeparateAnswer = z.output<typeof SeparateAnswerSchema>;

export const RenameAnswerSchema = z.object({ project: z.string(), key: Key, before: z.string() });
export type RenameAnswer = z.output<typeof RenameAnswerSchema>;

export const SessionStatusSchema = z.enum(['initialized', 'active', 'summarizing', 'completed', 'interrupted', 'failed']);
export type SessionStatus = z.output<typeof SessionStatusSchema>;

const ListedSessionSchema = z
  .object({
    session: z.string(),
    host: z.string(),
    project: z.string(),
    key: Key,
    ...texts('branch', 'title', 'subtitle', 'firstPrompt'),
    status: SessionStatusSchema,
    ...ints('prompts', 'observations'),
    ...numbers('startedAt', 'updatedAt'),
    spend: z.object(ints('tokens', 'calls')).describe('On models'),
  })
  .meta({ id: 'Session' });
export type ListedSession = z.output<typeof ListedSessionSchema>;

export const SessionPageSchema = pageOf(ListedSessionSchema).extend({
  agents: z.array(z.string()).describe('Of which there are sessions'),
  branches: z.array(z.string()).describe('The latest used first'),
});
export type SessionsAnswer = z.output<typeof SessionPageSchema>;
