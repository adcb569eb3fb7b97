// The titles of what a session was told, asked for when somebody wants to see them.
import { useEffect, useState } from 'preact/hooks';
import type { ReplayAnswer } from '../../../../src/core/shapes/context.ts';
import type { BatchAnswer } from '../../../../src/core/shapes/memory.ts';
import type { ListedSession } from '../../../../src/core/shapes/project.ts';
import { ask } from '../../api.ts';
import { nameSession } from '../sessions/name-session.ts';

type Records = ReplayAnswer['tellings'][number]['records'];

/** Null while they are asked for. What is not there any more has none. */
export type Titles = ReadonlyMap<string, string> | null;

/** What the API gives at once. */
const MOST = 200;

export function useTitles(records: Records, isWanted: boolean): Titles {
  const [titles, setTitles] = useState<Titles>(null);
  useEffect(() => {
    if (!isWanted || titles) return;
    readTitles(records).then(setTitles, () => setTitles(new Map()));
  }, [isWanted, titles]);
  return titles;
}

async function readTitles(records: Records): Promise<Titles> {
  const ids = [...new Set(records.flatMap(({ id, kind }) => (kind === 'session' ? [] : id)))].slice(0, MOST);
  const [memories, sessions] = await Promise.all([
    ids.length > 0 ? ask<BatchAnswer>('/api/observations/batch', { method: 'POST', body: { ids } }) : { memories: [] },
    records.some(({ kind }) => kind === 'session') ? listSessions() : [],
  ]);
  return new Map([
    // One that is older than the list.
    ...records.flatMap(({ id, kind }) => (kind === 'session' ? [[id, 'A session'] as const] : [])),
    ...memories.memories.map(({ id, title }) => [id, title || 'Untitled'] as const),
    ...sessions.map((session) => [session.session, nameSession(session)] as const),
  ]);
}

const listSessions = async () => (await ask<{ items: ListedSession[] }>('/api/sessions', { query: { limit: MOST } })).items;
