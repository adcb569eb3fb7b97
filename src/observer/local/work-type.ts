// Decides what kind of work a group of edits is: commit first, then the request, the agent's words, the shape of the change.
import type { ObservationType } from '../../core/observation.ts';
import type { FileChange } from './edits/changes.ts';
import { isTestFile, renameIn } from './edits/describe.ts';
import { askedFor, asksForTests, isBroken, isTroubled, wantsLess } from './words/asked.ts';
import { readSubject, typeOfVerb } from './words/verbs.ts';

export type Evidence = {
  commitSubject: string | null;
  prompt: string;
  headline: string | null;
  changes: FileChange[];
  /** A check was red before anything but a test was edited, and is green now. */
  startedRed: boolean;
  /** Every edit of the group was such a repair. */
  onlyRepairs: boolean;
  /** The agent plainly names a cause. */
  causeStated: boolean;
  /** The agent gives any reason for what was wrong. */
  isExplained: boolean;
  /** It gives one in so many words, not just as its first sentence. */
  hasCause: boolean;
  /** The agent tells it as a repair: cause and fix by label, or a failure that is gone. */
  isToldAsFix: boolean;
  /** The agent gives figures before and after. */
  isGain: boolean;
};

export function typeOfWork(evidence: Evidence): ObservationType {
  const { changes } = evidence;
  const committed = evidence.commitSubject ? readSubject(evidence.commitSubject).type : null;
  const asked = askedFor(evidence.prompt);
  const isRepaired = evidence.isToldAsFix && asked !== 'feature' && asked !== 'refactor';
  const isTrouble = asked === 'bugfix' || evidence.startedRed || isBroken(evidence.prompt) || isRepaired;
  if (isConventional(evidence.commitSubject) && committed && !(committed === 'change' && isTrouble)) return committed;
  if (changes.length > 0 && changes.every((change) => isDocument(change.file))) return 'change';
  if (isRepaired && (committed === null || committed === 'change')) return 'bugfix';
  if (asked === 'bugfix' || committed === 'bugfix')
    return asked === 'bugfix' || !committed || committed === 'bugfix' ? 'bugfix' : committed;
  const told = evidence.headline ? typeOfVerb(evidence.headline) : null;
  const isCost = evidence.isGain && wantsLess(evidence.prompt) && !isBroken(evidence.prompt);
  if (isCost && !evidence.causeStated) return 'change';
  const isOld = isBroken(evidence.prompt) || evidence.startedRed || evidence.hasCause;
  const isNew = (told === 'feature' || told === 'refactor') && !isOld;
  if (isTroubled(evidence.prompt) && !isNew && (evidence.isExplained || isBroken(evidence.prompt))) return 'bugfix';
  if (told === 'bugfix' && asked !== 'feature' && asked !== 'refactor') return 'bugfix';
  const isRepair =
    evidence.onlyRepairs || (!asksForTests(evidence.prompt) && (evidence.startedRed || evidence.causeStated));
  if (isRepair && (asked === null || asked === 'change') && (committed === null || committed === 'change'))
    return 'bugfix';
  if (changes.length > 0 && changes.every((change) => isConfig(change.file))) return 'change';
  return settle(committed, asked, told, changes);
}

function settle(
  committed: ObservationType | null,
  asked: ObservationType | null,
  told: ObservationType | null,
  changes: FileChange[],
): ObservationType {
  const named = committed ?? asked ?? told;
  const shape = shapeOf(changes);
  if (named === 'feature' && shape === 'tests') return 'change';
  if (named) return named;
  return shape === 'tests' ? 'change' : shape;
}

function isConventional(subject: string | null): boolean {
  return (
    subject !== null && /^\W{0,4}\w{2,12}(?:\([^)]{1,60}\))?!?: /.test(subject) && readSubject(subject).type !== null
  );
}

function shapeOf(changes: FileChange[]): ObservationType | 'tests' {
  if (changes.length > 0 && changes.every((change) => isTestFile(change.file))) return 'tests';
  if (renameIn(changes)) return 'refactor';
  if (
    changes.some(
      (change) => !isTestFile(change.file) && isCode(change.file) && (change.created || change.newNames.length > 0),
    )
  )
    return 'feature';
  return 'change';
}

function isDocument(file: string): boolean {
  return /\.(?:md|mdx|rst|txt|adoc)$|(?:^|\/)(?:LICENSE|CHANGELOG|AUTHORS)$/i.test(file);
}

function isConfig(file: string): boolean {
  return (
    isDocument(file) ||
    /\.(?:json|ya?ml|toml|ini|cfg|conf|lock|env|properties|editorconfig)$|(?:^|\/)(?:\.\w[\w.-]*|Dockerfile|Makefile)$/i.test(
      file,
    )
  );
}

function isCode(file: string): boolean {
  return !isConfig(file);
}
