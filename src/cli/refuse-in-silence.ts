// What an agent may not have remembered: anything that is said in a silent session.
import { askWorker } from '../client/api.ts';
import { type MemoryApi, withQuery } from '../client/memory-api.ts';
import { announceSilence, type StatuslineAnswer } from '../core/silence.ts';
import { findCurrentSession, isIncognito, type Paths } from '../paths.ts';

/** The same calls, but `remember` fails in a silence. The worker cannot tell by itself which session asks. */
export function refuseInSilence(paths: Paths, api: MemoryApi): MemoryApi {
  return {
    ...api,
    remember: async (said) => {
      if (isIncognito()) throw new Error(`This session is incognito: nothing of it is kept. ${REMEDY}`);
      const place = { cwd: said.cwd, session: findCurrentSession() ?? undefined };
      // The worker is ours, so its answers are trusted to keep to their contract.
      const { silence } = (await askWorker(paths, withQuery('/api/statusline', place))) as StatuslineAnswer;
      if (silence) throw new Error(`${announceSilence(silence, Date.now())} ${REMEDY}`);
      return api.remember(said);
    },
  };
}

const REMEDY = 'Only the user can say it now, in a terminal of their own: claude-mem remember.';
