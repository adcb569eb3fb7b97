// Failures and what became of them: the edits made after one, and the run that then passed.
import type { CheckKind } from './commands/check-kind.ts';
import { provenKinds } from './commands/run.ts';
import type { Edit, Step, Turn } from './turn.ts';

/**
 * `success` null = still failing, or not run again. `again` are the red runs after the first, each of which may have another cause.
 * `remedies` are commands that changed the ground: packages, migrations, services.
 */
export type Repair = { failure: Step; again: Step[]; success: Step | null; edits: Edit[]; remedies: Step[] };

export function findRepairs(turn: Turn, isKept: (edit: Edit) => boolean): Repair[] {
  const repairs: Repair[] = [];
  const open = new Map<string, Repair>();
  for (const step of turn.steps) {
    for (const repair of open.values()) {
      repair.edits.push(...step.edits.filter(isKept));
      if (isRemedy(step, repair)) repair.remedies.push(step);
    }
    if (!step.run || step.run.kinds.length === 0) continue;
    if (step.run.failed) {
      if (isSlip(step)) continue;
      const key = failureKey(step);
      const known = open.get(key);
      if (known) known.again.push(step);
      else open.set(key, { failure: step, again: [], success: null, edits: [], remedies: [] });
    } else {
      closeRepairs(open, step, repairs);
    }
  }
  return [...repairs, ...open.values()]
    .filter((repair) => concernsThisTurn(repair))
    .sort((a, b) => a.failure.index - b.failure.index);
}

/** Nothing was edited but to make something pass again. */
export function isOnlyRepairs(edits: Edit[], repairs: Repair[]): boolean {
  const repaired = new Set(repairs.filter((repair) => repair.success).flatMap((repair) => repair.edits));
  return edits.length > 0 && edits.every((edit) => repaired.has(edit));
}

/** Another program that ran well in between may have changed the ground: a package, a migration, a firewall rule. */
function isRemedy(step: Step, repair: Repair): boolean {
  if (!step.run || step.run.failed || step.run.tool === repair.failure.run?.tool) return false;
  return (
    step.packages.length > 0 ||
    step.operations.length > 0 ||
    (step.run.kinds.every((kind) => kind === 'program') && step.run.kinds.length > 0)
  );
}

/** A mistyped command is no failure of the work; a program that is not there may be. */
function isSlip(step: Step): boolean {
  const { run } = step;
  if (run?.tests) return false;
  return /could not determine executable|Missing script|Unknown (?:command|option)|unrecognized (?:command|subcommand)|: Is a directory$|did you mean/im.test(
    run?.output.slice(0, 2000) ?? '',
  );
}

function closeRepairs(open: Map<string, Repair>, step: Step, repairs: Repair[]): void {
  for (const [key, repair] of open) {
    if (!proves(step, key, repair)) continue;
    open.delete(key);
    repairs.push({ ...repair, success: step });
  }
}

function failureKey(step: Step): string {
  const kind = failedKind(step);
  return kind === 'program' ? `program ${step.run?.tool}` : kind;
}

export function failedKind(step: Step): CheckKind {
  if (step.run?.tests) return 'test';
  const order: CheckKind[] = ['build', 'lint', 'test', 'program'];
  return order.find((kind) => step.run?.kinds.includes(kind)) ?? 'program';
}

/** A passing test run after an edit also answers a build or a program that failed before. */
function proves(step: Step, key: string, repair: Repair): boolean {
  const kinds = step.run ? provenKinds(step.run) : [];
  if (step.run?.checks.some((check) => check.isProven && `program ${check.tool}` === key)) return true;
  if (kinds.some((kind) => kind === key)) return true;
  return kinds.includes('test') && key !== 'lint' && repair.edits.length > 0;
}

/** Something of it happened now: an edit, or the run that passed. Without any change it was a slip, not a fix. */
function concernsThisTurn(repair: Repair): boolean {
  const changed = repair.edits.length > 0 || (repair.success !== null && repair.remedies.length > 0);
  return changed && [repair.success, ...repair.edits, ...repair.remedies].some((one) => one?.old === false);
}
