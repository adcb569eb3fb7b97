// Sentences that say why something failed.
import type { Line } from '../turn.ts';
import { afterColon } from './chatter.ts';
import { stripSpeaker } from './lead-in.ts';
import { startsWithPastVerb } from './verbs.ts';

const STRONG: RegExp[] = [
  /\broot cause\b/i,
  /\bthe (?:real |actual |underlying |original )?(?:cause|culprit|reason|bug|problem|issue|failure|error|crash|leak|race)s? (?:here )?(?:was|is|were|came|comes|lies?|lay|turned out|happen(?:s|ed)|occur(?:s|red))\b/i,
  /^(?:root )?(?:cause|bug|problem|issue|why|reason|diagnosis|explanation|mechanism|what (?:was|went) wrong|what (?:bit|broke|hit|tripped|happened|caused)\b[^:]{0,30})\s*[:—–-]/i,
  /\b(?:was|were|is|are) caused by\b/i,
  /\b(?:the|this|that|it) [\w -]{0,40}(?:came|comes|stems?|stemmed|resulted|originated|originates) from\b/i,
  /\bfail(?:ed|s|ing)? because\b/i,
  /\bthis (?:caused|meant|made)\b/i,
];
const WEAK: RegExp[] = [
  /\bturn(?:s|ed) out\b/i,
  /\b(?:because|due to|since)\b/i,
  /\b(?:was|were|is|are) (?:never|not|missing|wrong|being|still|only|using|comparing|reading|passing|called|read|set|computed|evaluated|shared|mutated|swallowed|ignored|dropped|skipped|reset|cached)\b/i,
  /\b(?:off[- ]by[- ]one|race condition|deadlock|null pointer|undefined|stale|forgot|typo|leaked?|overflow|unescaped|timezone|truncat\w+|assum(?:es|ed)|too (?:small|short|tight|long|large|strict|low|high|early|late|eager|greedy))\b/i,
  /\bused (?:the|a|an|to|only|local)\b/i,
  /\bonly (?:looked|checked|compared|read|held|ran|took|saw|knew|covered|counted|matched)\b/i,
  /\binstead of\b|, so (?!I\b|we\b)/i,
  /\bwhich (?:is (?:what|why)|causes?|caused|pushes|made|makes|meant|means|broke|breaks)\b/i,
  /\b(?:didn['’]t|did not|doesn['’]t|does not|wasn['’]t|weren['’]t|never|failed to|used to)\b/i,
];

export function isStrongCause(sentence: string): boolean {
  return STRONG.some((pattern) => pattern.test(sentence));
}

/** The sentence that best explains the failure: a plain cause, then one that opens the message and names what was changed. */
export function findCause(lines: Line[], isNoCause: (line: Line) => boolean, names: string[] = []): Line | null {
  const usable = lines.filter(
    (line) => !isNoCause(line) && line.text.length >= 15 && !startsWithPastVerb(afterColon(line.text)),
  );
  const opening = usable.find((line) => line.block === lines[0]?.block && !line.item);
  const isNamed = opening && names.some((name) => name.length > 3 && opening.text.includes(name));
  return (
    usable.find((line) => isStrongCause(line.text) && !/\bnow\b/i.test(line.text)) ??
    usable.find((line) => CAUSE_SECTION.test(line.section)) ??
    (isNamed && !isResult(opening.text) ? opening : undefined) ??
    usable.find((line) => WEAK.some((pattern) => pattern.test(line.text)) && !isPointer(line.text)) ??
    usable.find((line) => isStrongCause(line.text) || WEAK.some((pattern) => pattern.test(line.text))) ??
    null
  );
}

const CAUSE_SECTION =
  /root cause|what (?:happened|bit|broke)|^mechanism|^cause|^(?:the )?(?:problem|issue|bug)|what (?:was|went) wrong|diagnosis|^why/;

/** "It comes from load now" goes on from the sentence before it. */
function isPointer(text: string): boolean {
  return /^(?:it|they|this|that|these|both)\b/i.test(stripSpeaker(text)) && /\b(?:now|no longer)\b/i.test(text);
}

/** "Fixed …" and "X now …" tell what was done, not why it had to be. */
export function isResult(text: string): boolean {
  return startsWithPastVerb(stripSpeaker(text)) || /\b(?:now|no longer)\b/i.test(text);
}

/** "The tax is right now" says how it stands, and nothing of why it was wrong. */
export function isOnlyResult(text: string): boolean {
  return RIGHT_NOW.test(text) && !/\b(?:because|since|due to|, so)\b/i.test(text);
}

const RIGHT_NOW =
  /\b(?:is|are|looks?|comes? out|adds? up|matches|match) (?:all |quite )?(?:right|correct(?:ly)?|fine|good|ok(?:ay)?|accurate|consistent|complete|in order|as (?:it should be|expected))?\s?now\W*$|\b(?:is|are) now (?:right|correct|fine|good|ok(?:ay)?|accurate|consistent|complete|in order)\W*$/i;

/** "Cause: X" → "X"; "The root cause is X" stays a sentence. */
export function withoutCauseLabel(text: string): string {
  return /^[\w ]{2,40}(?::|\s[—–-])\s/.test(text) ? causeText(text) : text;
}

/** "The root cause was that X" → "X". */
export function causeText(sentence: string): string {
  // "Fixed the off-by-one in parseRange: the loop used <" names the cause after the colon.
  const fixed =
    /^(?:I |we )?(?:have |'ve )?(?:also )?fix(?:ed|es)?\b[^:]{0,120}(?::| because| — | – )\s*(.{12,})$/i.exec(sentence);
  if (fixed?.[1]) return fixed[1];
  const found =
    /^(?:the )?(?:real |actual |underlying |original |root )*(?:cause|culprit|reason|bug|problem|issue|diagnosis|why|explanation|mechanism|what (?:was|went) wrong|what (?:bit|broke|hit|tripped|happened|caused)(?: \w+){0,3})(?: here)?(?: (?:was|is|were)(?: that)?|\s*[:—–-])\s+(.{12,})$/i.exec(
      sentence,
    );
  return found?.[1] ?? sentence;
}
