// Whose silence is meant on the command line: everything, a project, or one session.
import { findCurrentSession } from '../paths.ts';
import { type ProjectOption, readProject } from './project-option.ts';

export type WhoseOptions = { project?: ProjectOption; session?: string | true };
export type Whose = { cwd?: string; project?: string; session?: string };

export function readWhose({ project, session }: WhoseOptions): Whose {
  if (project !== undefined && session !== undefined) throw new Error('Say either --project or --session.');
  if (project !== undefined) return nameProject(project);
  if (session === undefined) return {};
  const id = session === true ? findCurrentSession() : session;
  if (id) return { session: id };
  throw new Error('There is no session here. Say its id: --session ID, or start one with CLAUDE_MEM_INCOGNITO=1.');
}

function nameProject(project: ProjectOption): Whose {
  const said = readProject(project);
  return said.kind === 'folder' ? { cwd: said.path } : { project: said.name };
}
