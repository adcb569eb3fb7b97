// What kind of memory a commit is, by its prefix, its first words, and whether its message says why it is so and not otherwise.

import type { ObservationType } from '../core/observation.ts';
import { wordTable } from '../core/word-table.ts';

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
  return BY_PREFIX[prefix.toLowerCase()] ?? typeOfWords(subject.slice(whole.length));
}

const BY_PREFIX = wordTable<ObservationType>({
  fix: 'bugfix',
  bugfix: 'bugfix',
  hotfix: 'bugfix',
  feat: 'feature',
  feature: 'feature',
  add: 'feature',
  refactor: 'refactor',
  refac: 'refactor',
  rename: 'refactor',
  move: 'refactor',
  docs: 'change',
  doc: 'change',
  test: 'change',
  tests: 'change',
  chore: 'change',
  ci: 'change',
  build: 'change',
  style: 'change',
  perf: 'change',
  revert: 'change',
  release: 'change',
});

/** What is said of docs and tests is neither a fix nor a feature. */
const ASIDE = /\b(?:docs?|docstrings?|readme|changelog|typos?|comments?|tests?|lint|whitespace|badges?|spelling)\b/i;

function typeOfWords(words: string): ObservationType {
  if (/^(?:hot)?fix(?:e[sd]|ing|up)?\b|^(?:correct|repair|resolve)[sd]?\b|\bbug ?fix/i.test(words))
    return ASIDE.test(words) ? 'change' : 'bugfix';
  if (/^(?:add|implement|introduce|support|allow|enable)(?:s|ed|ing)?\b/i.test(words))
    return ASIDE.test(words) ? 'change' : 'feature';
  return /^(?:refactor|rename|move|extract|simplif|clean|split|inline|reorgani[sz]e|restructure)\w*\b/i.test(words)
    ? 'refactor'
    : 'change';
}

/** What was not done, and that somebody chose. */
const CHOICE = [
  /\b(?:we|I|it was|been) (?:have |has )?(?:decided|chose|chosen|opted|settled|agreed)\b/i,
  /\b(?:decided|chose|opted) (?:to|not|against|for)\b/i,
  // `It returned 3 instead of 4` tells of a bug.
  /(?<!\b(?:produc|return|giv|gave|got|becam|rais|yield|show|print|display|result)\w*\b[^.]{0,80})\b(?:instead of|rather than|in favou?r of|as opposed to)\b/i,
  /\b(?:was|were) tried (?:first|before)\b|\b(?:we|I) (?:first )?tried\b[^.]{0,80}\bfirst\b/i,
  /\b(?:deliberately|intentionally|on purpose|by design)\b/i,
  /\b(?:alternatives?|trade-?offs?|rejected|considered (?:and|but|using|to)|not worth)\b/i,
  /\b(?:do(?:es)? not|don['’]t|doesn['’]t|no longer|never|cannot|can['’]t|won['’]t)\b[^.]{0,120}\b(?:because|since|as it|otherwise)\b/i,
];
const REASON = /\b(?:because|so that|in order to|otherwise|the reason|due to|this way|which means|this ensures)\b/gi;
/** In a subject, both: what was not taken, and why. */
const CHOSEN =
  /\b(?:instead of|rather than|in favou?r of|over|deliberately|on purpose|never|do not|don['’]t|no longer)\b/i;
const WHY = /\b(?:because|so that|since it|since they|as it|as they|otherwise|to avoid)\b/i;
/** `ok`, `see #12`: too short to say why. */
const SHORTEST = 40;

/** A fix says what went wrong anyway: only one that tells of a choice is a decision. */
function isDecision({ subject, body }: Message, type: ObservationType): boolean {
  if (/^revert\b/i.test(subject)) return false;
  if (CHOSEN.test(subject) && WHY.test(subject)) return true;
  if (body.length < SHORTEST) return false;
  const choices = CHOICE.filter((pattern) => pattern.test(body)).length;
  if (type === 'bugfix') return choices >= 2;
  return choices >= 1 || (!ASIDE.test(subject) && (body.match(REASON)?.length ?? 0) >= 2);
}
