// How a piece of work ended, as the rules read it from the runs: a model may doubt that, and decides nothing else.
import type { ObservationDraft, ObservationType, Outcome } from '../../core/observation.ts';

/** Of several the worst. Ruled out comes last: where something was tried and dropped, other work on the same file may have stood. */
const WORST_FIRST: Outcome[] = ['failed', 'unverified', 'passed', 'ruled-out'];
const WORK: ObservationType[] = ['bugfix', 'feature', 'refactor', 'change'];

export function outcomeOf(
  { type, filesModified, isUnverified }: Pick<ObservationDraft, 'type' | 'filesModified'> & { isUnverified: boolean },
  local: ObservationDraft[],
): Outcome | null {
  const onSameFiles = local.filter(
    (draft) => draft.outcome !== null && draft.filesModified.some((file) => filesModified.includes(file)),
  );
  const ofSameType = onSameFiles.filter((draft) => draft.type === type);
  const drafts = ofSameType.length > 0 ? ofSameType : onSameFiles;
  const worst = WORST_FIRST.find((outcome) => drafts.some((draft) => draft.outcome === outcome));
  if (worst === 'passed' && isUnverified) return 'unverified';
  return worst ?? (WORK.includes(type) && filesModified.length > 0 ? 'unverified' : null);
}
