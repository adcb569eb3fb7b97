// Whether what memories say of the code is still so: their files as they were, against the work tree as it is.
import type { Database } from 'bun:sqlite';
import type { Freshness } from '../core/freshness.ts';
import { hashKindOf, readHead } from '../git/head.ts';
import { pathInTree } from '../git/tree-path.ts';
import { createWorkFiles } from '../git/work-file.ts';
import { listCitations } from '../store/memories/citations.ts';
import { type Case, type CheckedMemory, judgeAtSight } from './freshness-case.ts';
import { createHistoryJudge } from './freshness-history.ts';
import { type Judged, sumUp } from './freshness-sum.ts';

export type FreshnessDeps = {
  db: Database;
  clock?: () => number;
  /** For all questions to git of one check together; what is not known by then is said so. */
  deadlineMs?: number;
};

export type CheckPlace = {
  /** The work tree; '' when there is none. */
  root: string;
  branch: string | null;
};

export type FreshnessChecker = {
  /** An answer for each of them. No process is started when every file is as it was. Never fails because of git. */
  check: (memories: CheckedMemory[], place: CheckPlace) => Promise<Map<number, Freshness>>;
};

const DEADLINE_MS = 100;

export function createFreshness({ db, clock = Date.now, deadlineMs = DEADLINE_MS }: FreshnessDeps): FreshnessChecker {
  const files = createWorkFiles({ clock });
  const judgeByHistory = createHistoryJudge({ files, clock });

  function listCases(memories: CheckedMemory[], { root }: CheckPlace): Case[] {
    if (root === '') return [];
    const byId = new Map(memories.map((memory) => [memory.id, memory]));
    const kind = hashKindOf(readHead(root).commit);
    const seen = new Map<string, Case['now']>();
    const lookOnce = (path: string) => {
      const now = seen.get(path) ?? files.look(`${root}/${path}`, kind);
      seen.set(path, now);
      return now;
    };
    return listCitations(db, [...byId.keys()]).flatMap((cited): Case[] => {
      const memory = byId.get(cited.observationId);
      const path = pathInTree(cited.path, root);
      if (!memory || path === null) return [];
      const now = lookOnce(path);
      // Somebody looked around in a folder: that is not about a file.
      return now.isFolder ? [] : [{ memory, cited, path, now, lines: () => files.lines(`${root}/${path}`) }];
    });
  }

  return {
    async check(memories, place) {
      const endAt = performance.now() + deadlineMs;
      const judged: Judged[] = [];
      const open: Case[] = [];
      for (const of of listCases(memories, place)) {
        const verdict = judgeAtSight(of);
        if (verdict) judged.push({ of, verdict });
        else open.push(of);
      }
      if (open.length > 0) judged.push(...(await judgeByHistory(open, place, () => endAt - performance.now())));
      const byId = Map.groupBy(judged, ({ of }) => of.memory.id);
      return new Map(memories.map(({ id }) => [id, sumUp(byId.get(id) ?? [])]));
    },
  };
}
