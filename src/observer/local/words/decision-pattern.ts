// The ways in which an agent's sentence states a decision, by their grammar.
import type { Line } from '../turn.ts';
import { startsWithPastVerb } from './verbs.ts';

const SAID =
  /^so (?:it['’]s|it is|we(?:['’]re| are) (?:on|with|at|using)) |\b(?:(?:did(?:n['’]t| not)|do(?:n['’]t| not)) (?:go (?:for|with)|choose|pick)\b|my (?:vote|pick|preference|choice|call) (?:goes|is|was|would)|(?:best|better|right|safest|simplest|cleanest|saner|cheapest) (?:choice|fit|option|call|pick|bet|candidate|place|tool|home)(?: (?:here|for (?:this|us|that)))? (?:is|was|would be)\b|for now,? (?:we|I) (?:keep|stay|use|leave|go|stick|accept|live|pin|run|do)|(?:we|I) (?:keep|stay|use|leave|stick|accept|pin)\b.{3,100}\bfor now\b.{0,4}[:;—–,]|seems? (?:too (?:heavy|much|big|complex|risky|expensive|slow)|overkill)|decided (?:to|on|against|not to|that|for)|decision(?: is| was|:)|chose(?:n)?\b|opted (?:for|to|against|not)|went (?:with|for)\b|going with|settled (?:on|for)|agreed (?:on|to|that)|(?:was|were|is|are) rejected\b|rejected (?:because|since|due)|picked\b.{1,80}\b(?:over|because|since|instead|rather|:)|preferred\b|the choice (?:fell|is|was)|(?:is|was|are|seemed?|looks?) (?:the |a )?(?:better|best|right|safer|simpler|cheaper|cleaner|saner) (?:choice|fit|option|trade-?off|call|pick|tool|place|default))/i;
const LABEL =
  /^(?:\w+ )?(?:decision|decided|choice|chosen|picked|design (?:choice|decision|note)|trade-?off|rationale|recommendation|recommended|verdict|rejected|not (?:chosen|taken|used)|alternatives?(?: considered)?|(?:why (?:not )?)(?!(?:it|this|that|the (?:test|build|bug|error|crash))\b)[^:?]{2,50}|entscheidung|decisión|décision)\s*(?::|\s[—–-])\s*\S.{6,}/i;
const APPROACH = /^(?:approach|design|strategy|solution|plan|architecture|ansatz|enfoque)\s*(?::|\s[—–-])\s*\S/i;
/** Of a thing that was there before, these words explain it; of one's own work they decide. */
const ON_PURPOSE =
  /\b(?:deliberately|intentionally|on purpose|by design|consciously|trade-?off|bewusst|absichtlich)\b/i;

const REASON = String.raw`(?:\b(?:because|since|so that|otherwise|to (?:avoid|keep|save|allow|stay|prevent|spare|make sure)|in order to|due to|given|as (?:it|they|the|this|that|we|you|there|a|our)|for (?:backwards?|compat\w*|consistency|simplicity|now|safety|the sake|that reason)|until|would|which (?:needs?|keeps?|avoids?|survives?|lets?|means?))\b|[:;]\s|\s[—–-]\s)`;
const INSTEAD = String.raw`\b(?:instead of|rather than|in favou?r of|as opposed to|in place of)\b`;
const MADE =
  'use[ds]?|using|stor(?:e|ed|es|ing)|put|mov(?:e|ed)|switched|wrapped|modell?ed|avoid(?:ed)?|went|skipp?(?:ed)?|standardi[sz]ed|return(?:ed|ing)|built|wrote|took|pick(?:ed)?|named|call(?:ed)?|based|ran|run|pass(?:ed)?|cached?|rel(?:y|ied)|made|make|did|do|implemented|replaced|added|capped|pinned|limited|kept|keep|left|leave';

/** A bug's description uses the same words: "it compared with < instead of <=". */
const DESCRIBES_BUG =
  /\b(?:bug|wrong(?:ly)?|incorrect(?:ly)?|mistaken(?:ly)?|was (?:using|comparing|reading|returning|passing|calling|checking|being)|were (?:using|being)|returned .{1,40} instead|off[- ]by[- ]one|root cause|accidentally|should have|used to|crash|the cause|now returns?|failing|fail(?:s|ed) because|(?:instead of|rather than) (?:about |~)?\d+)\b/i;
const CAUSE_LABEL =
  /^(?:(?:root )?cause|problem|reason|mechanism|what (?:bit|broke|hit|happened|went|caused)\b[^:]{0,30})\s*:/i;
const REPAIRS = /^(?:fix(?:ed)?|correct(?:ed)?|chang(?:ed)|repair(?:ed)?|patch(?:ed)?|resolv(?:ed)?|adjust(?:ed)?)\b/i;

/** Anywhere in the sentence. */
const ANYWHERE: RegExp[] = [
  new RegExp(
    String.raw`\b(?:kept|keep|keeping|left(?!-)|leaving|stay(?:s|ed|ing)? (?:with|on|at|in|out|as(?! (?:long|soon|it)\b))|stuck with)\b.{1,160}(?:${REASON}|${INSTEAD}|\bso (?:we|it|the|that|existing|old|callers)\b|\bso \w+ (?:do|does|can|stay|keep|remain|survive|work)\b)`,
    'i',
  ),
  new RegExp(
    String.raw`\b(?:we|I) (?:now )?(?:${MADE})\b.{1,160}(?:\b(?:because|since|so that|to avoid|otherwise)\b|, as (?:it|they|the)\b|${INSTEAD})`,
    'i',
  ),
  /^(?:rather than|instead of)\b.{3,120}\b(?:I|we)\b/i,
  new RegExp(
    String.raw`\b(?:is|are|gets?|stays?|goes|\w{3,}s) (?:now )?\w+\b.{0,120}${INSTEAD}.{1,120}\b(?:because|since|so that|otherwise|to (?:avoid|keep|save|allow|stay|prevent))\b`,
    'i',
  ),
  /\b(?:is|are) (?:now )?(?:stored|kept|cached|computed|done|handled|read|written|sent|built|passed|wrapped|named|pinned|run|loaded|split|grouped|limited|capped|validated|generated|indexed|placed|left(?!-)|excluded|ignored|skipped)\b.{3,160}\b(?:because|since|so that|to avoid|otherwise)\b/i,
  /(?:\b(?:I|we) (?:also |first |briefly )?|^(?:also )?)(?:considered|evaluated|compared|looked at|weighed|thought about)\b.{3,160}\bbut\b/i,
  /\b(?:the )?(?:other|another|obvious) (?:candidate|option|choice|contender|alternative)\b|\bthe alternatives? (?:was|were|would|is)\b/i,
  /\b(?:I|we)(?:['’]d| would)? recommend\b.{3,160}\b(?:over|instead of|rather than)\b|^(?:my )?recommendation\b.{3,160}\b(?:over|instead of|rather than|because|since)\b/i,
  /^[`'"“(\w][^,;:]{1,70}\bwould (?:break|cost|hide|lose|need|require|mean|force|be (?:too|slower|overkill|worse|more|wrong))\b|\bwould (?:be|save|give|have|make|work|do|allow|let)\b.{2,100}\bbut\b|\bhence\b|\boff the table\b|\b(?:is|be) overkill\b/i,
  /\bworth (?:it|the)\b.{3,}|\w(?:ed|s|en)\b.{0,60}, not (?:by|with|in|as|via|through|on|an?|the)\b.{2,60}(?:;|—|because|since|so )|\b(?:stick(?:ing)? (?:with|to)|stuck with|standardi[sz]ed? on|for simplicity|to keep (?:it|things) simple|on balance|the plan is to|we accept|moved? to .{2,60} because|switch(?:ed)? (?:from .{2,60} )?to .{2,60} (?:because|since))\b/i,
  /\b(?:so|therefore|hence|thus|which is why|that(?: is|['’]s) why|for that reason),? (?:I|we) (?:kept|left|stay|stayed|stuck|use|used|chose|put|store|stored|avoid|skip|skipped)\b/i,
  /\b(?:because|since)\b.{3,120}\b(?:would|otherwise)\b|^(?!(?:(?:so|and|but|yeah|yes|well|also),? )*(?:if|when|while|without|unless|even if|in theory|imagine|say)\b).{5,120}[,;] (?!(?:it|they|you|that|which|one)\b)(?:an? |the )?[\w`.()-]+(?: [\w`.()-]+){0,5} would(?:n['’]t| not)? (?!(?:help|like|love|be (?:good|nice|worth|useful|great|next|a good))\b)\w+/i,
  /\b(?:I|we) (?:did(?:n['’]t| not)|would(?:n['’]t| not)|do(?:n['’]t| not)) (?:use|move|switch|introduce|take|go|cache|split|rely)\b.{3,160}(?:[:;]|\b(?:because|since)\b| [—–] |, as )/i,
  /\b(?:took|used|chose|picked|use) the (?:latter|former)\b|\bafter (?:weighing|comparing)\b.{3,}\b(?:I|we) /i,
  /\b(?:I|we) (?:\w+ )?(?:took|put|use|used|kept|keep|made|stored?|wrote|built|set|named)\b.{2,100}[,(] ?(?:and )?not \w+/i,
  /\b(?:is|are|goes?|lives?|runs?|counts?|\w+ed)\b.{0,80}(?:,| and| \() ?not (?:by|with|in|into|as|via|through|on|an?|the|of|from)\b.{2,80}(?:[;:—–]|\b(?:because|since)\b|, (?:so|as) )/i,
  /\b(?:is|are) kept[:;] |\bstays? (?:in|out)[,:;] |\bonly: \S|^(?:kept|left(?!-)|stayed)\b.{3,80}\(/i,
  new RegExp(
    String.raw`\b(?:I|we) (?:${MADE})\b.{3,120}, [\w${'`'}.]+(?: [\w${'`'}.]+){0,4} (?:is not|isn['’]t|cannot|can['’]t|does not|doesn['’]t|has no|would)\b`,
    'i',
  ),
  /\b\w+s?\b (?:in|on|by|as|with) .{2,80}\binstead of\b.{2,60}\(/i,
  /\b(?:is|was|are|were) (?:ruled out|discarded|out|no option|not an option) (?:because|since|due to|as)\b/i,
];
const FOREIGN =
  /\b(?:entschieden|anstatt|statt|plutôt que|au lieu de|décidé|en lugar de|en vez de|decid(?:í|ió|imos|iu)|em vez de)\b|(?:bleibt|bleiben|bleibe) (?:bei|auf|vorerst)\b.{2,}|(?:me|nos) (?:quedo|quedamos|quedé) con\b|而不是|决定|改用|ではなく|ことにし|대신|вместо|решил/i;

/** Of the sentence without its speaker: "Used a Map instead of an array". */
const USED = new RegExp(String.raw`^(?:${MADE})\b.{1,160}(?:${INSTEAD}|\bover (?:a |an |the )?\w+ because\b)`, 'i');
const REASONED_PAST = new RegExp(`${INSTEAD}.{1,160}${REASON}`, 'i');
/** No verb at all: "SQLite over Postgres: no server to run", "No retry on POST, since it is not idempotent". */
const VERBLESS: RegExp[] = [
  /^(?:took|picked|chose|used?|using|went for) [\w`.@/+-]+(?: [\w`.@/+-]+){0,3}\s?[:—–]\s\S/i,
  /^(?!(?:the|a|an|it|this|that|they|iterat\w*|loop\w*|runs?|goes|\w+ed|\w+ing|takes?|took|returns?|fixe?s?)\b)[\w`.@/+()-]+(?: [\w`.@/+()-]+){0,2} (?:over|instead of|rather than|and not|but not) [\w`.@/+()-]+(?: [\w`.@/+()-]+){0,7}(?:[:;—–,]| - | [—–(]| because | since )/i,
  /^no (?!(?:changes?|errors?|tests?|issues?|problems?|regressions?|failures?|warnings?|code|files?|data|need|action|longer|more|other|one|further|open|remaining|next|known)\b)[\w`./@+-]+(?: [\w`./@+-]+){0,7}(?:[:;—–]|,? (?:because|since|as)\b)/i,
];

/** `text` is the sentence of `line` without opener and speaker. */
export function statesDecision(line: Line, text: string): boolean {
  const sentence = line.text;
  if (line.item && /\b(?:decisions?|rationale|trade-?offs?|choices?|entscheidungen|decisiones)\b/.test(line.section))
    return true;
  if (/\b(?:you|the user) (?:chose|decided|asked|picked|wanted)\b/i.test(sentence)) return false;
  if (FOREIGN.test(sentence) || LABEL.test(sentence)) return true;
  if (CAUSE_LABEL.test(sentence)) return false;
  if (SAID.test(sentence)) return !/\b(?:if|whether|once) (?:you|we)\b.{0,30}\bdecide/i.test(sentence);
  if (ON_PURPOSE.test(sentence)) return true;
  if (DESCRIBES_BUG.test(sentence) || REPAIRS.test(text)) return false;
  if (APPROACH.test(sentence) && new RegExp(`${INSTEAD}|\\b(?:because|since|so that)\\b`, 'i').test(sentence))
    return true;
  return (
    ANYWHERE.some((pattern) => pattern.test(sentence)) ||
    USED.test(text) ||
    (startsWithPastVerb(text) && REASONED_PAST.test(text)) ||
    VERBLESS.some((pattern) => pattern.test(text))
  );
}
