// Sentences that say an attempt was given up, and why.
import type { Line } from '../turn.ts';
import { isOffer } from './chatter.ts';

const GIVEN_UP =
  /\b(?:did(?:n['’]t| not) (?:do (?:it|the trick)|cut it)|what (?:did(?:n['’]t| not)|does(?:n['’]t| not)) (?:work|help)|no gain\b|rule[sd]? (?:it|this|that|them|\w+) out|did(?:n['’]t| not) help|made no difference|had no effect|bought (?:us )?nothing|changed nothing|gained nothing|no improvement|(?:is|was|are) out again|^put back|put (?:it|that|this) back|dead[- ]end|red herring|false lead|wrong track|hit a wall|fell (?:apart|over|flat)|did(?:n['’]t| not) pan out|could(?:n['’]t| not) get .{1,60} to work|(?:ripped|tore|pulled) .{1,40} out\b|removed (?:it|that|this|them) again|walked .{1,30} back|unwound|scratch(?:ed)? that|not the (?:culprit|cause|bottleneck)|(?:was|were)(?:n['’]t| not) the (?:culprit|cause|bottleneck|problem|issue)|made (?:it|things|matters) worse|no good\b|took .{1,50} (?:back )?out(?: again)?|(?:removed|pulled|backed|threw|ripped|turned|switched|disabled) .{1,60} (?:out |off )?again|(?:is|was|are) no option|on and, well, off|put .{1,40} back\b|back (?:as|to what|the way) it was|(?:is|was)(?:n['’]t| not) (?:an option|feasible|workable)|restored the (?:original|previous|old)|dropped (?:that|this|it|the idea|the approach)|not worth (?:it|the)|went back to|switched back|(?<!\b(?:is|are|be|get|gets|being|automatically) )rolled (?:it |this |that |them |the \w+ )?back|backed (?:it |that |this )?out|gave up on|abandoned|ruled out|scrapped|not viable|wasn['’]t viable|isn['’]t viable|turn(?:s|ed) out not to|undid|had to (?:undo|revert|drop|back out)|discarded (?:that|this|the (?:approach|idea|attempt))|threw (?:it|that|this) away|no-go|(?:that|this|the) (?:approach|idea|attempt|route|path|experiment)\b.{0,50}\b(?:failed|did(?:n['’]t| not) (?:work|help|pan out)|does(?:n['’]t| not) work|was a|won['’]t work|broke))\b/i;
const REVERTED =
  /\b(?:I |we |so |and |then |was |were |been |^)(?:have |'ve |then )?revert(?:ed|ing)\b|^revert(?:ed|ing)\b/i;
const TRIED =
  /\b(?:played with|prototyped|spiked|had a go|gave .{1,40} a (?:try|shot)|toyed|looked promising|the (?:plan|idea|hope) was|first (?:version|cut)|started with|hoped|tried|trying|attempt(?:ed|s)?|first (?:tried|attempt|approach|thought|idea|pass|suspected)|experiment(?:ed)?|my first|the first (?:attempt|approach|try|fix|idea)|suspected|hypothesis)\b/i;
const FAILED =
  /\b(?:not (?:good|fast|accurate|stable|small|precise|reliable) enough|collapsed|(?:does|do|did|is|was)(?:n['’]t| not) (?:allow|permit|exist|compile|build|load|fit|scale|cover|reach|offer|handle|accept|allowed|possible|available|an option|enough|fast enough)|still \d[\d.,]* ?(?:[kMG]i?B|m?s|min\w*|%)|did(?:n['’]t| not) (?:work|help|fix|change|make|pan|solve|improve|matter|do)|does(?:n['’]t| not) (?:work|help|fix|support|change|solve)|won['’]t work|not work|no (?:effect|difference|improvement|luck|change|help)|made (?:it|things|\w+) (?:worse|slower|flaky)|worse|slower|failed|broke|fails|still (?:fail|crash|hang|leak|happen|broke|flak|timed|slow|saw|got)\w*|without (?:success|effect)|only (?:masked|hid|moved|delayed)|masked|slowed|only (?:bought|gained|saved|helped)|wasn['’]t (?:the (?:cause|problem|issue|culprit)|it|enough)|was(?:n['’]t| not) the|not the (?:cause|problem|issue|culprit)|couldn['’]t|could not|is(?:n['’]t| not) supported|unsupported|incompatible|rejected|deadlocked|blocked by)\b/i;
const NEW_ATTEMPT = /^(?:I |we )?(?:then |also |next |second,? )?(?:tried|attempted|experimented)\b|\balso tried\b/i;
const TRIED_BUT =
  /\b(?:first|initially|originally) tried\b|\b(?:tried|attempted|experimented|suspected|assumed)\b.{3,160}\bbut\b/i;
/** "Bumping the timeout did not help." */
const DOING =
  /^[A-Z][a-z]+ing\b.{0,140}\b(?:did(?:n['’]t| not) (?:help|work|fix|change|make|solve|matter|do)|ma(?:de|kes) (?:no difference|it (?:worse|slower|flaky)|things worse)|ha[ds] no effect|no effect|only (?:masked|hid|delayed|moved)|turn(?:s|ed) out|was(?:n['’]t| not) (?:enough|it|the)|deadlocked|broke)\b/;
const NOT_AN_ATTEMPT =
  /\b(?:verified|confirmed|made sure|to (?:prove|check|confirm|verify)) .{0,80}\b(?:fail|break|catch)|fails? without the (?:fix|change)|\brevert(?:ed)? (?:button|commit|support)|ability to revert|rolled back to (?:revision |version |release |v|#)?\d|can be reverted|easy to revert|to revert\b/i;

/** "X doesn't help here", "Valgrind was no use": a thing tried is the subject. */
const NO_USE =
  /\b(?:does(?:n['’]t| not)|did(?:n['’]t| not)|won['’]t|would(?:n['’]t| not)(?: have)?) help(?:ed)?\b|\b(?:is|was|were|are|proved) (?:of )?no (?:use|help|good)\b|\b(?:is|was|proved|turned out(?: to be)?) (?:useless|the wrong (?:one|idea|tool|track|approach|lever|place))\b|\b(?:is|was|are|were) (?:out|gone|off) again\b|\bso (?:I|we) (?:took|threw|pulled|ripped|backed|left|turned) (?:it|that|them|this) (?:back |right )?(?:out|off|away)\b|\b(?:so|and) (?:I|we) (?:dropped|ditched|scrapped|removed|undid|reverted|discarded|left) (?:it|that|them|this)\b(?! (?:alone|as))|\b(?:that|this|it|they|which) (?:was|were)(?:n['’]t| not) (?:it\b|the (?:cause|reason|problem|culprit|issue))|\b(?:is|was|were|are) (?:no better|not (?:any )?better|not (?:good|fast|accurate|stable|precise) enough|too (?:noisy|coarse|slow|fragile|brittle|inaccurate|unstable) (?:for|to))\b|\b(?:brought|bought|gave) (?:us |me )?nothing\b|\bdid(?:n['’]t| not) (?:pay off|hold up|scale|survive)\b|\bdid(?:n['’]t| not) keep (?:it|that|them|this)\b|\b(?:was|were|is|came out) (?:much |far |even )?(?:worse|slower)\b.{0,120}\bso\b|\b(?:looked|seemed|sounded|worked) (?:good|promising|right|fine|better|locally|at first)\b.{0,80}\bbut\b/i;
/** "Tried first: pluck, still 900 MB". */
const LABELLED =
  /^(?:tried(?: (?:first|before|and (?:dropped|reverted|discarded|rejected)))?|attempted|first (?:try|attempt|idea)|did(?:n['’]t| not) work|does(?:n['’]t| not) work|no luck(?: with)?|dead[- ]end|abandoned|ruled out|discarded|reverted|wrong track|red herring)\s*(?::|—|–|-\s)\s*\S.{6,}/i;
/** "Ruled out." after the sentence that says what. */
const VERDICT =
  /^(?:ruled out|dropped|reverted|scrapped|abandoned|discarded|given up|dead end|no good|no luck|undone|(?:taken )?out again|thrown out)[.!]?$/i;
/** Ideas that did not stay, told without a word of failure. */
const IDEAS: RegExp[] = [
  /\b(?:was|were|is) (?:my|the|our) first (?:idea|try|attempt|thought|approach|version|instinct|reflex|guess)\b/i,
  /\b(?:I|we) (?:started|began) with\b.{3,160}\b(?:but|went over to|switched to|moved to|gave)\b/i,
  /\b(?:I|we) (?:had (?:an?|it|the)|used|wrote|built)\b.{3,80}\bfirst[;,]/i,
  /\b(?:I|we) (?:experimented|played around|toyed) with\b/i,
  /^[A-Z][a-z]+ing\b.{0,140}\bdoes(?:n['’]t| not) (?:help|work|scale|fit|do)\b/,
  /\b(?:we|I|you) can(?:not|['’]t) use\b.{2,80}(?:[,:;]|\bbecause\b|\bsince\b)/i,
  /\b(?:was|were) (?:far |much |still )?too (?:coarse|noisy|fragile|brittle|inaccurate|unstable|lossy)\b/i,
  /\b(?:was|is)(?:n['’]t| not) the (?:way|answer|right (?:tool|place|lever|approach|thing))\b/i,
  /\bso (?:that|it|this|they)(?:['’]s| is| was| are)? (?:out|gone|not in|went)\b/i,
  /\bwas a (?:bad|poor|wrong|false) (?:idea|choice|fit|turn|start)\b/i,
  /\b(?:was|is|looks|would be) tempting\b.{0,80}\bbut\b/i,
];
/** What failed at first may work by now; what brought nothing was given up. */
const AT_FIRST = /\b(?:initially|at first)\b/i;
const NO_EFFECT =
  /\b(?:did(?:n['’]t| not) (?:help|work|fix|change|make|solve|improve|matter)|no (?:effect|difference|improvement|luck)|worse|slower|only (?:masked|hid|moved|delayed)|wasn['’]t (?:the|it|enough))\b/i;
/** "I changed nothing" tells that only an answer was asked for. */
const LEFT_ALONE =
  /^(?:I |we )?(?:have |['’]ve )?(?:changed|touched|edited|modified) nothing\b|\bnothing (?:was )?changed\b/i;

export type DeadEnd = { lines: Line[] };

/** Neighbouring sentences about one attempt are one dead end: "Tried X first. It made Y worse, so I reverted it." */
export function findDeadEnds(lines: Line[]): DeadEnd[] {
  const ends: DeadEnd[] = [];
  lines.forEach((line, at) => {
    if (!isDeadEnd(line) || isRemedy(line, lines[at - 1])) return;
    const previous = ends.at(-1);
    const last = previous?.lines.at(-1);
    const before = lines[at - 1];
    if (ends.some((end) => end.lines.includes(line))) return;
    if (
      previous &&
      last &&
      before === last &&
      sameBlock(last, line) &&
      !NEW_ATTEMPT.test(line.text) &&
      refersBack(line)
    )
      previous.lines.push(line);
    else if (before && sameBlock(before, line) && (opensAttempt(before) || isBare(line)) && refersBack(line))
      ends.push({ lines: [before, line] });
    else ends.push({ lines: [line, ...explanationAfter(line, lines[at + 1])] });
  });
  return ends;
}

/** "I put the old label back": without a word of an attempt, what was there before is what mends it. */
function isRemedy(line: Line, before: Line | undefined): boolean {
  const near = before && sameBlock(before, line) ? `${before.text} ${line.text}` : line.text;
  const rest = near.replace(TAKEN_BACK, ' ');
  return TAKEN_BACK.test(line.text) && ![TRIED, FAILED, NO_USE, GIVEN_UP, REVERTED].some((words) => words.test(rest));
}

/** Not "put it back": that points at what was tried. */
const TAKEN_BACK =
  /\b(?:put (?!(?:it|that|this|them)\b).{1,40} back|rolled (?:the \w+ )?back(?: to)?|restored the (?:original|previous|old)|switched back|went back to)\b/i;

export function isDeadEnd(line: Line): boolean {
  const before = known.get(line);
  if (before !== undefined) return before;
  const isOne = judge(line);
  known.set(line, isOne);
  return isOne;
}

/** Each line is asked about by several, and its patterns are many. */
const known = new WeakMap<Line, boolean>();

function judge(line: Line): boolean {
  const { text } = line;
  if ((text.length < 12 && !VERDICT.test(text)) || isOffer(text) || NOT_AN_ATTEMPT.test(text) || text.endsWith('?'))
    return false;
  if (LEFT_ALONE.test(text)) return false;
  if (
    line.item &&
    /\b(?:dead ends?|what (?:did(?:n['’]t| not) work|failed)|ruled out|tried|failed attempts?|abandoned)\b/.test(
      line.section,
    )
  )
    return true;
  return (
    VERDICT.test(text) ||
    LABELLED.test(text) ||
    GIVEN_UP.test(text) ||
    REVERTED.test(text) ||
    TRIED_BUT.test(text) ||
    DOING.test(text) ||
    NO_USE.test(text) ||
    IDEAS.some((pattern) => pattern.test(text)) ||
    (TRIED.test(text) && FAILED.test(text)) ||
    (AT_FIRST.test(text) && NO_EFFECT.test(text))
  );
}

export function saysItFailed(text: string): boolean {
  return (
    FAILED.test(text) ||
    GIVEN_UP.test(text) ||
    REVERTED.test(text) ||
    TRIED_BUT.test(text) ||
    DOING.test(text) ||
    NO_USE.test(text)
  );
}

function opensAttempt(line: Line): boolean {
  return TRIED.test(line.text);
}

/** "I removed it again." says that something was given up, but not what. */
function isBare(line: Line): boolean {
  return (
    line.text.length < 45 &&
    !/^(?:the|our|an?) (?!(?:approach|attempt|change|idea|experiment)\b)(?:\S+ ){1,4}(?:is|are|was|were) (?:now )?(?:abandoned|discontinued|dropped)\b/i.test(
      line.text,
    ) &&
    /\b(?:it|that|this|them|again|reverted|dropped|ruled out|scrapped|abandoned|discarded|given up|dead end)\b/i.test(
      line.text,
    )
  );
}

function refersBack(line: Line): boolean {
  return (
    /^(?:it|that|this|which|so|but|unfortunately|however|reverted|rolled|had to|the (?:approach|attempt|change|idea)|no )/i.test(
      line.text,
    ) || line.text.length < 60
  );
}

function sameBlock(a: Line, b: Line): boolean {
  return a.id === b.id && a.block === b.block;
}

/** "…did not help. The pool was never the bottleneck." The reason often comes one sentence later. */
function explanationAfter(line: Line, next: Line | undefined): Line[] {
  const follows =
    next &&
    sameBlock(line, next) &&
    !isDeadEnd(next) &&
    /^(?:it|that|this|because|since|the reason|turns out|unfortunately)\b/i.test(next.text);
  return follows ? [next] : [];
}
