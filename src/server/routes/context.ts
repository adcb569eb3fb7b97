// The routes of session context: what the next session would get and why, what one got, and the same as plain Markdown.
import { z } from 'zod';
import { type PreviewDeps, previewContext, replaySession } from '../../context/preview.ts';
import { AskError } from '../../core/ask-error.ts';
import { PreviewShape, StartShape } from '../../core/shapes/asked.ts';
import { PreviewAnswerSchema, ReplayAnswerSchema } from '../../core/shapes/context.ts';
import { findFolder } from '../../projects/place.ts';
import { findProjectsNamed } from '../../projects/projects.ts';
import { resolveOwnScope } from '../http/agent-limit.ts';
import { type Route, route } from '../http/route.ts';

export type ContextDeps = PreviewDeps & {
  /** Processes what is ready in a project, for at most so long. */
  finishProject?: (projectId: number, budgetMs: number) => Promise<void>;
};

/** As long as a session that starts waits for what was done just before. */
const WAIT_MS = 500;

export function contextRoutes(deps: ContextDeps): Route[] {
  const { db, finishProject } = deps;
  return [
    route(
      'GET /api/context/preview',
      'Exactly what the next session would get, and why.',
      { query: PreviewShape, answer: PreviewAnswerSchema },
      ({ query, c }) => {
        resolveOwnScope(db, c, query);
        return previewContext(deps, query);
      },
    ),
    route(
      'GET /api/context/replay',
      'What a session got, and when.',
      {
        query: { session: z.string().min(1).max(200).describe("The agent's id of a session, or the beginning of it") },
        answer: ReplayAnswerSchema,
      },
      ({ query }) => replaySession(db, query.session),
    ),
    route(
      'GET /api/context/inject',
      'What a session of this folder or project gets at its start; empty when there is nothing.',
      { query: StartShape, answer: 'text/markdown' },
      async ({ query: { cwd, project }, c }) => {
        const markdown = (text: string) => c.body(text, 200, { 'content-type': 'text/markdown; charset=utf-8' });
        const [named] = cwd === undefined && project !== undefined ? findProjectsNamed(db, project) : [];
        // Whoever asks puts the answer before a model, whatever it is: of a project that is new there is nothing to say.
        if (cwd === undefined && project !== undefined && !named) return markdown('');
        if (cwd === undefined && !named) throw new AskError('invalid', 'cwd is missing.', 'Give cwd, or project.');
        const known = cwd === undefined ? named : findFolder(db, cwd).project;
        if (known) await finishProject?.(known.id, WAIT_MS);
        const { text } = await previewContext(deps, cwd === undefined ? { project } : { cwd });
        return markdown(text);
      },
    ),
  ];
}
