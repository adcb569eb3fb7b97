// Words by which an agent tells that something went wrong while it worked, and what it did about it.
import type { Line } from '../turn.ts';

const WENT_WRONG =
  /\b(?:fail(?:s|ed|ing|ures?)?|broke|breaks|broken|crash\w*|refus\w+|reject\w*|r[au]n into|hit (?:an?|the)|tripped|surfaced|uncovered|exposed|revealed|complain\w*|chok\w+|blew up|bit (?:me|us)|panick\w*|errors?|errored|exceptions?|threw|throws|timed out|time-?outs?|(?:could|would)(?:n['’]t| not)|cannot|stopped (?:with|at|on)|stuck|pending|empty|ignored|skipped|twice|dropped|lost|can['’]t|missing|unsupported|conflict\w*|deadlock\w*|cycles?|cyclic|circular|races?|raced|unknown|not found|no longer|wrong|flak\w+|leak\w*|segfault\w*|hung|hangs|stumbled|killed|OOM\w*|evicted|denied|undefined|stale|mismatch\w*|clash\w*|collid\w+|invalid|expired|did(?:n['’]t| not) (?:find|compile|build|start|load|link|resolve|match|see|know|fit|work|exist|accept|apply|render|boot|mount|migrate))\b/i;
const AFTERWARDS =
  /\b(?:now|so (?:it|they|the|I|we|that)\b|fix(?:ed|es)?|solved?|resolved|works? again|until|needs?|had to|instead|since then|is back)\b|^with\b|\bready\b|\bgo(?:es)? through\b|^(?:Added|Moved|Set|Pinned|Raised|Replaced|Switched|Removed|Bumped|Renamed|Made|Gave|Put|Wrapped|Changed|Used?)\b|\bby \w+ing\b/i;
const ON_THE_WAY =
  /\b(?:(?:on|along) the way|in between|at first|first (?:failed|broke|crashed|refused|did not|didn['’]t)|(?:failed|broke|crashed|refused) (?:at )?first|initially|first(?:,? (?:because|since|so)\b|[:;])|the first (?:build|run|deploy|start|attempt to|migration|try|import|render|request|install) (?:failed|stopped|broke|died|crashed|hung|ended|gave|threw|ran))\b/i;
const BREAKAGE =
  /\b(?:(?:things?|what) (?:that )?(?:broke|went wrong|failed)|broke\b|surprises?|snags?|hiccups?|stumbling blocks?|(?:problems?|issues?|trouble|errors?|failures?) (?:hit|met|found|fixed|encountered|solved|on the way)|lessons?|gotchas?|(?:on|along) the way)\b/;

export function tellsTrouble(line: Line): boolean {
  return WENT_WRONG.test(line.text);
}

const FAILED_PAST =
  /\b(?:failed|broke|crashed|refused|rejected|complained|stopped (?:with|at|on)|died|blew up|choked|threw|hung|timed out|r[au]n into|tripped|did(?:n['’]t| not) (?:find|compile|build|start|load|link|resolve|boot|mount|apply|render|migrate))\b/i;

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

const LEAD_IN =
  /^(?:(?:one|a|another|the only|small) (?:lesson|snag|surprise|gotcha|problem|hiccup|thing|bug|failure|error|trap|catch|pitfall|issue|detour)(?: (?:(?:on|along) the way|learned|I hit|we hit|in between|came up))*\s*[:,—–-]\s*|(?:on|along) the way,?\s+|(?:that|this|which) (?:surfaced|uncovered|exposed|revealed|showed)\s+|(?:also|then|in between),?\s+)/i;

/** The sentence opens as a story of its own. */
export function opensAside(line: Line): boolean {
  return LEAD_IN.test(line.text) || BREAKAGE.test(line.section);
}

/** "One lesson on the way: adding the CHECK …" → "adding the CHECK …". */
export function withoutLeadIn(text: string): string {
  const rest = text.replace(LEAD_IN, '');
  return rest.length >= 12 ? rest : text;
}
