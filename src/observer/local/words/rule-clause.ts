// Clauses in which a user lays something down: "no barrels please", "keep v2", "plain CSS only", "kein Redux bitte".
import { typeOfVerb } from './verbs.ts';

export type Clause = { at: number; text: string };

const BOUNDARY =
  /[,;:—–(]\s+|\s-\s+|\s(?:and|but|so|then|und|aber|y|pero|et|mais)\s+(?=(?:please |also |bitte |by the way,? |btw,? )?(?:no|nothing|everything|don['’]?t|do not|never|always|keep|leave|use|avoid|only|stick|stay|we|without|not|kein\w*|nie|nur|immer|nunca|siempre|sin|pas)\s)/gi;
const OPENER =
  /^(?:(?:and|but|also|so|then|please|pls|just|oh|btw|by the way|remember|fyi|for the record|as always|ok(?:ay)?|bitte|aber|und|por favor|y|pero|s['’]il (?:te|vous) pla[iî]t),?\s+)+/i;

/** The clauses of a sentence and where each begins. */
export function splitClauses(sentence: string): Clause[] {
  const text = sentence.slice(0, 600);
  const clauses: Clause[] = [];
  let at = 0;
  for (const mark of text.matchAll(BOUNDARY)) {
    clauses.push({ at, text: text.slice(at, mark.index) });
    at = mark.index + mark[0].length;
  }
  clauses.push({ at, text: text.slice(at) });
  return clauses.filter((clause) => clause.text.trim() !== '');
}

/** Says what is so from now on, whatever else the sentence tells. */
const STRONG: RegExp[] = [
  /^don['’]?t you (?:dare|ever)\b.{3,}|^nothing (?:that|which) (?:needs?|requires?|depends?|uses?|is|breaks?|touches)\b/i,
  /\b(?:is|are|lives?|goes?|must|stays?|uses?|belongs?)\b.{2,100}\b(?:in|for|across) (?:this|our|the whole) (?:project|code ?base|repo(?:sitory)?|team|company|app|service|org)\b/i,
  /\b(?:is|are) (?:sacred|frozen|untouchable|non-negotiable|a no-go|banned)\b|\bhands off\b|\bnobody (?:runs|touches|edits|pushes|merges|commits|deploys|changes|uses|may|should)\b/i,
  /^(?:don['’]?t|do not|never|avoid)\s+(?!(?:forget|worry|know|think|understand|see|have|get|care|remember|mind|hesitate|believe|bother|we|you|i|they|let)\b)\w+/i,
  /^always\s+\w+|^stop (?:\w+ing)\b/i,
  /^(?:keep|leave|stick (?:to|with)|stay (?:on|with|at|away)|preserve|retain)\s+(?!(?:going|on\b|it up|me|in mind|up|an eye|track|working|you|us|out of)\b)\S/i,
  /^(?:use|go with|go for|prefer|pick|choose|target|pin|default to|standardi[sz]e on)\s+(?!(?:it|that|this|them|these|those|the|my|your|one|both)\b)\S/i,
  /^(?:we|i) (?:stay|keep|stick|never|always|only|don['’]?t|do not|won['’]t|will not|no longer|insist|go with|settle)\s+(?!(?:\w+ing$|(?:forgetting|getting|seeing|hitting|running into)\b|actually|recall|want to know|know|think|see|understand|get|have|remember|care|believe|like it|mind|yet)\b)\S/i,
  /\b(?:must|may|shall|should) (?!not \w+ly\b|not (?:exist|have)\b)(?:not|never|only|always|stay|remain)\b|\bmustn['’]t\b|\bha(?:s|ve) to (?:stay|remain|keep)\b|\b(?:is|are) (?:not allowed|forbidden|off[- ]limits|taboo|mandatory)\b/i,
  /^(?:let['’]?s|lets|let us) (?:go with|go for|use|keep|stick|stay|drop|not|leave|take|pick)\s/i,
  /\b\S+ it is[.!]?$|\bfrom now on\b|\bgoing forward\b|\bab (?:jetzt|sofort)\b|\ba partir de ahora\b|\bdésormais\b/i,
  /^(?:nie|niemals|immer|auf keinen fall|wir (?:bleiben|nehmen|behalten|verwenden|nutzen|wollen)|nimm|nehmt|verwende|benutze|nutze|lass|behalte?|bleib)\s+\S/i,
  /\b(?:anstatt|statt|stattdessen|darf nicht|dürfen nicht|darf nur|soll(?:en)? nicht|keinesfalls|lieber)\s|\bsondern\b/i,
  /^(?:nunca|siempre|no (?:uses|usar|toques|cambies|añadas|agregues|borres|metas|quiero|queremos)|usa|usemos|utiliza|mant[eé]n|nos quedamos con|prefiero|nada de)\s/i,
  /\b(?:en vez de|en lugar de|au lieu de|plutôt que|em vez de)\s/i,
  /^(?:n[e']\s?\w+ (?:pas|jamais)|jamais|toujours|utilise[rz]?|garde[rz]?|on (?:garde|reste|utilise|part sur)|je préfère)\s/i,
];
/** Of a failure these words describe it: "no such file", "only on CI". */
const WEAK: RegExp[] = [
  /^no more \S+(?: \S+){0,12}$/i,
  /^(?!(?:it|this|that|there|he|she|they|the (?:page|app|build|test|job))\b)\S.{2,60} (?:always|never) (?:goes?|lives?|comes?|belongs?|gets?|runs?|uses?|stays?|means?|needs?|end|ends|starts?)\s\S/i,
  /^(?:[\w.`/+@-]+ ){1,5}only[.!]?$/i,
  /^only \w+ing\b|^only (?:use|ever|touch|change|[\w.-]+ (?:may|can|should|must))\b/i,
  /^(?!(?:I|we) (?:was|were|remember|had|see|saw)\b|it\b).*\b(?:everywhere|across the board|without exception)[.!]?$/i,
  /^not (?:an?|the|in|with|like|as|for|via)\s/i,
  /^(?!(?:it|this|that|there|he|she|they|everything|the (?:page|app|build|test|job))\b)\S.{2,80} (?:is|are) always \S|\b(?:always|never)[.!]?$/i,
  /^(?:all|every|any) [\w -]{2,40} (?:in|as|with|via|through|by|into) \S|^(?:new|\w+s) (?:\w+ ){0,3}(?:as|in|via|with) [\w -]{2,40} (?:please|pls)[.!]?$/i,
  /^make (?:it|this|that) (?:opt-?(?:in|out)|optional|configurable|the default)\b|\bdefault (?:off|on)\b|^default to\b/i,
  /^(?:skip|forget|ditch) (?:the|about|that|all|any)\s\S|^let (?!(?:me|us|you)\b)\S+ (?:do|handle|decide|own)\b/i,
  /^(?!(?:it|that|this|everything|all|the (?:rest|test|build))\b)(?!.{0,40}\bitself is fine\b)[\w` -]{3,40} is (?:fine|good enough|enough|okay|ok)\b/i,
  /^(?:the team|the company|legal|management|the client|the customer|accounting|security|they) (?:has |have )?(?:decided|agreed|insists?|wants)\b/i,
  /\b(?:must|has to|have to) (?:work|run) (?:offline|without|with|on|in|top)\b|\b(?:is|are) a must\b/i,
  /^(?!(?:it|this|that|he|she)\b)(?:\S+ ){1,4}stays? (?!(?:up|down|red|empty|blank|open|stuck|the same|on screen|visible)\b)\S/i,
  /^(?:better|besser|mejor) (?:an?|the|use|with|keep|\w+ than)\b|^(?:max(?:imum)?|at most|no more than|at least) \d/i,
  /^without (?!(?:success|luck|effect|any (?:error|output|effect)|errors?)\b)\S+/i,
  /\brechnen wir nicht\b|\bmachen wir nicht\b|\bwir nicht selbst\b/i,
  /^(?:nur|solo|sólo|uniquement|ohne|sin|sans) (?:\S+ ){0,5}\S+$/i,
];
const NO =
  /^(?:no|kein(?:e[nrms]?)?|pas de|nada de|sin) (?!(?:problem|idea|luck|worries|rush|thanks|need|one|it|that|this|the|i|we|you|matter|such|errors?|module|response|output|results?|logs?|difference|effect|longer|clue|wonder|doubt|way|reason|questions?|hurry|stress|sé|sirve|funciona|ahnung|problema?)\b)[\w`./@+-]+(?: \S+){0,6}$/i;
const TROUBLE =
  /\b(?:fail(?:s|ed|ing)?|broken|broke|crash\w*|errors?|exception|segfault\w*|panic\w*|times? out|timeouts?|flaky|(?:does|do|is|are)(?:n['’]t| not) (?:work|start|link|build|load|run|show)\w*|died|no such|hangs?|stuck|vanish\w*|does nothing|nothing (?:in|happens)|is slow|too slow|takes \d|restarts|i think|weird|wrong|lost|geht nicht|no funciona)\b/i;

/** `place` in a list of circumstances ("80M rows, no downtime, postgres 15") lays nothing down. */
export function laysDown(clause: Clause, index: number, all: Clause[]): boolean {
  const text = clause.text
    .replace(OPENER, '')
    .replace(/,? (?:pls|please|bitte|por favor|ever|thanks|thx)[.!]*$/i, '')
    .trim();
  if (text.length < 5 || isForThisTurn(text)) return false;
  if (STRONG.some((pattern) => pattern.test(text))) return true;
  if (all.some((one) => TROUBLE.test(one.text))) return false;
  if (WEAK.some((pattern) => pattern.test(text))) return typeOfVerb(text) === null;
  const isOutstanding = index === 0 || index === all.length - 1 || /\b(?:please|pls|bitte|por favor)\b|!/i.test(text);
  return isOutstanding && NO.test(text.replace(/[.!,\s]*(?:please|pls|bitte|por favor)?[.!\s]*$/i, ''));
}

const FOR_THIS_TURN: RegExp[] = [
  /\bfor this (?:request|turn|task|prompt)\b|\bany (?:more|further) changes\b/i,
  /\b(?:don['’]?t|do not|without) (?:chang|touch|edit|modif|implement|writ|fix|commit|push|cod|do|run|deploy|merg|start)\w*(?: (?:anything|any|code|it|the code|files?|that|this)\b|.{0,30}\byet\b|[.!]?$)/i,
  /^(?:research|analysis|read|review|explanation|explain|plan|planning|answer|ideas?|question|looking|a plan|just) only\b|^only (?:explain|research|look|answer|tell|plan|analy[sz]e|review|read|a plan)\b|\bread-?only (?:for now|please)\b/i,
  /^no (?:code|edits?|changes?|commits?|push(?:es)?|implementation|fix(?:es)?|action|tool calls?|files?)(?: (?:yet|for now|please|changes?|today|first))*[.!]?$/i,
  /^(?:nur (?:erklären|anschauen|lesen)|s[oó]lo (?:explica|mira|dime)|kein code)\b/i,
  /^(?:leave it (?:at that|there)|keep (?:it|this) (?:short|brief|simple|up)|use (?:a )?(?:subagents?|agents?))\b/i,
];

/** True for this turn only: "research only, no code". */
export function isForThisTurn(text: string): boolean {
  return FOR_THIS_TURN.some((pattern) => pattern.test(text.trim()));
}
