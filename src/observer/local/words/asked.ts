// What a prompt asks for: something new, a change, or the repair of what does not work.
import type { ObservationType } from '../../../core/observation.ts';
import { stripRequest } from './lead-in.ts';
import { typeOfVerb } from './verbs.ts';

/** Words of trouble: who writes them reports a bug. */
const BUG =
  /\b(?:fix(?:es|ed|ing)?|bugs?|broken?|breaks|crash\w*|regress\w*|fail(?:s|ed|ing|ures?)?|wrong(?:ly)?|incorrect(?:ly)?|leak\w*|hangs?|hung|stuck|freez\w+|flak\w+|stack ?trace|nan|segfault\w*|panics?|deadlock\w*|corrupt\w*|duplicat(?:es|ed)|twice|garbled|truncated|mismatch\w*|oom\w*|out of memory|time(?:s|d) out|timeouts?|unexpected(?:ly)?|returns? (?:an? )?[45]\d\d|off[- ]by|typos?|50\d|fehler\w*|falsch\w*|fixen|kaputt|behebe|erreur|corrige[rz]?|arregla[r]?|corrig[ie])\b|\berrors?(?! (?:handl|page|messag|bound|code|class|type))\b|\bexceptions?(?! handl)\b|修复|修正|バグ|错误|报错|버그|수정|исправ|ошибк/i;

/** These may report a bug or ask for something new: what was done about it decides. */
const TROUBLE =
  /\b(?:sometimes|occasionally|randomly|intermittent\w*|stale|missing|lost|loses|disappears?|blank|weird|strange|inconsistent|double[- ]\w+|complain\w*|4\d\ds?|red|slow)\b|\b(?:does|is|are|did|was|were|can|ca|could|wo|has|have)(?:n['’]?t| not)\b|\bbut not (?:on|in|for|with)\b(?! (?:forget|worry|need|want))|\b(?:they|users?|people|\w+s) do(?:n['’]t| not)\b|\bcannot\b|\bnever (?:\w+s|finish|complete|end|fires?|gets?)\b/i;

/** Said of what used to work, or with the error beside it: nobody asks for something new like that. */
const BROKEN =
  /\b(?:any ?more|no longer|suddenly|all of a sudden|used to (?:work|be)|stopped \w+ing|since (?:yesterday|last \w+|this \w+|\w+day\b|v?\d|(?:the|that|our|my|your) (?:\w+ ){0,3}(?:updates?|upgrade|deploy\w*|release|change|move|switch|merge|refactor\w*|migration|bump|commit|rename)\b|[\w ()]{1,40} (?:touched|changed|merged|updated|deployed|moved|renamed)\b)|should (?:be|say|show|read|have)\b.{1,60}\b(?:but|it (?:is|says|shows|has)|instead)\b|(?:says|shows|shown as|is) .{1,40}\b(?:but|and|it) should\b|no such file|not found|undefined|null pointer|exit code|traceback|cannot (?:read|find|open|connect|resolve)|(?:one|a|by an?|two|\d+) \w+ (?:off|short|too (?:many|much|few|late|early))|(?:is|are|was|were) (?:\w+ ){0,2}off\b|dies|died|(?:gets?|was|were|being) (?:\w+ )?(?:killed|rejected|denied|refused|swallowed)|vanish\w*|goes missing|went missing|got the same|instead of (?:the|a|an)?\s*\w+ (?:it|we|they|he|she|I) (?:should|expected))\b/;

/** Failures as the object of a feature: "retries for failed deliveries", "handle errors", "show a list of broken links". */
const ABOUT_FAILURES =
  /\b(?:for|of|on|with|all|any|about|when|after) (?:failed|failing|broken|duplicated?|corrupt(?:ed)?|wrong|stuck|crashed|timed[- ]out) \w+|\b(?:handle|handling|retry|retries on|show|track|log|count|report|catch|detect|alert on|notify (?:us )?(?:on|about)|monitor) (?:the |all |any )?(?:failed|failures?|errors?|exceptions?|crash(?:es)?|timeouts?|broken|duplicates?|panics?|leaks?)\b/gi;

/** Pasted from a log. */
const THROWN = /\b[A-Z]\w+(?:Exception|Error)\b(?! (?:handl|class|type|page))|\bFATAL\b|\bANRs?\b|^\s+at [\w.$]+\(/m;

/** What the prompt asks for, or null when it does not say. */
export function askedFor(prompt: string): ObservationType | null {
  const text = goalOf(prompt);
  const clauses = text.split(/[.!?:;,\n]\s+/, 6).map((clause) => stripRequest(clause));
  const first = typeOfVerb(text);
  if (first && !isHousekeeping(text)) return first;
  if (THROWN.test(text) || BUG.test(text.replace(ABOUT_FAILURES, ' '))) return 'bugfix';
  if (asksForTests(prompt)) return 'change';
  const verbs = clauses.filter((clause) => !isHousekeeping(clause) && !REPRODUCE.test(clause)).map(typeOfVerb);
  return verbs.find((type) => type !== null) ?? first;
}

function goalOf(prompt: string): string {
  return stripRequest(stripRequest(prompt.slice(0, 600)).replace(NEXT_ONE, ''));
}

const NEXT_ONE =
  /^(?:(?:the )?next (?:one|thing|up|item|task|bug|issue)|another (?:one|thing|bug|issue)|one more(?: thing)?|(?:two|three|a few|some|a couple of) things?)\s*[:,—–-]\s*/i;

/** "Commit that. Then add …": the work comes after it. */
function isHousekeeping(text: string): boolean {
  return /^(?:commit|push|merge|tag|save)\b/i.test(text);
}

/** A test asked for first is how the trouble is shown, not what is wanted. */
const REPRODUCE = /^(?:write|add|create)\b.{0,30}\b(?:tests?|specs?|repro\w*)\b/i;

export function asksForTests(prompt: string): boolean {
  return TESTS.test(goalOf(prompt));
}

const TESTS = /^(?:more |better |unit |some )?(?:tests?|coverage|specs) (?:for|of|on)\b/i;

/** Faster, smaller, lighter: what is there works, but costs too much. */
export function wantsLess(prompt: string): boolean {
  return LESS.test(prompt.slice(0, 600));
}

const LESS =
  /\b(?:slow\w*|fast(?:er)?|speed\w*|quick(?:er)?|perf(?:ormance)?|latency|throughput|optimi[sz]\w+|size|big(?:ger)?|large|huge|bloat\w*|heavy|small(?:er)?|shrink|reduce|memory|RAM|cold start|startup time|takes? (?:\w+ ){0,3}(?:seconds?|minutes?|hours?|ages|forever|\d+)|under \d+|\d+(?:\.\d+)?\s?[KMGT]i?B)\b/i;

/** "The badge flickers on navigation": who states how something behaves, and asks for nothing, reports trouble. */
function isReport(text: string): boolean {
  const sentence = (text.split(/[.!\n]/, 1)[0] ?? '').trim();
  if (ASKING.test(sentence) || sentence.split(' ').length < 3) return false;
  return BEHAVES.test(sentence);
}

/** "Why does it stop after ten minutes?", "I get two mails": asked or told of what is not as it should be. */
const WHY =
  /^(?:why\b|how come\b|(?:when(?:ever)?|every time|as soon as) (?:i|we|you|users?|someone|somebody|two \w+)\b|any idea why\b|what(?:['’]s| is) (?:wrong|going on|up) with|(?:i|we|users?|people|customers?|testers?|qa|support|some \w+|\w+ (?:from|in|at) \w+) (?:get|gets|got|see|sees|saw|keep|keeps|reports?|reported|says?|told us|noticed) )|\bstill (?:not|shows?|happens?|there|the same|empty|see|get|getting)\b/i;

/** How an order, a wish or a reply opens. */
const ASKING = new RegExp(
  String.raw`\?|\b(?:should|needs?|must|want|would like|please|could|let['’]?s|as discussed|then)\b|^(?:[\w ]{2,20}:|don['’]?t|do not|never|avoid|always|we|i|you|let|ok|okay|yes|no|sure|go|now|then|next|continue|here|also|and|but|thanks|option|not|with|for|same|good|great|nice|` +
    'write|track|rotate|renew|switch|rename|document|explain|review|plan|deploy|release|publish|clean|extract|split|convert|port|generate|configure|install|enable|disable|upgrade|downgrade|check|test|profile|measure|optimi[sz]e|improve|reduce|speed|make|set|put|move|delete|remove|replace|revert|merge|rebase|commit|push|tag|run|start|stop|restart|finish|complete|implement|build|create|add|support|allow|handle|log|cache|index|migrate|backfill|import|export|render|show|hide|validate|sanitize|format|lint|use|try|compare|find|look|search|read|open|drop|skip|keep|bump|pin|wire|hook|connect|expose|give|get|take|turn|change|update|refactor|simplify|introduce|sketch|draft|prepare|investigate|debug)\\b',
  'i',
);

/** A named verb after a few words; any other verb only after "the …", where its ending tells it from a plural. */
const BEHAVES =
  /^(?:[`\w./'’()-]+\s){1,5}?(?:is|are|was|were|has|have|takes?|took|falls?|fell|shows?|gets?|got|goes|went|hangs?|drops?|loses?|appears?|stays?|keeps?|returns?|leaks?|runs?|ran|stops?|stopped|starts?|comes?|came|ends?|looks?|sees?|jumps?|shifts?|renders?|blocks?|climbs?|grows?|dies|died|ignores?|sends?|wants?|says?|froze|did|does|eats?|kills?|schedules?|redirects?|finds?|closes?|differs?|flickers?|expires?|expired|freezes|overlaps?|swallows?|resets?|scrolls?|skips?|drains?|misses|fires?|triggers?|counts?|adds|deletes|overwrites?|forgets?|can be)\s\S|^(?:[Tt]he|[Oo]ur|[Mm]y|[Aa]n?|[Tt]his|[Tt]hat|[Ii]t|[Ee]ach|[Ee]very)\s(?:[`\w./'’-]+\s){0,3}?[a-z]{3,}(?:es|ed|s)(?:\s\S|$)/;

/** The prompt reports something that does not work. */
export function isAboutTrouble(prompt: string): boolean {
  return askedFor(prompt) === 'bugfix' || isTroubled(prompt);
}

/** The prompt may be about something that does not work. */
export function isTroubled(prompt: string): boolean {
  const text = goalOf(prompt);
  return typeOfVerb(text) === null && (TROUBLE.test(text) || BROKEN.test(text) || WHY.test(text) || isReport(text));
}

/** The prompt is about something that worked before, or shows its error. */
export function isBroken(prompt: string): boolean {
  return BROKEN.test(goalOf(prompt));
}
