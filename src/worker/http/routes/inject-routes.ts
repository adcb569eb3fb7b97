// What a starting session is told, as plain Markdown: for programs that put it before the model themselves.
import { AskError } from '../../../core/ask-error.ts';
import { findProjectsNamed } from '../../../store/projects/projects.ts';
import { findFolder } from '../../projects/scope.ts';
import { type PreviewDeps, previewContext } from '../../telling/preview.ts';
import { StartShape } from '../answers.ts';
import { type Api, addRoute } from '../route.ts';

export type InjectDeps = PreviewDeps & {
  /** Distils what is ready in a project, for at most so long. */
  finishProject?: (projectId: number, budgetMs: number) => Promise<void>;
};

/** As long as a session that starts waits for what was done just before. */
const WAIT_MS = 500;

export function addInjectRoutes(api: Api, deps: InjectDeps): void {
  const { db, finishProject } = deps;
  addRoute(
    api,
    {
      method: 'GET',
      path: '/api/context/inject',
      about: 'What a session of this folder or project is told at its start; empty when there is nothing to tell.',
      query: StartShape,
      answers: { 200: 'text/markdown' },
    },
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
  );
}
