// The edits of a session that this turn took back: by the inverse edit, by deleting a new file, or by git.
import { unique } from './draft.ts';
import { findUndoneEdits, type Undone } from './edits/undone.ts';
import { type Edit, newSteps, type Step, type Turn } from './turn.ts';

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
    const commits = turn.steps.filter(
      (other) => other.index < step.index && other.git.some((one) => one.kind === 'commit'),
    );
    const isRevert = deed.how.startsWith('git revert');
    // A revert takes back the last commit; everything else what came after it.
    const from = (isRevert ? commits.at(-2) : commits.at(-1))?.index ?? -1;
    const to = isRevert ? (commits.at(-1)?.index ?? step.index) : step.index;
    const before = turn.steps
      .filter((other) => other.index > from && other.index <= to)
      .flatMap((other) => other.edits);
    const edits = before.filter(
      (edit) => deed.files.length === 0 || deed.files.some((file) => touches(edit.file, file)),
    );
    return edits.length > 0 ? [{ step, edits, how: deed.how }] : [];
  });
}

function isPopped(stash: Step, turn: Turn): boolean {
  return turn.steps.some((step) => step.index > stash.index && /\bgit stash (?:pop|apply)\b/.test(commandOf(step)));
}

function commandOf(step: Step): string {
  return step.event.action.type === 'command' ? step.event.action.command.slice(0, 2000) : '';
}

function touches(file: string, named: string): boolean {
  const path = named.replace(/^\.\//, '').replace(/\/$/, '');
  if (path === '.' || path === '' || file === path) return true;
  return file.endsWith(`/${path}`) || file.startsWith(`${path}/`) || path.endsWith(`/${file}`);
}

function runsBetween(turn: Turn, undone: Edit[], by: Step[]): Step[] {
  const first = Math.min(...undone.map((edit) => edit.index));
  const last = Math.max(...by.map((step) => step.index));
  const between = turn.steps.filter((step) => step.index > first && step.index < last);
  return between.filter((step) => (step.run?.kinds.length ?? 0) > 0);
}
