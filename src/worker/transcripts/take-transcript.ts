// One transcript that a hook named, with those of its subagents: read from where the last reading ended.
import { TRANSCRIPT_HOSTS } from '../../hosts/transcripts.ts';
import { findSession } from '../../importer/transcript-files.ts';
import type { WantedTranscript } from './reconcile.ts';
import { type TakeDeps, takeSession } from './take-session.ts';

/** How many events were new. A file that is not there says nothing. */
export async function takeTranscript(
  deps: Omit<TakeDeps, 'pause'>,
  { path, host: name, isOver, signal }: WantedTranscript & { signal: AbortSignal },
): Promise<number> {
  const host = TRANSCRIPT_HOSTS.find((one) => one.name === name);
  const found = host && (await findSession(host, path));
  if (!found) return 0;
  const { added } = await takeSession(found, { ...deps, pause }, { isOver, isEnd: false, signal });
  return added;
}

/** Hooks are answered in between. */
const pause = () => new Promise<void>((resolve) => setImmediate(resolve));
