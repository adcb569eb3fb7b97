// What a message says is still to be done.
import { contentWords } from '../text/tokens.ts';
import type { Line } from '../turn.ts';
import { isChatter, isFarewell, isOffer } from './chatter.ts';
import { isDeadEnd } from './dead-end.ts';
import { readDecision } from './decision.ts';
import { stripSpeaker } from './lead-in.ts';
import { announcesOpenWork, hasOpenLabel, stripOpenLabel } from './open-heading.ts';
import { goesOnOpen, saysOpen } from './open-work.ts';
import { startsWithPastVerb } from './verbs.ts';

export function findNextSteps(lines: Line[]): { text: string; line: Line }[] {
  const found: { text: string; line: Line }[] = [];
  for (const line of lines) {
    const before = found.at(-1)?.line;
    if (before && sameBlock(before, line) && hasOpenLabel(before.text) && HEDGE.test(line.text)) continue;
    const text = nextStepIn(line) ?? (before && sameBlock(before, line) ? continuation(line) : null);
    if (text) found.push(...splitItems(text).map((item) => ({ text: item, line })));
  }
  return found;
}

/** "Not green: X fails. It looks like the path limit, but I haven't verified that." Only the first is to be done. */
const HEDGE =
  /^(?:(?:it|this|that) (?:looks|seems|smells|might|may|could|is (?:probably|likely|possibly))\b|(?:probably|likely|possibly|presumably|perhaps|maybe|apparently)\b|(?:my guess|I (?:suspect|guess|think|believe|assume))\b|I (?:have(?:n['’]t| not)|did(?:n['’]t| not)) (?:verif|check|confirm|look))/i;

const sameBlock = (a: Line, b: Line): boolean => a.id === b.id && a.block === b.block;

/** "We should measure it. The limit also has to go up." The second follows on from the first. */
function continuation(line: Line): string | null {
  if (isOffer(line.text) || line.text.endsWith('?') || isPast(line.text)) return null;
  return goesOnOpen(line.text) ? tidy(line.text) : null;
}

/** "Next: add the index; document the endpoint" are two; "X is deprecated; it goes away" is one. */
function splitItems(text: string): string[] {
  const parts = text.split(/;\s+(?:and )?/).map((part) => part.trim());
  if (parts.length < 2) return [text];
  const isList = parts.every((part) => contentWords(part).size >= 2 && !POINTS_BACK.test(part));
  const open = parts.filter((part) => !startsWithPastVerb(part));
  return isList && open.length > 0 ? open : [parts.join(' – ')];
}

const POINTS_BACK =
  /^(?:it|they|this|that|these|those|which|so|if|because|otherwise|the (?:first|second|latter|former))\b/i;

/** An offer that asks for a yes is nothing left to do: whoever wants it says so. */
function nextStepIn(line: Line): string | null {
  const { text } = line;
  if (line.checked === true || text.endsWith(':') || NOTHING.test(text) || IS_DONE.test(text) || isFarewell(text))
    return null;
  const isAnnounced = announcesOpenWork(line.section);
  if (isOffer(text)) return text.endsWith('?') && !isAnnounced ? null : concreteOffer(text);
  // "Docs" is a step in a list, nothing anywhere else.
  const isNamed = line.item && /\p{L}{3}/u.test(text) && text.length < 8;
  if (isChatter(text) && text.length < 20 && !isNamed) return null;
  if (isAnnounced && isListed(line)) return tidy(text);
  if (line.item && line.checked === false) return tidy(text);
  if (hasOpenLabel(text) || LEFT_FOR_NOW.test(text)) return tidy(text);
  if (text.endsWith('?') || isPast(text) || STAYS.test(text) || isDeadEnd(line) || readDecision(line) !== null)
    return null;
  return saysOpen(text) ? tidy(text) : null;
}

/** Decided, but not for good. */
const LEFT_FOR_NOW = /\b(?:I|we)(?:['’]ve| have)? left\b.{1,60}\bfor now\b|\bis what I(?:['’]d| would)\b/i;

/** "Charts complete" in a list of what is in progress. */
const IS_DONE =
  /^(?!.*\b(?:not|to be|until|when|once|half|before|isn['’]t|aren['’]t)\b).*\w (?:complete|completed|done|finished)[.!]?$/i;

/** "None", "Nothing left": the heading announces work, the list says there is none. */
const NOTHING =
  /^(?:I |we )?(?:have |['’]ve )?(?:(?:did|have)(?:n['’]t| not) (?:chang|touch|edit|modif)\w+ (?:anything|any\b|a thing|the code)|(?:chang|touch|edit)ed nothing)|^(?:none|nothing|nichts|nada|rien|n\/a)\b(?!\s+(?:\w+ ){0,4}(?:tests?|covers?|alerts?|checks?)\b)|^no (?:open|further|remaining|next|known|more|pending|follow)/i;

function isListed(line: Line): boolean {
  return !/\b(?:all|everything|\d+ of \d+|tests?)\b.{0,40}\b(?:pass(?:es|ed)?|green|clean)\b/i.test(line.text);
}

/** "The cache was not yet warm, so it failed" tells what was, not what is to do. */
function isPast(text: string): boolean {
  if (REPORTED.test(text)) return true;
  if (startsWithPastVerb(stripSpeaker(text))) return !/\b(?:still|yet|remaining|left|follows)\b/i.test(text);
  if (WAS_NOT_YET.test(text)) return true;
  return (
    /\b(?:was|were|had) (?:still|not yet|yet|not enough)\b|\b(?:(?:the|this|a) (?:bug|cause) (?:was|is|here)|because .{0,40}(?:was|were|did))\b/i.test(
      text,
    ) && !/^(?:next|remaining|todo|follow)/i.test(text)
  );
}

/** "I will keep the limit at 7." Nothing is to be done for that. */
const STAYS = /^(?:so )?(?:I|we)(?:['’]ll| will) (?:keep|leave|stick (?:to|with)|stay with|remember|respect|follow)\b/i;

/** "Fixed: it read a file that is not deployed." */
const REPORTED = /^(?:fixed|done|resolved|solved|repaired)\s*[:—–]/i;

/** "The broker was not listening yet", "had not started": how it stood when it failed. */
const WAS_NOT_YET =
  /\b(?:was|were)(?: not|n['’]t) (?:\w+ing|ready|up|there|available|open|healthy|warm|loaded|started|initiali[sz]ed|connected|mounted)\b(?: \w+){0,3} yet\b|\b(?:was|were)(?: not|n['’]t) \w+ yet(?:,| and| so| when)\b|\bhad(?: not|n['’]t) (?:yet )?\w+(?:ed|en|un)\b|\bdid(?: not|n['’]t) exist yet\b/i;

const GENERIC = new Set(
  'any anyth change adjust help question proceed continu try commit push run it this that explain detail further anoth els need like want'.split(
    ' ',
  ),
);

/** "I can add an index on orders.customer_id if you like" names work; "Let me know if you need anything" does not. */
function concreteOffer(text: string): string | null {
  const found =
    /\b(?:like me to|want me to|shall I|should I|I can(?: also)?|happy to)\s+(.{8,160}?)(?:\?|\.(?:\s|$)|$| if you\b| as well\b| [-—–] )/i.exec(
      text,
    );
  const work = found?.[1]
    ?.replace(/^(?:also|next|now|go ahead and|then)\s+/i, '')
    .replace(/,? (?:too|next|now|as well)$/i, '');
  if (!work) return null;
  const words = [...contentWords(work)].filter((word) => !GENERIC.has(word));
  const named = /`|\w[._/]\w|[a-z][A-Z]|\d/.test(work);
  return words.length >= (named ? 2 : 4) ? tidy(work) : null;
}

function tidy(text: string): string {
  return stripOpenLabel(text).replace(/\s+/g, ' ').trim().slice(0, 290).replace(/[.;]$/, '');
}
