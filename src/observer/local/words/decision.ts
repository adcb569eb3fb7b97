// Sentences in which the agent states a decision: what was chosen, why, and what was not.
import { bareText } from '../text/plain.ts';
import type { Line } from '../turn.ts';
import { isChatter, isOffer } from './chatter.ts';
import { stripSpeaker } from './lead-in.ts';
import { startsWithPastVerb } from './verbs.ts';

export type Decision = { line: Line; text: string; why: string | null; rejected: string | null };

const STRONG =
  /\b(?:decided (?:to|on|against|not to|that)|decision(?: is| was|:)|chose(?:n)?\b|opted (?:for|to|against|not)|went with|going with|settled on|agreed (?:on|to|that)|(?:was|were|is|are) rejected\b|picked\b.{1,80}\b(?:over|because|since|instead|rather)|preferred\b)/i;
/** Of a thing that was there before, these words explain it; of one's own work they decide. */
const ON_PURPOSE = /\b(?:deliberately|intentionally|on purpose|trade-?off)\b/i;
const CANDIDATE =
  /\b(?:the )?(?:other|another|obvious) (?:candidate|option|choice|contender|alternative)\b|\bthe alternatives? (?:was|were|would|is)\b/i;
const CONSIDERED =
  /\b(?:I|we) (?:also |first |briefly )?(?:considered|looked at|weighed|thought about)\b.{3,160}\bbut\b/i;
const INSTEAD = /^(?:rather than|instead of)\b.{3,120}\b(?:I|we)\b/i;
const MADE_SO =
  /\b(?:is|are|gets?|stays?|goes) (?:now )?\w+\b.{0,120}\b(?:instead of|rather than)\b.{1,120}\b(?:because|since|so that|to (?:avoid|keep|save|allow|stay|prevent))\b/i;
const RECOMMENDED =
  /\b(?:I|we)(?:['’]d| would)? recommend\b.{3,160}\b(?:over|instead of|rather than)\b|^(?:my )?recommendation\b.{3,160}\b(?:over|instead of|rather than|because|since)\b/i;
const ALTERNATIVE =
  /^[`'"“(\w][^,;:]{1,70}\bwould (?:break|cost|hide|lose|need|require|mean|force|be (?:too|slower|overkill|worse|more|wrong))\b|\bwould (?:be|save|give|have|make|work|do|allow|let)\b.{2,100}\bbut\b|\bhence\b|\boff the table\b|\bis overkill\b/i;
const FOR_REASON =
  /\bworth (?:it|the)\b.{3,}|\w(?:ed|s|en)\b.{0,60}, not (?:by|with|in|as|via|through|on|an?|the)\b.{2,60}(?:;|—|because|since|so )|\b(?:stick(?:ing)? with|stuck with|standardi[sz]ed? on|for simplicity|to keep (?:it|things) simple|on balance|the plan is to|we accept|moved? to .{2,60} because|switch(?:ed)? to .{2,60} because)\b/i;
const KEPT =
  /\b(?:kept|keep|keeping|left(?!-)|leaving|stay(?:ed|ing)? with|stuck with)\b.{1,160}\b(?:because|since|so that|to avoid|rather than|instead of|in order to|so (?:we|it|the|that|existing|old|callers))\b/i;
const REASONED =
  /\b(?:we|I) (?:now )?(?:use|used|store|stored|keep|put|make|made|do|did|run|ran|pass|return|cache|avoid|avoided|skip|skipped|rely|wrap|wrapped|moved|switched|replaced|added|model|modelled|modeled|implemented)\b.{1,160}\b(?:because|so that|to avoid|rather than|instead of|in favou?r of)\b/i;
const USED =
  /^(?:use[ds]?|using|stor(?:ed|es|ing)|implemented|made|put|moved|switched|replaced|wrapped|modell?ed|avoided|went|skipped|standardi[sz]ed|returned|returning|built|wrote)\b.{1,160}\b(?:instead of|rather than|in favou?r of|over (?:a |an |the )?\w+ because)\b/i;
/** A bug's description uses the same words: "it compared with < instead of <=". */
const DESCRIBES_BUG =
  /\b(?:bug|wrong(?:ly)?|incorrect(?:ly)?|mistaken(?:ly)?|was (?:using|comparing|reading|returning|passing|calling|checking|being)|were (?:using|being)|returned .{1,40} instead|off[- ]by[- ]one|root cause|accidentally|should have|used to|crash|the cause|now returns?|failing|fail(?:s|ed) because)\b/i;
const REASON =
  /\b(?:because|since|so that|to avoid|in order to|due to|given that|as (?:it|they|the|this|that) (?:is|are|was|would|has|have|needs?)\b)/i;
const OTHER_LANGUAGES =
  /\b(?:entschieden|anstatt|statt|plutôt que|au lieu de|décidé|en lugar de|en vez de|decid(?:í|ió|imos|iu)|em vez de)\b|而不是|决定|改用|ではなく|ことにし|대신|вместо|решил/i;

export function readDecision(line: Line): Decision | null {
  const text = stripSpeaker(line.text);
  if (isChatter(line.text) || isOffer(line.text) || text.length < 18 || text.endsWith('?')) return null;
  if (!isDecision(line, text)) return null;
  return {
    line,
    text: text.replace(/^decided to (\w)/i, (_, first: string) => first.toUpperCase()),
    why: whyIn(text),
    rejected: rejectedIn(text),
  };
}

function isDecision(line: Line, text: string): boolean {
  if (/\b(?:decisions?|rationale|trade-?offs?|choices?)\b/.test(line.section) && line.item) return true;
  if (/\b(?:you|the user) (?:chose|decided|asked|picked|wanted)\b/i.test(line.text)) return false;
  if (OTHER_LANGUAGES.test(line.text)) return true;
  if (STRONG.test(line.text)) return !/\b(?:if|whether|once) (?:you|we)\b.{0,30}\bdecide/i.test(line.text);
  if (ON_PURPOSE.test(line.text)) return /\b(?:I|we)\b/i.test(line.text) || startsWithPastVerb(text);
  if (DESCRIBES_BUG.test(line.text)) return false;
  return (
    [KEPT, REASONED, INSTEAD, MADE_SO, CONSIDERED, CANDIDATE, RECOMMENDED, ALTERNATIVE, FOR_REASON].some((pattern) =>
      pattern.test(line.text),
    ) || USED.test(text)
  );
}

export function whyIn(text: string): string | null {
  const found = REASON.exec(text);
  const dash = / [—–] | - |; /.exec(text);
  const at = found ? found.index : dash ? dash.index + dash[0].length : -1;
  if (at <= 0) return null;
  const why = text
    .slice(at)
    .replace(/^(?:because|since|given that|due to)\s+/i, '')
    .replace(/[.!]+$/, '')
    .trim();
  return why.length >= 8 ? why : null;
}

export function rejectedIn(text: string): string | null {
  const considered = /\b(?:considered|looked at|weighed|thought about)\s+(.{2,100}?)(?:,|;| but\b)/i.exec(text)?.[1];
  if (considered) return bareText(considered);
  const found = /\b(?:instead of|rather than|over|in favou?r of|not|against)\s+(.{2,100})/i.exec(
    text.replace(/\b(?:did not|do not|does not|is not|not to|not yet)\b/gi, ' '),
  );
  if (!found?.[1]) return null;
  const inFavour = /in favou?r of/i.test(found[0]);
  const end = found[1].search(
    /[,;.!?](?:\s|$)|\s[—–-]\s|\b(?:because|since|so that|so |to avoid|to keep|as it|given|which|for |due to|in order)\b|\)/i,
  );
  const rejected = bareText(end < 0 ? found[1] : found[1].slice(0, end)).trim();
  return inFavour || rejected.length < 2 ? null : rejected;
}
