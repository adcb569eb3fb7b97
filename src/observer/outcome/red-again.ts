// Checks of a turn that went red for the very error that an earlier fix answered, with nothing else to explain it.
import { markError } from '../../core/error-mark.ts';
import type { OpenWork } from '../../store/memories/outcomes.ts';
import { gitWords } from '../local/commands/git-words.ts';
import { newSteps, type Step, type Turn } from '../local/turn.ts';
import { isTreeSwapped, placeOf } from './work-place.ts';

export type RedRun = { step: Step; marks: string[] };

/** Later ones follow edits, which explain them. */
const RUNS_READ = 20;

/** Red tests and builds that stayed red without a change: what is green again by itself was a flicker. */
export function listRedRuns(turn: Turn): RedRun[] {
  return newSteps(turn)
    .filter((step) => isRedCheck(step) && !isFlicker(turn, step))
    .slice(0, RUNS_READ)
    .flatMap((step) => {
      const marks = markError(step.run?.output ?? '');
      return marks.length > 0 ? [{ step, marks }] : [];
    });
}

function isRedCheck({ run }: Step): boolean {
  if (!run?.failed || !(run.kinds.includes('test') || run.kinds.includes('build'))) return false;
  return !SURROUNDINGS.test(run.error ?? '') && !SURROUNDINGS.test(run.output.slice(0, 4000));
}

/** What is not there or does not answer is no fault of the code: its fix has to be made again each time. */
const SURROUNDINGS =
  /ECONNREFUSED|ECONNRESET|EADDRINUSE|ENOTFOUND|ETIMEDOUT|ENOSPC|EACCES|already in use|connection refused|command not found|not recognized as|Cannot find (?:module|package)|No module named|timed out|Permission denied|heap out of memory|No space left|Cannot connect to|could not connect/i;

function isFlicker(turn: Turn, red: Step): boolean {
  const green = turn.steps.find(
    (step) => step.index > red.index && step.run?.tool === red.run?.tool && step.run?.failed === false,
  );
  if (!green) return false;
  return !turn.steps.some((step) => step.index > red.index && step.index < green.index && changesGround(step));
}

/** Nothing was changed between the fix and the red run, as far as this session knows. */
export function isUnexplained(turn: Turn, { step }: RedRun, work: OpenWork, isOwn: boolean): boolean {
  const span = { from: placeOf(turn, work, isOwn), to: step.index };
  if (step.index <= span.from || isTreeSwapped(turn, span)) return false;
  return !turn.steps.some((other) => other.index > span.from && other.index < span.to && changesGround(other));
}

function changesGround(step: Step): boolean {
  if (step.edits.length + step.packages.length + step.operations.length > 0) return true;
  const isFetched = step.run?.commands.some((command) =>
    /^(?:pull|merge|rebase|cherry-pick|revert|restore|stash|checkout|switch|reset|apply|am)$/.test(
      gitWords(command).verb,
    ),
  );
  return isFetched ?? false;
}
