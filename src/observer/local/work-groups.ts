// Sorts a turn's edits by purpose: those of one commit belong together; without commits the whole turn is one piece of work.
import type { Commit } from './commands/git.ts';
import { isNamed } from './commands/named-path.ts';
import { isLeftOut, listAdded } from './committed.ts';
import type { Repair } from './repairs.ts';
import type { Edit, Step, Turn } from './turn.ts';
import { newSteps } from './turn.ts';

export type WorkGroup = { edits: Edit[]; commits: { step: Step; commit: Commit }[]; steps: Step[] };

export function groupWork(turn: Turn, isKept: (edit: Edit) => boolean): WorkGroup[] {
  const groups: WorkGroup[] = [];
  let pool: Edit[] = [];
  let steps: Step[] = [];
  for (const step of newSteps(turn)) {
    pool.push(...step.edits.filter(isKept));
    steps.push(step);
    const commits = step.git.flatMap((deed) => (deed.kind === 'commit' ? [{ step, commit: deed.commit }] : []));
    if (commits.length === 0) continue;
    const [claimed, left] = claim(pool, steps, turn.root);
    groups.push({ edits: claimed, commits, steps });
    pool = left;
    steps = [];
  }
  return closeLast(groups, pool, steps);
}

/**
 * Two failures, each with its own edits and its own green run, are two pieces of work, if the agent speaks of both.
 * `isTold` says whether its words name any of these edits.
 */
export function splitByRepairs(group: WorkGroup, repairs: Repair[], isTold: (edits: Edit[]) => boolean): WorkGroup[] {
  const own = repairs.filter((repair) => repair.success && repair.edits.some((edit) => group.edits.includes(edit)));
  const parts = own.map((repair) => repair.edits.filter((edit) => group.edits.includes(edit)));
  const files = parts.map((edits) => new Set(edits.map((edit) => edit.file)));
  const isApart = files.every((set, at) => files.every((other, to) => at === to || set.isDisjointFrom(other)));
  if (parts.length < 2 || !isApart || !parts.every(isTold)) return [group];
  const rest = group.edits.filter((edit) => !parts.some((part) => part.includes(edit)));
  return parts.map((edits, at) => ({ ...group, edits: at === 0 ? [...rest, ...edits] : edits }));
}

/** `git add a.ts && git commit` takes only what was added by name; where git prints all that it took, only that. */
function claim(pool: Edit[], steps: Step[], root: string): [Edit[], Edit[]] {
  const names = listAdded(steps, root);
  const commit = steps.at(-1);
  const isTaken = ({ file }: Edit) =>
    (names.length === 0 || isNamed(file, names)) && !(commit && isLeftOut(commit, file));
  return [pool.filter(isTaken), pool.filter((edit) => !isTaken(edit))];
}

/** What follows the last commit without an edit (checks, pushes) still belongs to it. */
function closeLast(groups: WorkGroup[], pool: Edit[], steps: Step[]): WorkGroup[] {
  const last = groups.at(-1);
  if (pool.length > 0) return [...groups, { edits: pool, commits: [], steps }];
  if (last) last.steps.push(...steps);
  return groups;
}
