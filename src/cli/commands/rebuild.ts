// `claude-mem rebuild`: has the worker make again what is derived from records, and shows how far it is.
import { UNREADABLE } from '../../core/job.ts';
import { findPaths, homeDir } from '../../paths.ts';
import { findClaudeFolder } from '../install/claude-folder.ts';
import { printJson } from '../memory-options.ts';
import { type ProjectOption, readProject } from '../project-option.ts';
import { watchJob } from '../watch-job.ts';

export type RebuildOptions = {
  project?: ProjectOption;
  fromTranscripts?: boolean;
  dryRun?: boolean;
  json?: boolean;
};

export async function rebuild(options: RebuildOptions): Promise<void> {
  const { json = false } = options;
  const job = await watchJob(findPaths(), { kind: 'rebuild', parameters: readParameters(options) }, { quiet: json });
  // What could be read is kept; what could not is named in the result.
  if (job.status === 'cancelled' || (job.progress.counts[UNREADABLE] ?? 0) > 0) process.exitCode = 1;
  if (json) return printJson(job);
  console.log((job.result ?? ['Cancelled.']).join('\n'));
}

function readParameters({ project, fromTranscripts = false, dryRun = false }: RebuildOptions) {
  const claudeDir = findClaudeFolder();
  const said = project === undefined ? null : readProject(project);
  return {
    ...(said && (said.kind === 'folder' ? { cwd: said.path } : { project: said.name })),
    ...(dryRun && { dryRun }),
    ...(fromTranscripts && { fromTranscripts }),
    ...(fromTranscripts && claudeDir !== `${homeDir()}/.claude` && { claudeDir }),
  };
}
