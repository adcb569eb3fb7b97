// Sentences that carry nothing to remember: politeness, announcements, offers, bare results.
import { stripOpeners } from './lead-in.ts';
import { startsWithPastVerb } from './verbs.ts';

const CHATTER: RegExp[] = [
  /^(?:done|perfect|great|excellent|all (?:done|set|good|tests? (?:now )?pass(?:es|ed|ing)?)|here(?:['’]s| is| are)\b|let me\b|i['’]ll (?:now |start |check )|summary|no response requested|good (?:idea|question|catch|point)|you['’]re (?:absolutely )?right|sorry|thanks|thank you|sure|understood|got it|hope this)/i,
  /^(?:everything|it|this|that|the (?:plan|implementation|task|work|feature|plugin|change|fix|build|code)) (?:is|are|looks?|was|has been)(?: now| all| been)? (?:ready|complete|completed|done|finished|working|good|solid|in place|fixed|implemented|successful)\b.{0,25}$/i,
  /^committed(?: as| in|:)? `?[0-9a-f]{7,}\b.{0,6}$/i,
  /^(?:it|they|that|this|all|everything|both|the \w+) (?:now )?pass(?:es|ed)?\b.{0,12}$/i,
  /^(?:it|that|this|everything|the \w+) works(?: now| fine| as expected| perfectly)?[.!]?$/i,
  /^(?:plan|changes?|files?|docs?) (?:updated|made|changed)\b.{0,30}:?$/i,
  /^(?:sources?|references?|files? (?:changed|modified|created)|changes made|usage|example)\b.{0,20}:?$/i,
];

export function isChatter(sentence: string): boolean {
  const text = stripOpeners(sentence.trim());
  return text.length < 8 || CHATTER.some((pattern) => pattern.test(text));
}

/** "Until tomorrow.", "See you on Monday!" */
export function isFarewell(sentence: string): boolean {
  return /^(?:(?:thanks|thank you|ok(?:ay)?|great|good|alright)[,!.]? )?(?:(?:see|talk to|speak to) you|until (?:tomorrow|then|later|next (?:time|week)|\w+day)|till (?:tomorrow|then)|tomorrow (?:then|it is)|good ?night|good ?bye|bye|have a (?:nice|good|great|lovely)|enjoy (?:the|your)|bis (?:morgen|dann|später)|hasta|à demain)\b[^:;]{0,30}$/i.test(
    sentence.trim(),
  );
}

const OFFER =
  /\b(?:let me know|would you like|do you want|want me to|shall I|should I|happy to|feel free|if you(?:['’]d)? (?:like|want|prefer|need)|I can (?:also )?\w+ .*(?:if|\?)|just say|any (?:questions|feedback|changes)|tell me)\b/i;

export function isOffer(sentence: string): boolean {
  return OFFER.test(sentence);
}

/** What the agent could not do or see is a caveat, neither cause nor result. */
export function isCaveat(sentence: string): boolean {
  return /\b(?:could(?:n['’]t| not)|can(?:['’]t|not| not)|unable to|was(?:n['’]t| not) able to) (?:fully |actually |really )?(?:run|test|verify|check|reproduce|confirm|execute|build|compile)\b|\buntested\b|\bnot (?:been )?(?:tested|verified|run)\b|\bwithout (?:running|testing)\b/i.test(
    sentence,
  );
}

/** "Type check passes again: guarded the id" goes on with what was done. */
export function afterColon(sentence: string): string {
  return /^[^:;]{3,60}[:;]\s+(?:I |we )?(.{8,})$/.exec(sentence)?.[1] ?? '';
}

/** "All 41 tests pass", "tsc is clean": what a check said, not what was done. */
export function isVerification(sentence: string): boolean {
  if (startsWithPastVerb(sentence) || /^(?:I|we)\b/i.test(sentence) || startsWithPastVerb(afterColon(sentence)))
    return false;
  return (
    /\b(?:tests?|specs?|suite|build|lint(?:er|ing)?|typecheck|tsc|type check|checks?|examples|CI)\b.{0,60}\b(?:pass(?:es|ed|ing)?|green|clean|succeed(?:s|ed)|ok|fail(?:s|ed|ing)?)\b/i.test(
      sentence,
    ) && !/\b(?:because|fixed|added|cause)\b/i.test(sentence)
  );
}
