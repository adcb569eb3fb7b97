// Sentences in which the user decides: corrections, constraints, names, conventions.
import { bareText } from '../text/plain.ts';
import { sharedWords } from '../text/tokens.ts';
import type { Line } from '../turn.ts';
import { isDeadEnd } from './dead-end.ts';
import { rejectedIn } from './decision.ts';
import { stripRequest } from './lead-in.ts';
import { isForThisTurn, laysDown, splitClauses } from './rule-clause.ts';
import { typeOfVerb } from './verbs.ts';

const IMPERATIVE = String.raw`(?:^|[,;:—–-]\s+|\b(?:but|and|please|so|also|then)\s+)`;
const RULES: RegExp[] = [
  new RegExp(
    `${IMPERATIVE}(?:please )?(?:don['’]?t|do not|never|avoid)\\s+(?!(?:forget|worry|know|think|understand|see|have|get|care|remember|mind|hesitate|believe|bother|we|you|i|they)\\b)\\w+`,
    'i',
  ),
  new RegExp(`${IMPERATIVE}(?:please )?always\\s+\\w+`, 'i'),
  /\b(?:we|you|it|they|this|that|there|everything|all \w+|\w+s?) (?:must|should|has to|have to|needs? to) (?:always|never|not|stay|remain|keep|only)\b/i,
  /\bwe(?:['’]ve| have)? (?:already )?(?:decided|agreed|settled|chose|went with|standardi[sz]ed|always|never)\b/i,
  /\b(?:from now on|the (?:\w+ )?(?:rule|convention|policy|standard) (?:is|here)|our (?:rule|convention|policy|standard)|as a rule|going forward)\b/i,
  /^(?:(?:please|let['’]?s|lets|we (?:should|want|use|need|must|will)|we['’]ll|you should|I (?:want|need|would)|I['’]d|use|put|do|make|keep|show|return|store|call|write|add|move|go|take|pick|name|instead of|rather than)\b).*\b(?:instead of|rather than)\b|\b(?:should|must|want)\b.{0,80}\b(?:instead of|rather than)\b/i,
  /\b(?:use|using|prefer|want|go with|stick (?:with|to)|keep|make it|do it|put it)\b.{1,100}\b(?:instead|not \w+)\b/i,
  /\b(?:I(?:['’]d)? (?:prefer|rather)|I would (?:prefer|rather)|prefer)\b/i,
  /^(?:let['’]?s |we['’]ll |we will |we should )(?:go with|go for|use|take|pick|choose|stick|keep|drop|skip|not|do|call|name|put|make|leave|stay)\b/i,
  /^(?:name|call) (?:it|this|that|the)\b|^rename (?:it|this|that) /i,
  /^(?!use\b.{2,60}\bto (?:fix|access|check|see|find|review|verify|test|get|look|read|do)\b)(?:use|go with|stick (?:with|to)|keep|leave|stay with|stay on)\s+\S+/i,
  /^(?:there(?:['’]s| is) )?no need to\b/i,
  /\b(?:must(?:n['’]t| not)|may not (?!\w+ly\b|exist\b|have\b|be (?:the|a|able|enough)\b)|not allowed|forbidden|only (?:use|ever|touch|change))\b/i,
  /\bwithout (?:adding|using|changing|touching|breaking|introducing|a new|any new|new)\b/i,
  /\w, not (?!sure|yet|only|just|that|so )\w+/i,
  /(?<!\bthere )\bmust be\b(?! something\b)|\b(?:should|has to|needs to) be\b.{1,60}\bnot\b/i,
  /^only \w+ (?:may|can|should|must)\b/i,
  /^(?:skip|ignore|drop|forget about)\b.{2,60}\b(?:for now|entirely|completely|anymore)\b/i,
  /^we (?:don['’]?t|do not|no longer) (?:support|use|want|need|do|ship|allow)\b/i,
  /^(?:go for|take(?! (?:a look|the role|care|over|your time)\b)|pick|choose|target|stay|pin|default to|standardi[sz]e on)\s+\S+/i,
  /\b\w+ it is[.!]?$/i,
  /^not (?:an?|the|in|with|like|as|for|via)\b/i,
  /^we (?:go|are going|went) (?:with|for)\b|\boff the table\b|\bclean break\b/i,
  /\b(?:it|that|this|they|we) stays?\b/i,
  /^[`\w./-]+(?: [`\w./-]+){0,3} then[.!]?$/i,
  /^[a-z].{2,60}\bis (?:too (?:much|heavy|complex|slow|expensive|big|risky)|overkill|enough)\b/i,
  /^I (?:want|need) .{3,100}\b(?:to (?:stay|remain|be|keep|work)|not|only|no)\b/i,
  /^we (?:keep|use|store|do|run|ship|want|need)\b.{3,140}\b(?:because|since|so that|only|not)\b/i,
  /\b(?:option|approach|variant|plan) (?:[A-D\d])\b/i,
];
const CORRECTION =
  /^(?:no|nope|nah|nein|wait|stop|actually|not quite|wrong)(?:[,.!:;—–-]+\s*|\s+(?=(?:not|don['’]?t|do not|never|it|that|this|the|i|we|you|use|keep|please)\b))/i;
/** "One rule before you go on: …", "Agreed: …": what follows is laid down. */
const ANNOUNCED =
  /^(?:[^:,.]{0,40}\b(?:rule|reminder|constraint|convention|requirement|policy|decision|important|remember|for the record|definition|glossary|regel|wichtig|regla|importante)\b[^:.]{0,30}|agreed|decided|settled|deal|final call|(?:for the future|in future|from now on|for later)?,?\s*(?:I|we) decide(?:d)?|house rule|heads[- ]up|keep in mind|note to self)\s*(?::|—|–|-\s)\s*(?=\S+ \S)/i;
/** "Yes do that, only main saves caches": agreed, and said again as the rule it is. */
const AGREED =
  /^(?:yes|yep|yeah|ok(?:ay)?|sure|agreed|exactly|right|do (?:it|that|so)|go ahead)(?:,? (?:please|do (?:it|that|so)|go ahead|let['’]?s do (?:it|that)|exactly|agreed)){0,3}\s*[,:;.—–-]\s*(?:and |but )?(?=only (?:[\w`./-]+ ){1,3}?(?:may|can|should|must|gets?|(?!this\b|its\b|has\b|was\b)\w{2,}s) (?!(?:of|in|on|for|and|that|with|from|at|please|now|today|first)\b)\S)/i;
const NOT_A_RULE =
  /\b(?:might|maybe|perhaps|try (?:it|that|this|out))\b|\?\s*$|^(?:why|how|what|where|when|does|is|are|did|who|which|should|could|can|would|if|I (?:think|wonder|see|get|tried|forgot)|it (?:seems|looks|says)|the (?:error|test|build|page|app|log))\b|\b(?:is|are|looks?) (?:wrong|off|broken)\b.{0,120}\binstead of\b|\b(?:error|exception|stack ?trace|failed|fails|expected|got|bug)\b.{0,40}\binstead of\b|\binstead of\b.{0,40}\b(?:error|expected|bug)\b|\b(?:returns?|shows?|renders?|gives?|prints?|displays?|redirects?|goes|throws?|see|seeing|getting|get) .{1,80}\b(?:instead|rather than)\b/i;

/** `also` = further sentences about the same thing. */
export type UserRule = { line: Line; text: string; rejected: string | null; also: Line[] };

/** "Please remember this:" by itself: what comes below it is to be kept, whatever it is. */
const DICTATES =
  /^(?:please |pls )?(?:remember|memori[sz]e|keep in mind|note)(?: down)?(?: (?:this|that|the following|these(?: things)?))?(?:,? please)?$/i;
/** Tells how things are or were, and lays nothing down. */
const TELLS = /^(?:this|that|it|there|they|he|she|we (?:have|had)|I (?:was|have|had))\b/i;

export function findUserRules(lines: Line[]): UserRule[] {
  const at = lines.findIndex(({ section }) => DICTATES.test(section));
  const first = lines[at];
  if (first === undefined) return findLaidDown(lines);
  const end = lines.findIndex((line, index) => index > at && line.block !== first.block && !(first.item && line.item));
  const [, ...also] = lines.slice(at, end < 0 ? undefined : end);
  const rule = { line: first, text: bareText(first.text).replace(/[.!]$/, ''), rejected: null, also };
  return [...findLaidDown(lines.slice(0, at)), rule, ...findLaidDown(lines.slice(at + 1 + also.length))];
}

/** "No, not in the controller. Put it into the model." is one rule: the first half is what was rejected. */
function findLaidDown(lines: Line[]): UserRule[] {
  const rules: UserRule[] = [];
  let refused: { line: Line; what: string } | null = null;
  for (const line of lines) {
    const clause = isDeadEnd(line) && !forbids(line.text) ? afterSo(line) : line;
    const text: string | null = clause
      ? (readUserRule(clause) ?? (refused && !TELLS.test(clause.text) ? stripRequest(clause.text) : null))
      : null;
    const refusal: string | undefined = text?.match(/^not\s+(.{2,60}?)[.!]?$/i)?.[1];
    if (text && !refusal) addRule(rules, { line, text, rejected: refused?.what ?? rejectedIn(text), also: [] });
    refused = refusal ? { line, what: refusal } : null;
  }
  if (refused) rules.push({ line: refused.line, text: bareText(refused.line.text), rejected: refused.what, also: [] });
  return rules;
}

/** "Cypress is not an option": nobody tried it, it is ruled out by decree. */
export function forbids(text: string): boolean {
  return (
    /\b(?:not an option|no option|off the table|a no-go)\b/i.test(text) &&
    !/\b(?:tried|attempt\w*|experiment\w*)\b/i.test(text)
  );
}

function addRule(rules: UserRule[], rule: UserRule) {
  const before = rules.at(-1);
  if (
    !before ||
    before.line.id !== rule.line.id ||
    before.line.block !== rule.line.block ||
    !isOneThing(before, rule)
  ) {
    rules.push(rule);
    return;
  }
  before.also.push(rule.line);
  before.rejected ??= rule.rejected;
  // Of two ways to say it, the one that holds for good is the title.
  if (FOR_GOOD.test(rule.text) && !FOR_GOOD.test(before.text)) before.text = rule.text;
}

const FOR_GOOD = /\b(?:never|always|must|nie|niemals|immer|nunca|siempre|jamais|toujours)\b/i;

/** "NATS then. Kafka is too much to operate." The second sentence is the reason for the first. */
function isOneThing(before: UserRule, rule: UserRule): boolean {
  return (
    /^(?:it|that|this|they|because|since|so|there|the|which|otherwise|we (?:do|need|have|can))\b|\bis (?:too|enough|overkill)\b|\boff the table\b/i.test(
      rule.line.text,
    ) ||
    rule.text.split(' ').length <= 3 ||
    sharedWords(before.text, rule.text) >= 2
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
  const said = opening ? line.text.slice(opening[0].length) : line.text;
  const announced = ANNOUNCED.exec(said) ?? AGREED.exec(said);
  const text = stripRequest(announced ? said.slice(announced[0].length) : said);
  if (text.length < 6 || text.length > 400 || NOT_A_RULE.test(text) || GO_ON.test(text)) return null;
  const lasting = withoutTurnOnly(text);
  if (lasting === null || announced) return lasting;
  if (opening && /^(?:no|nope|nah|nein|wrong|actually|not quite|stop)/i.test(opening[0]) && isPlain(text))
    return lasting;
  const isRule = RULES.some((one) => one.test(lasting) || (lasting.length >= text.length - 1 && one.test(said)));
  const rule = ruleFrom(lasting) ?? (isRule ? lasting : null);
  return (
    rule?.replace(/ (?:please|pls|bitte)(?=,|$)/i, '').replace(/^(?:by the way|btw),? |, remember that$/gi, '') ?? null
  );
}

const GO_ON = /^(?:continue|go on|proceed|commit|yes|keep (?:going|on))\b/i;

function isPlain(text: string): boolean {
  return text.split(' ').length >= 3 && !/^I\b/.test(text);
}

/** The sentence from its first clause that lays something down. */
function ruleFrom(text: string): string | null {
  const clauses = splitClauses(text);
  const first = clauses.find((clause, index) => laysDown(clause, index, clauses));
  if (!first) return null;
  const opening = clauses[clauses.indexOf(first) - 1];
  // "MIT only, no GPL": a short clause before it is what it speaks of, unless it asks for work.
  const isTopic = opening && opening.text.split(' ').length <= 6 && typeOfVerb(opening.text) === null;
  return text.slice(isTopic ? opening.at : first.at).replace(/^(?:but|and|also|so) /i, '');
}

function withoutTurnOnly(text: string): string | null {
  const kept = splitClauses(text).filter((clause) => !isForThisTurn(clause.text));
  const last = kept.at(-1);
  if (!last) return null;
  return text.slice(kept[0]?.at ?? 0, last.at + last.text.length).replace(/[.!\s]+$/, '');
}
