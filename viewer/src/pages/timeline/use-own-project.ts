// The project of the memory that a timeline is about: what happened around it elsewhere is seldom meant.
import { useEffect, useState } from 'preact/hooks';
import type { BatchAnswer } from '../../../../src/core/shapes/memory.ts';
import type { ProjectsAnswer } from '../../../../src/core/shapes/project.ts';
import { ApiError, ask } from '../../api.ts';
import { useAgainWhenLive } from '../../when-live.ts';

/** Null while it is asked for; '' when it has none, or several are called the same. */
export function useOwnProject(id: string | null): string | null {
  const [known, setKnown] = useState<{ id: string; project: string; error: ApiError | null } | null>(null);
  useEffect(() => {
    if (id === null || known?.id === id) return;
    const stop = new AbortController();
    const settle = (project: string, error: ApiError | null = null) => !stop.signal.aborted && setKnown({ id, project, error });
    readProject(id, stop.signal).then(
      (project) => settle(project),
      // The timeline itself says what is wrong.
      (error) => settle('', error instanceof ApiError ? error : null),
    );
    return () => stop.abort();
  }, [id, known === null]);
  useAgainWhenLive(known?.error ?? null, () => setKnown(null));
  if (id === null) return '';
  return known?.id === id ? known.project : null;
}

const MOST = 200;

async function readProject(id: string, signal: AbortSignal): Promise<string> {
  const [{ memories }, { items }] = await Promise.all([
    ask<BatchAnswer>('/api/observations/batch', { method: 'POST', body: { ids: [id] }, signal }),
    ask<ProjectsAnswer>('/api/projects', { query: { limit: MOST }, signal }),
  ]);
  const name = memories[0]?.project ?? '';
  return items.filter(({ project }) => project === name).length === 1 ? name : '';
}

/** A time and words belong to no project. */
export const readId = (anchor: string) => (/^[SP]?\d+$/i.test(anchor) ? anchor.toUpperCase() : null);
