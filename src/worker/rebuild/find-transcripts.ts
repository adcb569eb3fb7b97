// The transcripts of some sessions: where the agents keep them, and where hooks said that they are.
import type { Database } from 'bun:sqlite';
import { TRANSCRIPT_HOSTS } from '../../hosts/transcripts.ts';
import { type FoundSession, findSession } from '../../importer/transcript-files.ts';
import { listTranscriptsOf } from '../../store/sessions/transcripts.ts';
import { readFirstRecord } from '../import/first-record.ts';
import { listPast, type PastPlace } from '../import/list-past.ts';

/** By the host's own id; a session may have copies. */
export async function findTranscripts(
  db: Database,
  sessions: { hostSessionId: string }[],
  { home, ...place }: PastPlace & { home: string },
): Promise<Map<string, FoundSession[]>> {
  const wanted = new Set(sessions.map(({ hostSessionId }) => hostSessionId));
  const found = new Map<string, FoundSession[]>();
  const seen = new Set<string>();
  const add = (session: FoundSession) => {
    const [own] = session.files;
    if (!own || seen.has(own.path)) return;
    seen.add(own.path);
    const name = own.session ?? readFirstRecord(session)?.payload.session_id;
    if (name === undefined || !wanted.has(name)) return;
    found.set(name, [...(found.get(name) ?? []), session]);
  };
  if (wanted.size === 0) return found;
  for (const session of await listPast(home, place)) add(session);
  for (const { path, host: name } of listTranscriptsOf(db, [...wanted])) {
    const host = TRANSCRIPT_HOSTS.find((one) => one.name === name);
    const session = host && !seen.has(path) ? await findSession(host, path) : null;
    if (session) add(session);
  }
  return found;
}
