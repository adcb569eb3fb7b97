// Takes off what people and agents put before the thing they say: "Done! I've also", "Could you please".
import { bareText } from '../text/plain.ts';
import { imperative } from './verbs.ts';

const OPENERS =
  /^(?:ok(?:ay)?|done|great|perfect|excellent|good (?:idea|catch|point|news)|good|sure|yes|yep|nice|all done|all set|finished|you (?:guessed|were|are|['’]re) (?:absolutely |quite )?(?:right|correct)|behoben|gefixt|erledigt|fertig|also|additionally|finally|then|so|now|and|but|first|second(?:ly)?|third|next|in addition|in (?:summary|short)|overall|basically|actually|note(?: that)?|importantly|as requested|for now|hm+|well|please|summary|result|(?:the )?fix(?:ed)?|fix applied|solution|changes?|decision|what (?:I|we) (?:changed|did|fixed)|tl;dr|btw|oh|alright|right|one (?:more |last |other )?(?:thing|rule|point)(?: though)?|by the way|understood|fine|cool|deal|got it|sure thing|makes sense|no problem|agreed)\s*(?:[,:!.—–]|-(?=\s))\s*/i;
const SPEAKER =
  /^(?:(?:I|we) (?:(?:now|still|do) )?(?:believe|think|guess|suspect|assume|feel|suppose)(?: that|,)? |(?:I(?:['’]m| am)|we(?:['’]re| are)) (?:now )?(?:\w+ )?(?:sure|certain|confident)(?: now)?(?: that|:|,) |(?:most |very )?(?:likely|probably|presumably|apparently),? (?=\w+ \w+ \w))?(?:(?:I|we)(?=['’\s])(?:['’]ve| have|['’]ll| will|['’]m| am|['’]re| are)?\s+(?:(?:also|now|just|then|first|initially|successfully|therefore|ended up|went ahead and|since|already)\s+)*)?/i;
const REQUEST =
  /^(?:(?:and|but|also|so|then|ok|okay|oh)(?=\s)|(?:can|could|would|will) (?:you|we)(?: please)?(?: help me)?(?: to)?|please|pls|bitte|por favor|I(?:['’]d)? (?:want|need|would like|like)(?: you)? to|you(?:['’]ll)? (?:need|have) to|let['’]?s|lets|we (?:are going|need|want|should|have) to|we should|we['’]re going to|help me(?: to)?|go ahead and|spawn an? (?:sub)?agent to|now|next|just|are you able to|hey|hi|hello)[,!]?\s+/i;

/** "/fix the login" asks for what follows it. */
const SLASH_COMMAND = /^\/[a-z][\w:-]{0,40}\s+(?=\S{3})/;

/** An agent's sentence as a headline: "I've also fixed the race" → "Fix the race". */
export function headline(sentence: string): string {
  return imperative(stripSpeaker(sentence));
}

/** Without opener and speaker, tense unchanged. */
export function stripSpeaker(sentence: string): string {
  const text = stripOpeners(bareText(sentence));
  const without = text.replace(SPEAKER, '');
  return without.length >= 8 ? without : text;
}

/** "Understood: the limit is 5" → "the limit is 5"; an opener that stands alone stays. */
export function stripOpeners(sentence: string): string {
  let text = sentence;
  for (let guard = 0; guard < 4; guard++) {
    const shorter = text.replace(OPENERS, '');
    if (shorter === text || shorter.length < 8) break;
    text = shorter;
  }
  return text;
}

/** A user's sentence as a goal: "can you please fix the login?" → "fix the login". */
export function stripRequest(sentence: string): string {
  let text = bareText(sentence).replace(SLASH_COMMAND, '');
  for (let guard = 0; guard < 5; guard++) {
    const shorter = text.replace(OPENERS, '').replace(REQUEST, '');
    if (shorter === text || shorter.length < 4) break;
    text = shorter;
  }
  return text;
}
