// Whether a commit is a chore that says nothing by itself: a version, a merge, some formatting, a word.
import type { Touch } from '../git/history.ts';
import type { LoggedCommit } from '../git/log.ts';
import { withoutTrailers } from './commit-message.ts';

/** Never one that says more than its subject, nor one that moved files: whoever looks for them wants to know. */
export function isRoutine({ subject, body, parents, touches }: LoggedCommit): boolean {
  if (withoutTrailers(body) !== '') return false;
  if (parents.length > 1 || isOneWord(subject)) return true;
  return ROUTINE.some((pattern) => pattern.test(subject)) && !movesFiles(touches);
}

/** `wip`, `init`, `v1.2.0`. What is written without spaces is more than a word. */
export const isOneWord = (subject: string) => /^[\p{Script=Latin}\d._!?:#/+-]{1,30}$/u.test(subject.trim());

const ROUTINE = [
  /^(?:chore|build|ci|style|deps|release|wip)(?:\([^)]*\))?!?:/i,
  /^(?:\w+(?:\([^)]*\))?!?:\s*)?(?:bump|wip|typos?|merge|release|re-?format|format|lint|fixup!|squash!|version)\b/i,
  /^(?:\w+(?:\([^)]*\))?!?:\s*)?(?:fix(?:e[sd])?|correct(?:s|ed)?|more|minor|some)\s+(?:(?:a|some|more|minor|the|small)\s+)*(?:typos?|spelling|lint(?:ing|er)?|formatting|whitespace|indentation|tweaks?)\b/i,
  /^(?:run|apply|appease)\s+(?:the\s+)?(?:prettier|black|biome|eslint|gofmt|rustfmt|isort|ruff|linter|formatter)\b/i,
  /^(?:update|upgrade)s?\s+(?:the\s+)?(?:changelog|lock ?file|dependenc(?:y|ies)|deps|version)\b/i,
  /^(?:initial commit|first commit|prepare (?:for )?release|preparing (?:for )?release|version bump|back to dev)\b/i,
  /^v?\d+(?:\.\d+)+\b/i,
];

/** The bytes of a file that went are those of one that came. */
function movesFiles(touches: Touch[]): boolean {
  const gone = new Set(touches.filter(({ to }) => to === '').map(({ from }) => from));
  return touches.some(({ from, to }) => from === '' && to !== '' && gone.has(to));
}
