// `claude-mem vacuum`: gives back the disk that deleted memories took.
import { findPaths } from '../../paths.ts';
import { watchJob } from '../watch-job.ts';

export async function vacuum(): Promise<void> {
  const { status, result } = await watchJob(findPaths(), { kind: 'vacuum', parameters: {} });
  console.log(status === 'cancelled' ? 'Cancelled.' : (result ?? []).join('\n'));
}
