// How telling each line of an output is: what went wrong first, what it says about it next, the everyday last.
import { shapeOf } from './line-shape.ts';
import type { Line } from './lines.ts';
import type { RankedLine } from './pick-lines.ts';

const DECISIVE = 6;
const STRONG = 5;
const GENERAL = 4;
const MINOR = 2;
const FAINT = 1;
const DULL = -1;

/**
 * Repeated lines lose their rank, those that begin alike are grouped: a noisy log cannot crowd out its one real error.
 * Below 0 are the dull ones: one of many that begin alike, or a test that passed.
 */
export function rankOutput(lines: Line[]): RankedLine[] {
  const shapes = lines.map(({ text }) => shapeOf(text));
  const weigh = createWeighing(shapes);
  const seen = new Set<string>();
  const trace: Trace = { lastError: -10, isOpen: false, hasFrame: false };
  return lines.map((line, at) => {
    const shape = shapes[at] ?? '';
    const rank = rankInPlace(line.text, at, trace);
    const isRepeated = rank > 0 && seen.has(shape);
    seen.add(shape);
    return { ...line, rank: isRepeated ? DULL : weigh(shape, rank), group: shape.slice(0, 24) };
  });
}

const COMMON = 8;
const SHOWN_OF_COMMON = 3;

/** Lowers what stands there all the time, raises what stands there once. Errors keep their rank. */
function createWeighing(shapes: string[]): (shape: string, rank: number) => number {
  const counts = new Map<string, number>();
  for (const shape of shapes) counts.set(startOf(shape), (counts.get(startOf(shape)) ?? 0) + 1);
  const common = Math.max(COMMON, shapes.length / 20);
  const isMonotonous = shapes.length > 60 && counts.size < shapes.length / 4;
  const shown = new Map<string, number>();
  return (shape, rank) => {
    if (rank >= GENERAL || rank < 0) return rank;
    const start = startOf(shape);
    const count = counts.get(start) ?? 0;
    if (count <= common) return rank || (isMonotonous && count === 1 && shape.length > 12 ? FAINT : 0);
    shown.set(start, (shown.get(start) ?? 0) + 1);
    return rank > 0 && (shown.get(start) ?? 0) <= SHOWN_OF_COMMON ? rank : DULL;
  };
}

/** The first letters after a time or number: what kind of line it is. */
const startOf = (shape: string) => shape.replace(/^[#:.,/+\-\s[\]TZ|]{1,40}/, '').slice(0, 12);

function rankInPlace(text: string, at: number, trace: Trace): number {
  const rank = rankLine(text);
  if (rank < GENERAL) return rank < 0 ? rank : Math.max(rank, rankByPlace(text, at, trace));
  Object.assign(trace, { lastError: at, isOpen: text.trimEnd().endsWith(':'), hasFrame: false });
  return rank;
}

/** `isOpen`: the error ends with a colon, and what it says comes in the next line. */
type Trace = { lastError: number; isOpen: boolean; hasFrame: boolean };

/** What follows an error explains it: the next two lines, and the first frame of a trace that is the project's own. */
function rankByPlace(text: string, at: number, trace: Trace): number {
  if (FRAME.test(text)) {
    if (trace.hasFrame || FOREIGN_FRAME.test(text) || at - trace.lastError > 60) return 0;
    trace.hasFrame = true;
    return STRONG;
  }
  if (at - trace.lastError > 2 || text.trim() === '') return 0;
  return trace.isOpen && at - trace.lastError === 1 ? STRONG : MINOR;
}

const FRAME =
  /^\s{0,40}(?:at \S|File "[^"\n]{1,200}", line \d|\S{1,200}\.go:\d+ \+0x|from \S{1,200}:\d+:in |-+> \S{1,200}:\d+:\d+|#\d{1,3}\s{1,4}(?:0x|in ))/;
const FOREIGN_FRAME =
  /node_modules|node:|internal\/|site-packages|dist-packages|\/usr\/(?:lib|local)|at <anonymous>|\.cargo\/|rustc\/|\bjava[./]|\bjdk\.|\bsun\.|org\.(?:junit|springframework|gradle)|lib\/python|\/gems\/|go\/src\/|\/golang\/|(?<!src\/)\bvendor\/|libc\.so/;

function rankLine(text: string): number {
  if (!ANY_SIGNAL.test(text)) return PASSED.test(text) ? DULL : 0;
  if (PASSED.test(text)) return DULL;
  const rank = rankWords(text);
  if (rank === 0) return 0;
  const isQuiet = QUIET_LEVEL.test(text.slice(0, 80));
  if (NOTHING_WRONG.test(text)) return rank >= DECISIVE && !isQuiet ? FAINT : 0;
  if (isQuiet) return rank >= DECISIVE ? MINOR : 0;
  return RECOVERED.test(text) ? Math.min(rank, MINOR) : rank;
}

/** Cheap first look: most lines end here. */
const ANY_SIGNAL =
  /err|fail|exception|panic|fatal|assert|trace|expect|receiv|actual|cannot|could not|can't|unable|denied|refused|not found|no such|undefined|tim(?:ed|e) ?out|abort|segmentation|warn|deprecat|caused by|exit|violat|invalid|conflict|unresolved|mismatch|killed|memory|leak|left:|right:|got|want|critical|severe|missing|not exist|is not |duplicate|deadlock|not permitted|unexpected|unknown|EADDR|ENOENT|EACCES|●|[✗✕✘×❌⨯]|not ok|E {2}/i;

const PASSED = /^\s{0,20}(?:[✓✔√]|✅|ok\b|PASS\b|--- PASS|\[ *OK *\]|PASSED\b)|\bPASSED\b|\.{3} ok$/;

/** Debug and info lines speak of errors all day. */
const QUIET_LEVEL =
  /^[^A-Za-z]{0,40}(?:debug|trace|info|verbose|notice|dbg|inf)\b|[\s[|"=](?:debug|trace|info|verbose|notice|DBG|INF)[\s\]|":]/i;

const NOTHING_WRONG =
  /\b(?:0|no|zero|without(?: any)?|never) (?:\w{1,20} )?(?:errors?|failures?|failed|failing|exceptions?|warnings?|problems?|issues|vulnerabilities)\b|\b(?:errors?|failed|failures?|warnings?)["']?\s{0,3}[:=]\s{0,3}(?:0\b|none|null|false|\[\]|\{\})/i;

const RECOVERED =
  /\b(?:ignor(?:ed|ing)|recovered|retrying|retried|will retry|handled|suppressed|harmless|non-?fatal|succeeded|expected (?:error|failure)|as expected|resolved|skipp(?:ed|ing)|allowed to fail)\b/i;

/** From the strongest to the weakest; the first that matches counts. */
const RANKS: [RegExp, number][] = [
  [
    /(?:^|[\s"'([])(?:[A-Za-z_][\w.$]{0,80})?(?:Error|Exception|Panic|Failure|Fault)(?: \[\w{1,40}\])?(?: \(\w{1,40}\))?: \S/,
    DECISIVE,
  ],
  [/(?:^|[\s:)\]])(?:fatal )?error(?:\[\w{1,12}\]| [A-Z]{1,6}\d{1,6})?: \S/, DECISIVE],
  [/^\s{0,20}(?:[✗✕✘❌⨯]|× |not ok\b|--- FAIL|FAIL(?:ED)?[:\s])|\bFAILED\b(?!=)|^\s{0,8}● \S/, DECISIVE],
  [
    /\bpanic(?:ked at|: )|\b(?:FATAL|CRITICAL|SEVERE|PANIC|EMERG)\b|segmentation fault|AddressSanitizer|core dumped/i,
    DECISIVE,
  ],
  [/^E\s{2,8}\S|\bassert(?:ion)? ?(?:failed|error)\b|^\s{0,20}Assertion/i, DECISIVE],
  [
    /^\s{0,20}(?:[-+]\s{0,2})?(?:Expected|Received|expected|received|actual|got|want|left|right)\b[^:\n]{0,20}:\s/,
    STRONG,
  ],
  [/^\s{0,20}(?:Caused by|Reason|Cause|Message|message|DETAIL|HINT)\b ?:/, STRONG],
  [
    /\b[1-9]\d{0,6} (?:failed|failing|failures?|errors?|tests? failed|problems?)\b|\b(?:failed|failures?|errors?)[:=] ?[1-9]/i,
    STRONG,
  ],
  [/\bexit(?:ed)?(?: with)? (?:code|status):? [1-9]|\breturned non-zero|\bexit=[1-9]/i, STRONG],
  [/^[^A-Za-z]{0,40}(?:ERROR|ERR|Error)\b|[\s[|"=.](?:ERROR|ERR)[\s\]|":]/, STRONG],
  [
    /\b(?:got|have|actual)\b.{1,80}\b(?:want|expected|wanted)\b|\b(?:want|expected)\b.{1,80}\b(?:got|but was|actual|received|found)\b/,
    STRONG,
  ],
  [/\b\d{1,5}:\d{1,5}\s{1,6}error\s{1,6}\S|:\d{1,6}(?::\d{1,5})?: error\b/, STRONG],
  [
    /\b(?:failed to|unable to|could not|cannot|can't|command not found|no such file|permission denied|connection refused|access denied|timed out|timeout exceeded|out of memory|undefined reference|unresolved|merge conflict|CONFLICT|violates|duplicate key|deadlock|not permitted|is not (?:a function|defined|assignable)|does not exist|not found|mismatch|killed|aborted|ECONNREFUSED|EADDRINUSE|ENOENT|EACCES|ETIMEDOUT)\b/i,
    GENERAL,
  ],
  [
    /(?<![\w./-])(?:errors?|failed|failure|fails|exception|invalid|missing|unexpected|unknown)(?![\w-]|[./]\w)/i,
    GENERAL - 1,
  ],
  [/^\s{0,20}Traceback \(most recent/, GENERAL],
  [/\bdeprecat/i, FAINT],
  [/\bwarn(?:ing)?\b/i, MINOR],
];

function rankWords(text: string): number {
  return RANKS.find(([pattern]) => pattern.test(text))?.[1] ?? 0;
}
