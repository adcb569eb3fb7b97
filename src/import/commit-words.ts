// What the message of a commit tells: its kind, whether it warns of a trap, is a chore, or takes another one back.
import type { ObservationType } from '../core/observation.ts';
import type { LoggedCommit, Touch } from '../git/log.ts';

type Message = { subject: string; body: string };

export function typeOfCommit({ subject, body }: Message): ObservationType {
  const type = typeOfSubject(subject);
  return isDecision({ subject, body }, type) ? 'decision' : type;
}

/** `fix(parser)!: …`. */
const PREFIX = /^([a-z]+)(?:\([^)]*\))?!?:\s/i;

/** An area before a colon (`iterutils: add …`) says nothing; the word after it does. */
function typeOfSubject(subject: string): ObservationType {
  const [whole = '', prefix = ''] = PREFIX.exec(subject) ?? [];
  const known = BY_PREFIX.find(([names]) => names.test(prefix));
  return known?.[1] ?? typeOfWords(subject.slice(whole.length));
}

const BY_PREFIX: [RegExp, ObservationType][] = [
  [/^(?:bug|hot)?fix$/i, 'bugfix'],
  [/^(?:feat|feature|add)$/i, 'feature'],
  [/^(?:refactor|refac|rename|move)$/i, 'refactor'],
  [/^(?:docs?|tests?|chore|ci|build|style|perf|revert|release)$/i, 'change'],
];

/** What is said of docs and tests is neither a fix nor a feature. */
const ASIDE = /\b(?:docs?|docstrings?|readme|changelog|typos?|comments?|tests?|lint|whitespace|badges?|spelling)\b/i;

function typeOfWords(words: string): ObservationType {
  if (/^(?:hot)?fix(?:e[sd]|ing|up)?\b|^(?:correct|repair|resolve)[sd]?\b|\bbug ?fix/i.test(words))
    return ASIDE.test(words) ? 'change' : 'bugfix';
  if (/^(?:add|implement|introduce|support|allow|enable)(?:s|ed|ing)?\b/i.test(words)) return ASIDE.test(words) ? 'change' : 'feature';
  return /^(?:refactor|rename|move|extract|simplif|clean|split|inline|reorgani[sz]e|restructure)\w*\b/i.test(words) ? 'refactor' : 'change';
}

/** What was not done, or that somebody chose. */
const CHOICE = [
  /\b(?:we|I|it was|been) (?:have |has )?(?:decided|chose|chosen|opted|settled|agreed)\b/i,
  /\b(?:decided|chose|chosen|opted|settled|agreed) (?:to|not|against|for|on)\b/i,
  /\b(?:instead of|rather than|in favou?r of|as opposed to)\b/i,
  /\b(?:was|were|we|I) (?:first )?tried\b[^.]{0,80}\b(?:first|before)\b|\btried (?:first|before)\b/i,
  /\b(?:deliberately|intentionally|on purpose|by design|alternatives?|trade-?offs?|rejected|not worth)\b/i,
  /\b(?:do(?:es)? not|don['’]t|doesn['’]t|no longer|never|cannot|can['’]t|won['’]t)\b[^.]{0,120}\b(?:because|since|as it|otherwise)\b/i,
];
/** `It returned 3 instead of 4` tells of a bug. */
const RESULT = /\b(?:produc|return|giv|gave|got|becam|rais|yield|show|print|display|result)\w*\b[^.]{0,80}\b(?:instead of|rather than)\b/gi;
const REASON = /\b(?:because|so that|in order to|otherwise|the reason|due to|this way|which means|this ensures|to avoid)\b/gi;
/** `ok`, `see #12`: too short to say why. */
const SHORTEST = 40;

/** A subject says both: what was not taken, and why. A fix says what went wrong anyway: only one that tells of a choice is a decision. */
function isDecision({ subject, body }: Message, type: ObservationType): boolean {
  if (/^revert\b/i.test(subject)) return false;
  const countIn = (text: string) => CHOICE.filter((pattern) => pattern.test(text.replace(RESULT, ''))).length;
  if (countIn(subject) > 0 && subject.match(REASON)) return true;
  if (body.length < SHORTEST) return false;
  if (type === 'bugfix') return countIn(body) >= 2;
  return countIn(body) >= 1 || (!ASIDE.test(subject) && (body.match(REASON)?.length ?? 0) >= 2);
}

/** A bug that was fixed is none by itself: only harm that has a cause, a surprise, or an attempt that failed. */
export function isPitfall({ subject, body }: Message): boolean {
  const sentences = [subject, ...body.split(/(?<=[.!?])\s+|\n\s*\n/)].map((text) => text.replace(/\s+/g, ' '));
  return sentences.some((sentence) => PITFALLS.some((pattern) => pattern.test(sentence)));
}

const HARM =
  '(?:deadlock|crash|fail|hung|hang|leak|corrupt|los[est]|race condition|data loss|twice|duplicat|double|infinite|time[ds]? out|timeout' +
  "|too slow|break|broke|outage|overload|overflow|exhaust|segfault|never (?:finish|return)|(?:did not|didn['’]t|does not) work|flak[ey])";

const PITFALLS = [
  // `A lock table was tried first and deadlocked.`
  new RegExp(`\\btried\\b.{0,100}\\b(?:and|but|which|it|however)\\b.{0,60}\\b${HARM}`, 'i'),
  // `Retrying without a key caused double charges.`
  new RegExp(`\\b(?:caus(?:ed|es)|led to|resulted in)\\b.{0,60}\\b${HARM}`, 'i'),
  // `It charged customers twice.`
  /\b(?:charged|billed|refunded|paid|e?mailed|notified|delivered|inserted|counted|wrote|sent)(?: \w+){1,4} (?:twice|several times)\b/i,
  /\b(?:turn(?:ed|s) out (?:to|that|not|it|the|this)|beware|watch out|gotcha|pitfall|caveat|surprisingly|counter-?intuitively)\b/i,
];

/** Never one that says more than its subject, nor one that moved files: whoever looks for them wants to know. */
export function isRoutine({ subject, body, parents, touches }: LoggedCommit): boolean {
  if (withoutTrailers(body) !== '') return false;
  if (parents.length > 1 || isOneWord(subject)) return true;
  return ROUTINE.some((pattern) => pattern.test(subject)) && !movesFiles(touches);
}

/** `wip`, `init`, `v1.2.0`. What is written without spaces is more than a word. */
export const isOneWord = (subject: string) => /^[\p{Script=Latin}\d._!?:#/+-]{1,30}$/u.test(subject.trim());

const AREA = String.raw`^(?:\w+(?:\([^)]*\))?!?:\s*)?`;
const ROUTINE = [
  /^(?:chore|build|ci|style|deps|release|wip)(?:\([^)]*\))?!?:/i,
  new RegExp(`${AREA}(?:bump|wip|typos?|merge|release|re-?format|format|lint|fixup!|squash!|version)\\b`, 'i'),
  new RegExp(
    `${AREA}(?:fix(?:e[sd])?|correct(?:s|ed)?|more|minor|some)\\s+(?:(?:a|some|more|minor|the|small)\\s+)*` +
      '(?:typos?|spelling|lint(?:ing|er)?|formatting|whitespace|indentation|tweaks?)\\b',
    'i',
  ),
  /^(?:run|apply|appease)\s+(?:the\s+)?(?:prettier|black|biome|eslint|gofmt|rustfmt|isort|ruff|linter|formatter)\b/i,
  /^(?:update|upgrade)s?\s+(?:the\s+)?(?:changelog|lock ?file|dependenc(?:y|ies)|deps|version)\b/i,
  /^(?:initial commit|first commit|prepar(?:e|ing) (?:for )?release|version bump|back to dev|v?\d+(?:\.\d+)+)\b/i,
];

/** The bytes of a file that went are those of one that came. */
function movesFiles(touches: Touch[]): boolean {
  const gone = new Set(touches.filter(({ to }) => to === '').map(({ from }) => from));
  return touches.some(({ from, to }) => from === '' && to !== '' && gone.has(to));
}

/** Without the lines that only say who signed, reviewed or generated it. */
export function withoutTrailers(body: string): string {
  return body
    .split('\n')
    .filter((line) => !TRAILER.test(line) && !REVERTS_LINE.test(line))
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

/** `Signed-off-by: …`, `Change-Id: …`: one or more words with hyphens before a colon, or what tools add. */
const TRAILER = new RegExp(
  String.raw`^\s*(?:[a-z]+(?:-[a-z]+)*-(?:by|id|on|url)|cc|differential revision|commit-queue|auto-submit|sponsored by)\s*:` +
    String.raw`|^\s*\(cherry picked from commit [0-9a-f]{7,64}\)|^\W*generated with \W*\w`,
  'i',
);

/** Told by the link between the two; the hash says nothing to a reader. */
const REVERTS_LINE = /^\s*this reverts commit [0-9a-f]{7,64}\.?\s*$/i;

type Reverted = { by: 'hash'; hash: string } | { by: 'subject'; subject: string };

/** Null for one that takes nothing back. */
export function readReverted({ subject, body }: Message): Reverted | null {
  const [, hash] = /^\s*this reverts commit ([0-9a-f]{7,64})\b/im.exec(body) ?? [];
  if (hash) return { by: 'hash', hash: hash.toLowerCase() };
  const [, quoted] = /^revert:? ["“](.+)["”]/i.exec(subject) ?? [];
  return quoted ? { by: 'subject', subject: quoted } : null;
}
