// Words by which an agent tells that something went wrong while it worked, and what it did about it.
import type { Line } from '../turn.ts';

const WENT_WRONG =
  /\b(?:fail(?:s|ed|ing|ures?)?|broke|breaks|broken|crash\w*|refus\w+|reject\w*|r[au]n into|hit (?:an?|the)|tripped|surfaced|uncovered|exposed|revealed|complain\w*|chok\w+|blew up|bit (?:me|us)|panick\w*|errors?|errored|exceptions?|threw|throws|timed out|time-?outs?|(?:could|would)(?:n['’]t| not)|cannot|stopped (?:with|at|on)|stuck|pending|empty|ignored|skipped|twice|dropped|lost|can['’]t|missing|unsupported|conflict\w*|deadlock\w*|cycles?|cyclic|circular|races?|raced|unknown|not found|no longer|wrong|flak\w+|leak\w*|segfault\w*|hung|hangs|stumbled|killed|OOM\w*|evicted|denied|undefined|stale|mismatch\w*|clash\w*|collid\w+|invalid|expired|did(?:n['’]t| not) (?:find|compile|build|start|load|link|resolve|match|see|know|fit|work|exist|accept|apply|render|boot|mount|migrate))\b/i;
const AFTERWARDS =
  /\b(?:now|so (?:it|they|the|I|we|that)\b|fix(?:ed|es)?|solved?|resolved|works? again|until|needs?|had to|instead|since then|is back)\b|^with\b|\bready\b|\bgo(?:es)? through\b|^(?:Added|Moved|Set|Pinned|Raised|Replaced|Switched|Removed|Bumped|Renamed|Made|Gave|Put|Wrapped|Changed|Used?)\b|\bby \w+ing\b/i;
const ON_THE_WAY =
  /^(?:after that|then|next|once that (?:was|worked)),? .{3,80}\b(?:failed|broke|crashed|hung|stopped|refused|did(?:n['’]t| not)|timed out)\b|\b(?:(?:on|along) the way|in between|at first|first (?:failed|broke|crashed|refused|did not|didn['’]t)|(?:failed|broke|crashed|refused) (?:at )?first|initially|first(?:,? (?:because|since|so)\b|[:;])|the first (?:build|run|deploy|start|attempt to|migration|try|import|render|request|install) (?:failed|stopped|broke|died|crashed|hung|ended|gave|threw|ran))\b/i;
const BREAKAGE =
  /\b(?:(?:things?|what) (?:that )?(?:broke|went wrong|failed)|broke\b|surprises?|snags?|hiccups?|stumbling blocks?|(?:problems?|issues?|trouble|errors?|failures?) (?:hit|met|found|fixed|encountered|solved|on the way)|lessons?|gotchas?|(?:on|along) the way)\b/;

export function tellsTrouble(line: Line): boolean {
  return WENT_WRONG.test(line.text);
}

/** As the verb of a sentence: neither "failed requests" nor "a request that timed out". */
const FAILED_PAST =
  /(?<!\b(?:that|which|who|if|when|retries|of|is|are|be|as|a|the) )\b(?:(?:failed|broke|crashed|hung|died|choked)(?= (?:because|with|first|at|on|when|since|until|as|in|again|here|there|to|after|before|without|due|the|every|all)\b|[,;:.)(]| \(|$)|refused (?:to|it|the|that)|complained|stopped (?:with|at|on)|blew up|threw|timed out|r[au]n into|tripped|did(?:n['’]t| not) (?:find|compile|build|start|load|link|resolve|boot|mount|apply|render|migrate))\b/i;

/** Plainly in the past: it failed once. */
export function hasFailed(line: Line): boolean {
  return FAILED_PAST.test(line.text);
}

/** Told as something met on the way to something else. */
export function isOnTheWay(line: Line): boolean {
  return ON_THE_WAY.test(line.text) || opensAside(line);
}

export function tellsRemedy(text: string): boolean {
  return AFTERWARDS.test(text);
}

const OPENS =
  /^(?:one|a|another|the only|small) (?:\w+ )?(?:lesson|snag|surprise|gotcha|problem|hiccup|bug|failure|error|trap|catch|pitfall|issue|detour)\b|^(?:on|along) the way\b|^(?:that|this|which) (?:surfaced|uncovered|exposed|revealed)\b/i;
const LEAD_IN =
  /^(?:(?:one|a|another|the only|small) (?:lesson|snag|surprise|gotcha|problem|hiccup|thing|bug|failure|error|trap|catch|pitfall|issue|detour)(?: (?:(?:on|along) the way|learned|I hit|we hit|in between|came up))*\s*[:,—–-]\s*|(?:on|along) the way,?\s+|(?:that|this|which|they|it|the (?:new )?tests?) (?:also )?(?:surfaced|uncovered|exposed|revealed|showed|found) (?:an? (?:real |old |second )?(?:bug|problem|fault|mistake)\s*[:—–-]\s*)?|(?:also|then|and|after that|next|in between|second(?:ly)?|first(?:ly)?),?\s+)/i;

/** The sentence opens as a story of its own. */
export function opensAside(line: Line): boolean {
  return OPENS.test(line.text) || BREAKAGE.test(line.section);
}

/** "One lesson on the way: adding the CHECK …" → "adding the CHECK …". */
export function withoutLeadIn(text: string): string {
  const rest = text.replace(LEAD_IN, '');
  return rest.length >= 12 ? rest : text;
}
