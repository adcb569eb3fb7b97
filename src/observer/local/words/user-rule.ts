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
  /^(?:let['’]?s |we['’]ll |we will |we should )(?:go with|use|stick|keep|drop|skip|not|do|call|name|put|make|leave)\b/i,
  /^(?:name|call) (?:it|this|that|the)\b|^rename (?:it|this|that) /i,
  /^(?:use|go with|stick (?:with|to)|keep|leave|stay with|stay on)\s+\S+/i,
  /^(?:there(?:['’]s| is) )?no need to\b/i,
  /\b(?:must(?:n['’]t| not)|may not|not allowed|forbidden|only (?:use|ever|touch|change))\b/i,
  /\bwithout (?:adding|using|changing|touching|breaking|introducing|a new|any new|new)\b/i,
  /\bmust be\b|\b(?:should|has to|needs to) be\b.{1,60}\bnot\b/i,
  /^only \w+ (?:may|can|should|must)\b/i,
  /^(?:skip|ignore|drop|forget about)\b.{2,60}\b(?:for now|entirely|completely|anymore)\b/i,
  /^we (?:don['’]?t|do not|no longer) (?:support|use|want|need|do|ship|allow)\b/i,
  /^no (?:new|more|extra|external)\b/i,
  /\b(?:option|approach|variant|plan) (?:[A-D\d])\b/i,
];
const CORRECTION = /^(?:no|nope|nah|wait|stop|actually|not quite|wrong)\b[,.!:;—–-]*\s*/i;
const NOT_A_RULE =
  /\?\s*$|^(?:why|how|what|where|when|does|is|are|did|who|which|should|could|can|would|if|I (?:think|wonder|see|get|tried|forgot)|it (?:seems|looks|says)|the (?:error|test|build|page|app|log))\b|\b(?:error|exception|stack ?trace|failed|fails|expected|got|bug)\b.{0,40}\binstead of\b|\binstead of\b.{0,40}\b(?:error|expected|bug)\b|\b(?:returns?|shows?|renders?|gives?|prints?|displays?|redirects?|goes|throws?|see|seeing|getting|get) .{1,80}\b(?:instead|rather than)\b/i;

export type UserRule = { line: Line; text: string; rejected: string | null };

/** "No, not in the controller. Put it into the model." is one rule: the first half is what was rejected. */
export function findUserRules(lines: Line[]): UserRule[] {
  const rules: UserRule[] = [];
  let refused: { line: Line; what: string } | null = null;
  for (const line of lines) {
    const clause = isDeadEnd(line) ? afterSo(line) : line;
    const text: string | null = clause ? (readUserRule(clause) ?? (refused ? stripRequest(clause.text) : null)) : null;
    const refusal: string | undefined = text?.match(/^not\s+(.{2,60})$/i)?.[1];
    if (text && !refusal) rules.push({ line, text, rejected: refused?.what ?? rejectedIn(text) });
    refused = refusal ? { line, what: refusal } : null;
  }
  if (refused) rules.push({ line: refused.line, text: bareText(refused.line.text), rejected: refused.what });
  return rules;
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
