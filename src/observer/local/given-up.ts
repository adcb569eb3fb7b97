// The edits of a session that this turn took back: by the inverse edit, by deleting a new file, or by git.
import { gitWords } from './commands/git-words.ts';
import { isNamed } from './commands/named-path.ts';
import { isPop, isStash } from './commands/set-aside.ts';
import { unique } from './draft.ts';
import { findUndoneEdits, type Undone } from './edits/undone.ts';
import { isRevertOf, readReverted } from './reverts.ts';
import { commitsOf, type Edit, newSteps, type Step, type Turn } from './turn.ts';

/** `undone` = the edits given up together, `by` = the steps that took them back, `failure` = what went red in between */
export type Attempt = { undone: Edit[]; by: Step[]; how: string; failure: Step | null };

export function findAttempt(turn: Turn): Attempt | null {
  const pairs = undoneNow(turn).filter((pair) => !pair.isDebugging);
  const byGit = newSteps(turn).flatMap((step) => undoneByGit(step, turn));
  const undone = unique([...pairs.map((pair) => pair.attempt), ...byGit.flatMap((one) => one.edits)]);
  const worth = undone.filter((edit) => !GENERATED.test(edit.file));
  if (worth.length === 0) return null;
  const by = turn.steps.filter(
    (step) => pairs.some((pair) => pair.undo.id === step.id) || byGit.some((one) => one.step === step),
  );
  const between = runsBetween(turn, worth, by);
  const failure = between.findLast((step, at) => step.run?.failed && !isMended(step, between.slice(at + 1))) ?? null;
  return { undone: worth, by, how: byGit[0]?.how ?? '', failure };
}

/** The same check was green again before anything was taken back. */
function isMended(step: Step, later: Step[]): boolean {
  return later.some((other) => !other.run?.failed && other.run?.tool === step.run?.tool);
}

/** Every edit that is part of an undoing, so that it does not count as work. */
export function givenUpEdits(turn: Turn, attempt: Attempt | null): Set<string> {
  const pairs = undoneNow(turn).flatMap((pair) => (pair.isWhole ? [pair.attempt, pair.undo] : [pair.attempt]));
  return new Set([...pairs, ...(attempt?.undone ?? [])].map(editKey));
}

export function editKey(edit: Edit): string {
  return `${edit.id}\n${edit.file}`;
}

/** Put back because a tool had touched them, not because an idea failed. */
const GENERATED =
  /(?:^|\/)(?:package-lock\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|Cargo\.lock|poetry\.lock|go\.sum|Gemfile\.lock)$|\.snap$|(?:^|\/)(?:dist|generated|__snapshots__)\//;

function undoneNow(turn: Turn): Undone[] {
  return findUndoneEdits(turn.steps.flatMap((step) => step.edits)).filter((pair) => !pair.undo.old);
}

function undoneByGit(step: Step, turn: Turn): { step: Step; edits: Edit[]; how: string }[] {
  return step.git.flatMap((deed) => {
    if (deed.kind !== 'undo' || (deed.how === 'git stash' && isPopped(step, turn))) return [];
    const before = deed.how.startsWith('git revert') ? editsReverted(step, turn) : editsSinceCommit(step, turn);
    const edits = before.filter((edit) => deed.files.length === 0 || isNamed(edit.file, deed.files));
    return edits.length > 0 ? [{ step, edits, how: deed.how }] : [];
  });
}

function editsSinceCommit(step: Step, turn: Turn): Edit[] {
  const last = commitsBefore(step, turn).at(-1)?.step.index ?? -1;
  return turn.steps.filter(({ index }) => index > last && index <= step.index).flatMap(({ edits }) => edits);
}

/** Those of the commits that it names: a revert of anything else leaves the work of this session alone. */
function editsReverted(step: Step, turn: Turn): Edit[] {
  const commits = commitsBefore(step, turn);
  const named = readReverted(step);
  return commits.flatMap(({ step: made, commit }, at) => {
    const isLast = at === commits.length - 1 && named.length === 0 && isOfHead(step);
    if (!isLast && !isRevertOf(named, commit)) return [];
    const from = commits[at - 1]?.step.index ?? -1;
    return turn.steps.filter(({ index }) => index > from && index <= made.index).flatMap(({ edits }) => edits);
  });
}

function commitsBefore(step: Step, turn: Turn): ReturnType<typeof commitsOf> {
  return commitsOf(turn.steps.filter(({ index }) => index < step.index));
}

function isOfHead(step: Step): boolean {
  return (step.run?.commands ?? []).some((command) => {
    const { verb, rest } = gitWords(command);
    return verb === 'revert' && rest.includes('HEAD');
  });
}

/** What was stashed came back, later or in the same line. */
function isPopped(stash: Step, turn: Turn): boolean {
  const own = stash.run?.commands ?? [];
  const rest = own.slice(own.findLastIndex(isStash) + 1);
  const later = turn.steps.filter(({ index }) => index > stash.index).flatMap(({ run }) => run?.commands ?? []);
  return [...rest, ...later].some(isPop);
}

function runsBetween(turn: Turn, undone: Edit[], by: Step[]): Step[] {
  const first = Math.min(...undone.map((edit) => edit.index));
  const last = Math.max(...by.map((step) => step.index));
  const between = turn.steps.filter((step) => step.index > first && step.index < last);
  return between.filter((step) => (step.run?.kinds.length ?? 0) > 0);
}
