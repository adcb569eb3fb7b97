// What the commits that were read say of one file, since one memory.
import { type Commit, type History, listAncestors } from '../git/history.ts';
import type { CheckedMemory } from './freshness-case.ts';
import type { Repository } from './freshness-repository.ts';

/** One commit's change of the file. */
export type Step = { commit: Commit; from: string; to: string };

export type Past = {
  /** What led to where the work tree stands; the latest first. */
  steps: Step[];
  /** Those of them that the memory does not know of. */
  since: Step[];
  /** The same by the clock alone, for a memory that does not say where it stood. */
  sinceThen: Step[];
  /** Made on a branch that is still there and is not this one. */
  isOfOtherBranch: boolean;
  /** What only that branch has. */
  elsewhere: Step[];
  /** Git's hash of the file in HEAD; empty when it does not have it. */
  headBlob: string;
  /** All that happened since the memory is known. */
  isWhole: boolean;
  /** Where it was taken away, git was asked whether it has another name now. */
  isFollowed: boolean;
};

export type Place = {
  head: string | null;
  branch: string | null;
  /** The last commits of the branches that memories were made on. */
  tips: ReadonlyMap<string, string>;
};

export function createPastReader(repository: Repository, place: Place) {
  const { commits } = repository;
  const ancestors = new Map<string, Set<string>>();
  const ancestorsOf = (tip: string) => {
    const found = ancestors.get(tip) ?? listAncestors(commits, tip);
    ancestors.set(tip, found);
    return found;
  };
  const top = place.head ?? commits.keys().next().value ?? '';

  /** Under all the names it had since. */
  return function readPast(memory: CheckedMemory, names: string[]): Past {
    const touching = listSteps(commits, names);
    const here = ancestorsOf(top);
    const steps = touching.filter(({ commit }) => here.has(commit.hash));
    const known = memory.head !== null && here.has(memory.head) ? ancestorsOf(memory.head) : null;
    const isNew = ({ commit }: Step) => (known ? !known.has(commit.hash) : commit.at + WITHIN_MS >= memory.at);
    const tip = memory.branch === null || memory.branch === place.branch ? undefined : place.tips.get(memory.branch);
    const there = tip === undefined ? null : ancestorsOf(tip);
    return {
      steps,
      since: steps.filter(isNew),
      sinceThen: steps.filter(({ commit }) => commit.at > memory.at),
      isOfOtherBranch: there !== null,
      elsewhere: there ? touching.filter(({ commit: { hash } }) => there.has(hash) && !here.has(hash)) : [],
      headBlob: repository.blobs.get(names.at(-1) ?? '') ?? '',
      isWhole: repository.backTo < memory.at,
      isFollowed: steps[0]?.to !== '' || repository.moves.has(steps[0].commit.hash),
    };
  };
}

/** Git's clock counts whole seconds. */
const WITHIN_MS = 999;

/** A commit that only renamed the file did not change it. */
function listSteps(commits: History['commits'], names: string[]): Step[] {
  const steps: Step[] = [];
  for (const commit of commits.values()) {
    const touches = commit.touches.filter(({ path }) => names.includes(path));
    const from = touches.find((touch) => touch.from !== '')?.from ?? '';
    const to = touches.find((touch) => touch.to !== '')?.to ?? '';
    if (from !== to) steps.push({ commit, from, to });
  }
  return steps;
}
