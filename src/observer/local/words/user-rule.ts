// Sentences in which the user decides: corrections, constraints, names, conventions.
import { bareText } from '../text/plain.ts';
import type { Line } from '../turn.ts';
import { isDeadEnd } from './dead-end.ts';
import { rejectedIn } from './decision.ts';
import { stripRequest } from './lead-in.ts';

const IMPERATIVE = String.raw`(?:^|[,;:—–-]\s+|\b(?:but|and|please|so|also|then)\s+)`;
const RULES: RegExp[] = [
  new RegExp(
    `${IMPERATIVE}(?:please )?(?:don['’]?t|do not|never|avoid)\\s+(?!(?:forget|worry|know|think|understand|see|have|get|care|remember|mind|hesitate|believe|bother|we|you|i|they)\\b)\\w+`,
    'i',
  ),
  new RegExp(`${IMPERATIVE}(?:please )?always\\s+\\w+`, 'i'),
  /\b(?:we|you|it|they|this|that|there|everything|all \w+|\w+s?) (?:must|should|has to|have to|needs? to) (?:always|never|not|stay|remain|keep|only)\b/i,
  /\bwe(?:['’]ve| have)? (?:already )?(?:decided|agreed|settled|chose|went with|standardi[sz]ed|always|never)\b/i,
  /\b(?:from now on|the (?:rule|convention|policy|standard) (?:is|here)|our (?:rule|convention|policy|standard)|as a rule|going forward)\b/i,
  /\b(?:instead of|rather than)\b/i,
  /\b(?:use|using|prefer|want|go with|stick (?:with|to)|keep|make it|do it|put it)\b.{1,100}\b(?:instead|not \w+)\b/i,
  /\b(?:I(?:['’]d)? (?:prefer|rather)|I would (?:prefer|rather)|prefer)\b/i,
  /^(?:let['’]?s |we['’]ll |we will |we should )(?:go with|go for|use|take|pick|choose|stick|keep|drop|skip|not|do|call|name|put|make|leave|stay)\b/i,
  /^(?:name|call) (?:it|this|that|the)\b|^rename (?:it|this|that) /i,
  /^(?:use|go with|stick (?:with|to)|keep|leave|stay with|stay on)\s+\S+/i,
  /^(?:there(?:['’]s| is) )?no need to\b/i,
  /\b(?:must(?:n['’]t| not)|may not|not allowed|forbidden|only (?:use|ever|touch|change))\b/i,
  /\bwithout (?:adding|using|changing|touching|breaking|introducing|a new|any new|new)\b/i,
  /\w, not (?!sure|yet|only|just|that|so )\w+/i,
  /\bmust be\b|\b(?:should|has to|needs to) be\b.{1,60}\bnot\b/i,
  /^only \w+ (?:may|can|should|must)\b/i,
  /^(?:skip|ignore|drop|forget about)\b.{2,60}\b(?:for now|entirely|completely|anymore)\b/i,
  /^we (?:don['’]?t|do not|no longer) (?:support|use|want|need|do|ship|allow)\b/i,
  /^(?:please )?no (?!(?:problem|idea|luck|worries|rush|thanks|need|one|it|that|this|the|i|we|you)\b)[\w-]+(?: [\w-]+){0,5}[.!]?$/i,
  /^(?:go for|take|pick|choose|target|stay|pin|default to|standardi[sz]e on)\s+\S+/i,
  /\b\w+ it is[.!]?$/i,
  /[,;:—–-] no [\w-]+(?: [\w-]+){0,3}[.!]?$/i,
  /^not (?:an?|the|in|with|like|as|for|via)\b/i,
  /^we (?:go|are going|went) (?:with|for)\b|\boff the table\b|\bclean break\b/i,
  /\b(?:it|that|this|they|we) stays?\b/i,
  /^[`\w./-]+(?: [`\w./-]+){0,3} then[.!]?$/i,
  /^[a-z].{2,60}\bis (?:too (?:much|heavy|complex|slow|expensive|big|risky)|overkill|enough)\b/i,
  /^I (?:want|need) .{3,100}\b(?:to (?:stay|remain|be|keep|work)|not|only|no)\b/i,
  /^we (?:keep|use|store|do|run|ship|want|need)\b.{3,140}\b(?:because|since|so that|only|not)\b/i,
  /\b(?:option|approach|variant|plan) (?:[A-D\d])\b/i,
];
/** True for this turn only. */
const FOR_NOW =
  /\b(?:don['’]?t|do not|without) (?:chang|touch|edit|modif|implement|writ|fix|commit|push|cod|do)\w*(?: (?:anything|any|code|it|the code|files?)\b|.{0,30}\byet\b)/i;
const CORRECTION = /^(?:no|nope|nah|wait|stop|actually|not quite|wrong)\b[,.!:;—–-]*\s*/i;
const NOT_A_RULE =
  /\b(?:might|maybe|perhaps|try (?:it|that|this|out))\b|\?\s*$|^(?:why|how|what|where|when|does|is|are|did|who|which|should|could|can|would|if|I (?:think|wonder|see|get|tried|forgot)|it (?:seems|looks|says)|the (?:error|test|build|page|app|log))\b|\b(?:error|exception|stack ?trace|failed|fails|expected|got|bug)\b.{0,40}\binstead of\b|\binstead of\b.{0,40}\b(?:error|expected|bug)\b|\b(?:returns?|shows?|renders?|gives?|prints?|displays?|redirects?|goes|throws?|see|seeing|getting|get) .{1,80}\b(?:instead|rather than)\b/i;

export type UserRule = { line: Line; text: string; rejected: string | null };

/** "No, not in the controller. Put it into the model." is one rule: the first half is what was rejected. */
export function findUserRules(lines: Line[]): UserRule[] {
  const rules: UserRule[] = [];
  let refused: { line: Line; what: string } | null = null;
  for (const line of lines) {
    const clause = isDeadEnd(line) ? afterSo(line) : line;
    const text: string | null = clause ? (readUserRule(clause) ?? (refused ? stripRequest(clause.text) : null)) : null;
    const refusal: string | undefined = text?.match(/^not\s+(.{2,60}?)[.!]?$/i)?.[1];
    if (text && !refusal && !explains(line, rules.at(-1)?.line))
      rules.push({ line, text, rejected: refused?.what ?? rejectedIn(text) });
    refused = refusal ? { line, what: refusal } : null;
  }
  if (refused) rules.push({ line: refused.line, text: bareText(refused.line.text), rejected: refused.what });
  return rules;
}

/** "NATS then. Kafka is too much to operate." The second sentence is the reason for the first. */
function explains(line: Line, rule: Line | undefined): boolean {
  if (!rule || rule.id !== line.id || rule.block !== line.block) return false;
  return /^(?:it|that|this|they|because|since|so|there|the|which|otherwise|we (?:do|need|have|can))\b|\bis (?:too|enough|overkill)\b|\boff the table\b/i.test(
    line.text,
  );
}

/** "We tried gRPC and it failed, so please stay with HTTP" holds a dead end and a rule. */
function afterSo(line: Line): Line | null {
  const at = line.text.search(/[,;] so\b/i);
  return at < 0 ? null : { ...line, text: line.text.slice(at + 4).trim() };
}

/** What the user laid down, in their words without the opener; null for a plain request or a report of trouble. */
function readUserRule(line: Line): string | null {
  const opening = CORRECTION.exec(line.text);
  const text = stripRequest(opening ? line.text.slice(opening[0].length) : line.text);
  if (
    text.length < 6 ||
    text.length > 400 ||
    NOT_A_RULE.test(text) ||
    FOR_NOW.test(text) ||
    /^(?:continue|go on|proceed|commit|yes|keep (?:going|on))\b/i.test(text)
  )
    return null;
  if (
    opening &&
    /^(?:no|nope|nah|wrong|actually|not quite|stop)/i.test(opening[0]) &&
    text.split(' ').length >= 3 &&
    !/^I\b/.test(text)
  )
    return text;
  return RULES.some((pattern) => pattern.test(text) || pattern.test(line.text)) ? text : null;
}
