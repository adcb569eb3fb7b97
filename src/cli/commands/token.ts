// `claude-mem token`: where it is, and a new one. It is not printed: a terminal keeps what it shows.
import { existsSync } from 'node:fs';
import { askWorker } from '../../client/api.ts';
import { quoteWord } from '../../core/quote-word.ts';
import { findPaths } from '../../paths.ts';
import { printJson } from '../memory-options.ts';
import { fetchStatus } from '../worker-status.ts';

export async function showToken({ json }: { json?: boolean }): Promise<void> {
  const paths = findPaths();
  const status = await fetchStatus(paths);
  const address = status?.web.address ?? null;
  if (json) return printJson({ path: paths.token, exists: existsSync(paths.token), address });
  console.log(paths.token);
  if (!existsSync(paths.token)) return console.log('It is made when the worker starts: `claude-mem start`.');
  if (status === null) return console.log('No worker runs, so nothing takes it just now: `claude-mem start`.');
  if (address === null) return console.log('The worker has no web door just now: see `claude-mem status`.');
  const header = `printf 'Authorization: Bearer %s' "$(cat ${quoteWord(paths.token)})"`;
  console.log(`Programs show it like this:\n  ${header} | curl -H @- ${address}/health`);
}

export async function rotateToken({ json }: { json?: boolean }): Promise<void> {
  const paths = findPaths();
  const answer = (await askWorker(paths, '/api/token/rotate', { method: 'POST' })) as { address: string | null };
  if (json) return printJson({ path: paths.token, ...answer });
  console.log(`There is a new token in ${paths.token}; the old one and every open page are out.`);
  console.log('Programs must read it again. For the viewer: `claude-mem viewer`.');
}
