// What a check said, in a sentence; and what the checks after the last edit say about a piece of work.
import type { Outcome } from '../../core/observation.ts';
import { isReached } from './commands/place.ts';
import { provenKinds, type RanCheck } from './commands/run.ts';
import { listStashed } from './commands/set-aside.ts';
import { failedKind, type Repair } from './repairs.ts';
import type { Edit, Step, Turn } from './turn.ts';
import type { WorkGroup } from './work-groups.ts';

/** "bun test: 41 passed", "pytest: 2 of 14 failed: test_a, test_b — assert 3 == 4". */
export function describeRun(step: Step): string {
  const run = step.run;
  if (!run) return '';
  const name = run.tool || 'command';
  const failing = run.tests?.failing.slice(0, 4).join(', ');
  if (!run.failed && !run.checks.some((check) => check.isProven)) return `${name}: shows no result`;
  if (!run.failed) return run.tests?.passed ? `${name}: ${run.tests.passed} passed` : `${name}: passed`;
  const counts = run.tests && run.tests.failed > 0 ? failedCount(run.tests.failed, run.tests.passed) : 'failed';
  return [`${name}: ${counts}`, failing ? `: ${failing}` : '', run.error ? ` — ${run.error}` : ''].join('');
}

function failedCount(failed: number, passed: number | null): string {
  return passed === null ? `${failed} failed` : `${failed} of ${failed + passed} failed`;
}

/** The checks that speak of one piece of work: its own steps first, else whatever ran later in the turn. */
export function checksOf(turn: Turn, { group, repairs }: { group: WorkGroup; repairs: Repair[] }): Step[] {
  const own = checksAfter(group.steps, group.edits);
  const proofs = repairs.flatMap((repair) => (repair.success && !repair.success.old ? [repair.success] : []));
  if (own.length > 0 || proofs.length > 0) return [...new Set([...own, ...proofs.filter((step) => isLast(step, own))])];
  const later = turn.steps.filter((step) => !step.old);
  return checksAfter(later, group.edits);
}

/** A proof counts unless the same check ran again later. */
function isLast(step: Step, own: Step[]): boolean {
  return !own.some((other) => other.run?.tool === step.run?.tool);
}

/** The last run of each kind after the last edit; a red one outweighs green ones. */
function checksAfter(steps: Step[], edits: Edit[]): Step[] {
  const lastEdit = Math.max(-1, ...edits.map((edit) => edit.index));
  const byKind = new Map<string, Step>();
  const stashed = listStashed(steps.map((step) => step.run?.commands ?? []));
  const isTelling = ({ command }: RanCheck) =>
    !stashed.has(command) && (edits.length === 0 || edits.some((edit) => isReached(command, edit.file)));
  for (const step of steps) {
    if (step.index <= lastEdit || !step.run?.checks.some(isTelling)) continue;
    for (const kind of step.run.failed ? step.run.kinds : provenKinds(step.run)) {
      if (kind === 'program' && !isProof(step)) continue;
      if (step.run.failed && kind !== failedKind(step)) continue;
      byKind.set(kind, step);
    }
  }
  return [...new Set(byKind.values())];
}

/** That the style or the syntax is right shows nothing of what the work does; nor does a commit of whoever made it. */
export function outcomeOf(checks: Step[]): Outcome {
  const telling = checks.filter((step) => step.run?.kinds.some((kind) => kind !== 'lint'));
  const used = telling.length > 0 ? telling : checks;
  if (used.some((step) => step.run?.failed)) return 'failed';
  return telling.length > 0 ? 'passed' : 'unverified';
}

/** Programs that run the work itself; that kubectl or a formatter exits 0 proves nothing. */
const PROVING =
  /^(?:node|bun|deno|tsx|ts-node|python[\d.]*|ruby|php|perl|java|curl|http|wget|go run|cargo run|dotnet run|swift run|mix|rails|claude|terraform|tofu|kubectl (?:rollout|wait)|helm test|jupyter nbconvert|docker run|adb shell)\b|\.(?:sh|py|js|ts|rb|mjs)\b/;

function isProof(step: Step): boolean {
  if (step.packages.length > 0 || step.operations.length > 0) return false;
  const isForeground = step.event.action.type === 'command' && !step.event.action.background;
  return isForeground && PROVING.test(step.run?.tool ?? '') && !/\b(?:install|add|ci|i)$/.test(step.run?.tool ?? '');
}
