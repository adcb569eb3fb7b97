// What the routes of projects and sessions answer.
import { z } from 'zod';
import type { MergeAnswer, ProjectsAnswer, RenameAnswer, SeparateAnswer } from '../../../core/project.ts';
import type { ListedSession } from '../../../core/session.ts';
import type { Page } from '../../../store/memories/memory-lists.ts';
import { pageOf } from './page.ts';
import { sameAs } from './same-as.ts';

const Key = z.string().describe('Tells apart projects of the same name');

export const ProjectsAnswerSchema = sameAs<ProjectsAnswer>()(
  pageOf(
    z
      .object({
        key: Key,
        project: z.string(),
        root: z.string(),
        sessions: z.int(),
        observations: z.int(),
        updatedAt: z.number().nullable(),
        aliases: z.array(z.string()),
        isGone: z.boolean(),
        maybe: z
          .object({ project: z.string(), key: Key })
          .nullable()
          .describe('A project with the same remote, which nothing has proven to be the same'),
      })
      .meta({ id: 'Project' }),
  ),
);

const Joined = z.object({
  from: z.string(),
  project: z.string(),
  key: Key,
  moved: z.object({ sessions: z.int(), observations: z.int(), summaries: z.int() }),
});
export const MergeAnswerSchema = sameAs<MergeAnswer>()(Joined);
export const SeparateAnswerSchema = sameAs<SeparateAnswer>()(Joined);

export const RenameAnswerSchema = sameAs<RenameAnswer>()(
  z.object({ project: z.string(), key: Key, before: z.string() }),
);

export const SessionPageSchema = sameAs<Page<ListedSession>>()(
  pageOf(
    z
      .object({
        session: z.string(),
        host: z.string(),
        project: z.string(),
        branch: z.string().nullable(),
        title: z.string().nullable(),
        subtitle: z.string().nullable(),
        firstPrompt: z.string().nullable(),
        status: z.enum(['initialized', 'active', 'summarizing', 'completed', 'interrupted', 'failed']),
        prompts: z.int(),
        observations: z.int(),
        startedAt: z.number(),
        updatedAt: z.number(),
      })
      .meta({ id: 'Session' }),
  ),
);
