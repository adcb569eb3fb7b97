// An answer given as a list: "ccache is fine, the cache of the cache is not. 1. … 2. …" is one finding, its items the reasons.
import { contentWords } from './text/tokens.ts';
import type { Line, Turn } from './turn.ts';
import { isChatter, isOffer, isVerification } from './words/chatter.ts';
import { isListing, isQuestion } from './words/finding.ts';
import { announcesOpenWork } from './words/open-heading.ts';
import { startsWithPastVerb, typeOfVerb } from './words/verbs.ts';

export type ExplainedList = { title: string; items: Line[] };

/** Null when the closing message holds no such list; `free` are the lines that nothing else tells. */
export function findExplainedList(turn: Turn, free: Line[]): ExplainedList | null {
  const said = turn.closing?.statements ?? [];
  if (!turn.prompts.some((prompt) => asksToKnow(prompt.text))) return null;
  const items = said.filter((line) => line.item && free.includes(line) && isReason(line));
  const listed = new Set(items.map((line) => line.block));
  const all = new Set(said.filter((line) => line.item).map((line) => line.block));
  if (listed.size < 2 || listed.size < all.size * 0.6 || !items.some((line) => EXPLAINS.test(line.text))) return null;
  const title = titleFor(said, items);
  return title === null ? null : { title, items };
}

/** "Get that researched, I have no idea how caches work". */
function asksToKnow(prompt: string): boolean {
  return isQuestion(prompt) || /\b(?:researched|investigated|looked into|no idea (?:how|why|what)|why)\b/i.test(prompt);
}

function isReason({ text, section }: Line): boolean {
  if (isChatter(text) || isOffer(text) || isVerification(text) || isListing(text) || /[?:]$/.test(text)) return false;
  return contentWords(text).size >= 3 && !isDeed(text) && !announcesOpenWork(section);
}

/** What was done or is to be done explains nothing. */
function isDeed(text: string): boolean {
  return (
    startsWithPastVerb(text) || typeOfVerb(text) !== null || /^(?:use|run|try|install|open|go|do|call)\b/i.test(text)
  );
}

const EXPLAINS =
  /\b(?:because|since|so(?: that)?|therefore|hence|which (?:means|is why|makes|causes)|due to|never|nothing|only|without|no \w+|not|each|every|limit\w*|cannot|too \w+)\b|n['’]t\b/i;

/** The sentence the list explains stands right before it, or leads it in: "Two reasons why the build is slow:". */
function titleFor(said: Line[], items: Line[]): string | null {
  const first = items[0];
  if (!first) return null;
  const before = said.slice(0, said.indexOf(first)).filter((line) => !line.item);
  const lead = before.find((line) => !isChatter(line.text) && !/[?:]$/.test(line.text) && statesSomething(line.text));
  if (lead && CHOICES.test(lead.text)) return null;
  if (lead) return withoutLabel(lead.text);
  return /\b(?:why|because|reasons?|causes?)\b/.test(first.section) && contentWords(first.section).size >= 3
    ? `${first.section}: ${first.text}`
    : null;
}

/** A list of what one could do is no explanation. */
const CHOICES = /\b(?:options?|ways|alternatives?|variants?|choices|approaches|candidates|steps)\b/i;

const statesSomething = (text: string): boolean => contentWords(withoutLabel(text)).size >= 2 && text.length >= 20;

const withoutLabel = (text: string): string =>
  text.replace(
    /^(?:the )?(?:short (?:version|answer)|in (?:short|brief)|tl;?dr|answer|result|verdict|conclusion)\s*[:,—–-]\s*/i,
    '',
  );
