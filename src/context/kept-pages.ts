// The page of a starting session, kept while all that it was made of is as it was: mostly it was known when the last session ended.
import { isDeepStrictEqual } from 'node:util';
import type { Freshness } from '../core/evidence.ts';
import type { Observation } from '../memory/observations.ts';
import { findGlobalProject, findWholeOf } from '../projects/projects.ts';
import { createCountChanges } from '../store/changes.ts';
import type { Surroundings } from './surroundings.ts';
import { type TellDeps, type TellQuery, type Told, tellSession } from './tell.ts';

type Kept = {
  /** How the store was. */
  stored: string;
  /** What was asked, and how it was where the session stands. */
  asked: string;
  /** What the code was held against, and what came of it. */
  checked: Map<Observation, Freshness | undefined>;
  told: Told;
};

/** More work trees than sessions are started in at once. */
const MOST_KEPT = 20;

type KeptQuery = Omit<TellQuery, 'since'> & {
  root: string;
  /** Nobody waits for it. */
  isAhead?: boolean;
};

/** As `tellSession`, for sessions of which nothing is known yet: all of them are told the same. */
export function createKeptPages(deps: TellDeps): (query: KeptQuery) => Promise<Told> {
  const kept = new Map<string, Kept>();
  const count = createCountChanges(deps.db);
  const stampStore = (projectId: number) => {
    const others = [findWholeOf(deps.db, projectId), findGlobalProject(deps.db)].flatMap((project) => project?.id ?? []);
    return count([projectId, ...others]);
  };

  async function write(query: TellQuery): Promise<Omit<Kept, 'stored' | 'asked'>> {
    const checked: Kept['checked'] = new Map();
    const checkFreshness: TellDeps['checkFreshness'] = async (observations, place) => {
      const found = await deps.checkFreshness(observations, place);
      for (const one of observations) checked.set(one, found.get(one.id));
      return found;
    };
    return { checked, told: await tellSession({ ...deps, checkFreshness }, query) };
  }

  async function isFresh({ checked }: Kept, surroundings: Surroundings): Promise<boolean> {
    const now = await deps.checkFreshness([...checked.keys()], surroundings);
    return [...checked].every(([{ id }, before]) => isDeepStrictEqual(now.get(id), before));
  }

  let isFirst = true;
  return async (asked) => {
    const query = { ...asked, since: null };
    const { project, root } = asked;
    // To begin to count takes some milliseconds, and whoever has started the worker has waited enough.
    const mayWait = asked.isAhead || !isFirst;
    isFirst = false;
    if (!mayWait) return (await write(query)).told;
    const stored = stampStore(project.id);
    const key = `${project.id} ${root}`;
    const before = kept.get(key);
    if (before?.stored === stored) {
      const surroundings = await asked.surroundings;
      const isSame = before.asked === describe(query, surroundings) && (await isFresh(before, surroundings));
      // Something may have been stored meanwhile.
      if (isSame && stampStore(project.id) === stored) return before.told;
    }
    kept.delete(key);
    const page = await write(query);
    const surroundings = await asked.surroundings;
    const isKept = project.id !== 0 && surroundings.stamp !== null && page.told.context && stampStore(project.id) === stored;
    if (kept.size >= MOST_KEPT) kept.clear();
    if (isKept) kept.set(key, { ...page, stored, asked: describe(query, surroundings) });
    return page.told;
  };
}

function describe({ project, settings }: TellQuery, { stamp }: Surroundings): string {
  const { contextTokens, contextSections, contextTypes, contextIndex, contextFull, contextSessions } = settings;
  return JSON.stringify([project.name, stamp, contextTokens, contextSections, contextTypes, contextIndex, contextFull, contextSessions]);
}
