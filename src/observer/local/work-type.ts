// Decides what kind of work a group of edits is: commit first, then the request, the agent's words, the shape of the change.
import type { ObservationType } from '../../core/observation.ts';
import type { FileChange } from './edits/changes.ts';
import { isTestFile, renameIn } from './edits/describe.ts';
import { stripRequest } from './words/lead-in.ts';
import { readSubject, typeOfVerb } from './words/verbs.ts';

export type Evidence = {
  commitSubject: string | null;
  prompt: string;
  headline: string | null;
  changes: FileChange[];
  /** Something failed, was edited and passed. */
  repaired: boolean;
  /** Every edit of the group was such a repair. */
  onlyRepairs: boolean;
  /** The agent plainly names a cause. */
  causeStated: boolean;
};

export function typeOfWork(evidence: Evidence): ObservationType {
  const { changes } = evidence;
  const committed = evidence.commitSubject ? readSubject(evidence.commitSubject).type : null;
  if (isConventional(evidence.commitSubject) && committed) return committed;
  if (changes.length > 0 && changes.every((change) => isDocument(change.file))) return 'change';
  const asked = askedFor(evidence.prompt);
  if (asked === 'bugfix' || committed === 'bugfix')
    return asked === 'bugfix' || !committed || committed === 'bugfix' ? 'bugfix' : committed;
  const told = evidence.headline ? typeOfVerb(evidence.headline) : null;
  if (told === 'bugfix' && asked !== 'feature' && asked !== 'refactor') return 'bugfix';
  const isRepair = evidence.onlyRepairs || (evidence.repaired && evidence.causeStated);
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

const BUG =
  /\b(?:fix(?:es|ed|ing)?|bugs?|broken|crash(?:es|ed|ing)?|regression|fail(?:s|ed|ing|ure)?|errors?(?! (?:handl|page|messag|bound|code|class|type))|exceptions?(?! handl)|wrong|incorrect|doesn['’]t work|not working|leaks?|hangs?|flaky|stack ?trace|500|nan|undefined is not|fehler|behebe|erreur|corrige[rz]?|arregla[r]?|corrig[ie])\b|修复|修正|バグ|错误|버그|수정|исправ|ошибк/i;

/** What the prompt asks for, or null when it does not say. */
export function askedFor(prompt: string): ObservationType | null {
  const text = stripRequest(prompt.slice(0, 600));
  const verb = typeOfVerb(text);
  if (verb === 'bugfix') return 'bugfix';
  if (verb) return verb;
  if (BUG.test(text)) return 'bugfix';
  const later =
    /\b(?:add|implement|create|build|support|introduce|refactor|rename|extract|restructure|simplify|clean up)\b/i.exec(
      text,
    )?.[0];
  return later ? typeOfVerb(later) : null;
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
