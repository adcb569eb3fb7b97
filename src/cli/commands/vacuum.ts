// `claude-mem vacuum`: gives back the disk that deleted memories took.
import { findPaths } from '../../paths.ts';
import { printJson } from '../memory-options.ts';
import { watchJob } from '../watch-job.ts';

export async function vacuum({ json = false }: { json?: boolean }): Promise<void> {
  const job = await watchJob(findPaths(), { kind: 'vacuum', parameters: {} }, { quiet: json });
  if (job.status === 'cancelled') process.exitCode = 1;
  if (json) return printJson(job);
  console.log(job.status === 'cancelled' ? 'Cancelled.' : (job.result ?? []).join('\n'));
}
