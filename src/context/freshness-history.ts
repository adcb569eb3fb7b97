// The files that are not as they were, judged by what git says became of them.
import { canonical, findGitDir } from '../git/git-dir.ts';
import { hashKindOf, readBranchTip, readHead } from '../git/head.ts';
import type { WorkFiles } from '../git/work-file.ts';
import { doubtGone, findElsewhere, findMerged } from './freshness-branches.ts';
import { type Case, judgeAtSight, say } from './freshness-case.ts';
import { judgeAlone, judgeByPast, judgeHere, listSuspects } from './freshness-judge.ts';
import { followNames } from './freshness-names.ts';
import { createPastReader, type Place } from './freshness-past.ts';
import { createRepositoryReader, type MsLeft } from './freshness-repository.ts';
import type { Judged } from './freshness-sum.ts';

export type HistoryJudge = (
  open: Case[],
  where: { root: string; branch: string | null },
  msLeft: MsLeft,
) => Promise<Judged[]>;

export function createHistoryJudge({ files, clock }: { files: WorkFiles; clock: () => number }): HistoryJudge {
  const reader = createRepositoryReader({ clock });

  return async (open, { root, branch }, msLeft) => {
    if (!findGitDir(canonical(root))) return open.map((of) => ({ of, verdict: judgeAlone(of) }));
    const head = readHead(root).commit;
    const place: Place = { head, branch, tips: readTips(root, open, branch) };
    const since = Math.min(...open.map(({ memory }) => memory.at));
    const heads = new Set(open.flatMap(({ memory }) => memory.head ?? []));
    const question = { root, head, tips: [...new Set(place.tips.values())], since, heads };
    const paths = [...new Set(open.map(({ path }) => path))];
    const names = await followNames({ reader, question, msLeft }, paths);
    const named = open.map((of): Named => {
      const had = names.get(of.path) ?? [of.path];
      const path = had.at(-1) ?? of.path;
      const file = `${root}/${path}`;
      const now = files.look(file, hashKindOf(head));
      return { of: { ...of, path, now, lines: () => files.lines(file) }, had };
    });
    const judged = named.map(({ of, had }) => ({ of, had, verdict: judgeAtSight(of) }));
    // Most of what was only renamed needs no more than that.
    const asked = judged.flatMap(({ had, verdict }) => (verdict ? [] : had));
    const repository = await reader.read({ ...question, paths: [...new Set(asked)] }, msLeft);
    const readPast = createPastReader(repository, place);
    const cases = judged.map(({ of, had, verdict }) => ({ of, had, verdict, past: readPast(of.memory, had) }));
    const suspects = new Set(cases.flatMap(({ past, verdict }) => (verdict ? [] : listSuspects(past))));
    await reader.readReverted(root, repository, [...suspects], msLeft);
    const found = cases.map(({ verdict, ...rest }) => {
      return { ...rest, verdict: verdict ?? judgeByPast(rest.of, rest.past, repository.reverted) };
    });
    const asking = { root, msLeft };
    const [elsewhere, merged] = await Promise.all([findElsewhere(asking, found), findMerged(asking, found)]);
    return found.map((one) => {
      const { of, past } = one;
      if (elsewhere.has(one)) return { of, verdict: say('elsewhere') };
      if (merged.has(one)) return { of, verdict: judgeHere(of, past, repository.reverted) };
      return { of, verdict: doubtGone(root, one) };
    });
  };
}

/** All the names that its file had since, the one it has now last. */
type Named = { of: Case; had: string[] };

/** More branches than that are hardly worked on at a time. */
const MOST_BRANCHES = 6;

/** The last commits of the other branches that these memories were made on, as far as they are still there. */
function readTips(root: string, open: Case[], branch: string | null): Map<string, string> {
  const names = new Set(open.flatMap(({ memory }) => memory.branch ?? []));
  const others = [...names].filter((name) => name !== branch).slice(0, MOST_BRANCHES);
  return new Map(
    others.flatMap((name): [string, string][] => {
      const tip = readBranchTip(root, name);
      return tip === null ? [] : [[name, tip]];
    }),
  );
}
