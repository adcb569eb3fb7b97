// Whether a turn bears out an earlier piece of work: a check that passed with it in place, or a commit that holds it.
import type { OpenWork } from '../../store/memories/outcomes.ts';
import { holdsAll } from '../local/committed.ts';
import { failedKind } from '../local/repairs.ts';
import { newSteps, type Step, type Turn } from '../local/turn.ts';
import { checkCovers } from './covers.ts';
import { editsBetween, isTreeSwapped } from './work-place.ts';

type Placed = { work: OpenWork; place: number };

/** The step that does; null when none. */
export function findProof(turn: Turn, placed: Placed): Step | null {
  return findPassingCheck(turn, placed) ?? (placed.work.outcome === 'unverified' ? findCommit(turn, placed) : null);
}

/** Nothing of it was edited in between, and no check that speaks of it ended red. */
function findPassingCheck(turn: Turn, { work, place }: Placed): Step | null {
  const last = lastChecks(turn).filter((step) => step.index > place);
  if (last.some((step) => step.run?.failed)) return null;
  const proof = last.find((step) => {
    const span = { from: place, to: step.index };
    return (
      checkCovers(step, work.files) && editsBetween(turn, work.files, span).length === 0 && !isTreeSwapped(turn, span)
    );
  });
  return proof ?? null;
}

/** The last run of each test and build in this turn that ended red or shows that it passed. */
function lastChecks(turn: Turn): Step[] {
  const byTool = new Map<string, Step>();
  for (const step of newSteps(turn)) {
    const kinds = step.run?.kinds ?? [];
    if (!kinds.includes('test') && !kinds.includes('build')) continue;
    if (step.run?.failed && failedKind(step) === 'lint') continue;
    if (!step.run?.failed && !step.run?.checks.some((check) => check.isProven)) continue;
    byTool.set(step.run?.tool ?? '', step);
  }
  return [...byTool.values()];
}

/** Its own turn's commit held it already: a later one holds other things. */
const isCommitted = ({ facts }: OpenWork) => facts.some((text) => text.startsWith('Commit '));

/** A fix that was edited again before the commit may have been none; other work only went on. */
function findCommit(turn: Turn, { work, place }: Placed): Step | null {
  if (isCommitted(work)) return null;
  const commit = newSteps(turn).find((step) => {
    const span = { from: place, to: step.index };
    const isCommit = step.git.some((deed) => deed.kind === 'commit' && !deed.commit.revert);
    if (!isCommit || step.index <= place || isTreeSwapped(turn, span)) return false;
    if (work.type === 'bugfix' && editsBetween(turn, work.files, span).length > 0) return false;
    return holdsAll(sinceLastCommit(turn, step), work.files, turn.root);
  });
  return commit ?? null;
}

function sinceLastCommit(turn: Turn, commit: Step): Step[] {
  const before = turn.steps.findLastIndex(
    (step) => step.index < commit.index && step.git.some((deed) => deed.kind === 'commit'),
  );
  return turn.steps.slice(before + 1, commit.index + 1);
}
