// Sentences that state something found out about the code or the world.
import { contentWords } from '../text/tokens.ts';
import type { Line } from '../turn.ts';
import { isStrongCause } from './cause.ts';
import { isChatter, isOffer, isVerification } from './chatter.ts';

const STRONG: RegExp[] = [
  /\b(?:it )?turn(?:s|ed) out\b/i,
  /\b(?:found|discovered|learned|noticed|confirmed|determined|established|realized|realised) (?:that|out|the|a|an|two|three|one)\b/i,
  /\b(?:key|important|main|surprising|notable) finding/i,
  /^(?:one|two|three|the|only one) (?:\w+ )?(?:problem|issue|finding|exception|catch|surprise)s?\s*[:—–]/i,
  /^(?:findings?|gotcha|caveat|answer|conclusion|verdict|short answer|takeaway)\s*[:—–-]/i,
];
const PLACE =
  /\b(?:is|are) (?:handled|defined|implemented|done|set|computed|stored|created|configured|registered|validated|loaded|cached|triggered|controlled|managed|built|called|resolved|enforced|driven) (?:in|by|at|inside|via|through|from|on)\b|\b(?:lives?|happens?|resides?|sits|comes from|goes through|is located|are located) (?:in|at|inside|on|under|when|the)\b/i;
const FINDING_SECTION =
  /\b(?:findings?|what I (?:found|learned)|learned|learnings|key (?:points|facts|insights)|conclusion|verdict|answer|root cause|analysis|gotchas?|how it works|explanation|results?)\b/i;

export function isFinding(line: Line): boolean {
  const { text } = line;
  if (
    isChatter(text) ||
    isOffer(text) ||
    isVerification(text) ||
    text.length < 20 ||
    text.endsWith('?') ||
    text.endsWith(':')
  )
    return false;
  return (
    STRONG.some((pattern) => pattern.test(text)) ||
    isStrongCause(text) ||
    (line.item && FINDING_SECTION.test(line.section))
  );
}

/** A finding or any plain statement of some weight: enough to answer a question. */
export function isAnswer(line: Line): boolean {
  if (isFinding(line)) return true;
  const { text } = line;
  if (isChatter(text) || isOffer(text) || isVerification(text) || text.length < 25 || text.endsWith('?')) return false;
  if (isListing(text)) return false;
  if (/^(?:to |the following|steps|run|from a terminal)/i.test(text) || /^[\w ]{1,20}: \S+$/.test(text)) return false;
  return PLACE.test(text) || contentWords(text).size >= 4 || CJK.test(text);
}

/** "Four pages: /, /courses, /checkout" is true only now and one look away. */
export function isListing(text: string): boolean {
  const items = /^[^:,]{3,40}: (.+)$/.exec(text.replace(/[.!]$/, ''))?.[1]?.split(/, | and /) ?? [];
  return items.length >= 3 && items.every((item) => item.trim().split(' ').length <= 2);
}

const CJK = /[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]/;

/** Questions whose answer is true only now: states and listings. */
const EPHEMERAL =
  /\bgit (?:status|log|branch|diff|stash list)\b|\b(?:what|which) branch\b|\bwhat time\b|\bare we (?:up to date|done)\b|\bstatus\?*$|\bwhat(?:['’]s| is) (?:left|next|the status)\b|^(?:\S+ ){0,2}(?:show|list|print|display|give|get)(?: me)? (?!(?:me )?(?:how|why|where|when|whether|what (?:happens|causes|makes)|an? (?:overview|summary|explanation|comparison))\b)|^(?:\S+ ){0,2}what(?:['’]s| is| are)(?: \w+)? in (?!(?:common|charge|scope|use|it for)\b)|^(?:\S+ ){0,2}(?:which|what|how many) (?:\w+ )?(?:files|folders|commits|branches|tags|containers|pods|processes)\b/i;

/** A prompt that asks to know, not to change. */
export function isQuestion(prompt: string): boolean {
  const text = prompt.trim();
  if (EPHEMERAL.test(text)) return false;
  if (
    /^(?:can|could|would|will) you (?:please )?(?:fix|add|make|change|implement|create|update|remove|write|refactor|rename|move|commit)\b/i.test(
      text,
    )
  )
    return false;
  return (
    /^(?:let me see|show|give me|list|print|get me|find|i think|maybe|perhaps|thoughts|shouldn['’]t|wouldn['’]t|idea:|how|why|what|where|which|who|when|is|are|does|do|did|can|could|should|explain|describe|investigate|look into|find out|figure out|analy[sz]e|review|check (?:why|how|whether|if|what)|tell me|show me|understand|compare|research|walk me|summari[sz]e|audit|trace|debug why|test (?:it|this|that|whether|if)|try (?:it|this|to)|verify|reproduce)\b/i.test(
      text,
    ) ||
    /\?\s*$/.test(text) ||
    /\b(?:find out|figure out|look into|investigate|research|spawn a subagent|explain|(?:test|try|verify) (?:it|this|that)|(?:check|see) (?:if|whether|why|how|which|what|that))\b/i.test(
      text,
    )
  );
}

/** "The plugin works." "It is not possible." */
export function isVerdict(text: string): boolean {
  return /\b(?:works?|works fine|fails?|is(?: not|n['’]t)? (?:possible|supported|safe|correct|used|fixed|broken)|yes|no)\b/i.test(
    text,
  );
}

/** How much a sentence tells: named things, reasons and limits outweigh a bare state. */
export function answerWeight(line: Line): number {
  const { text } = line;
  const named = /`|\w\.\w{2,4}\b|[a-z][A-Z]|_/.test(text) ? 2 : 0;
  const reason = /\b(?:because|so |only|when|unless|until|never|root cause|turns out|depends)\b/i.test(text) ? 1.5 : 0;
  const pointer = /\b(?:see (?:above|below)|as (?:above|follows))\b/i.test(text) ? -4 : 0;
  const state =
    /^\S+ (?:\S+ )?(?:is|are) (?:installed|valid|running|available|ready|clean|authenticated|up to date|set)\b/i.test(
      text,
    )
      ? -3
      : 0;
  return (
    Math.min(text.length, 160) / 80 +
    named +
    reason +
    pointer +
    state +
    (isStrongCause(text) ? 2 : 0) +
    (line.item ? -1 : 0) +
    (line.block === 0 ? 1 : 0)
  );
}

/** Something seen on the way that is not what was worked on: "By the way, …", "I noticed that …". */
export function isAside(line: Line): boolean {
  if (isChatter(line.text) || isOffer(line.text) || isVerification(line.text) || line.text.length < 30) return false;
  return /^(?:by the way|btw|side note|fyi|heads[- ]up|unrelated|incidentally|gotcha|worth knowing|good to know)\b|\b(?:I|we) (?:also )?(?:noticed|discovered|came across|stumbled)\b|\bwhile (?:there|at it|looking|reading|testing|debugging)\b/i.test(
    line.text,
  );
}
