// Sentences in which an agent says back what a conversation has come to: "Settled: …", "Recap of the contract: …", "Got it - …".
import type { Line } from '../turn.ts';
import { isChatter, isOffer } from './chatter.ts';

const KIND =
  'recap|summary|shape|rule|rules|policy|contract|spec|semantics|behaviou?r|order|sequence|design|decision|agreement|split|map|mapping|set|list|budget|limit';
const HOW =
  'final|full|quick|short|complete|amended|updated|revised|corrected|agreed|new|definitive|settled|resulting|explicit|pinned';

/** A colon, and what holds behind it. */
const ANNOUNCED = new RegExp(
  String.raw`^(?:so|then|ok(?:ay)?|right|great|perfect|alright)?[,:]?\s*(?:settled|agreed|decided|confirmed|locked in|for the record|in short|in summary|to (?:be (?:explicit|clear|precise)|sum(?: it)? up|summari[sz]e|recap|restate)|putting it (?:all )?together|(?:(?:the|our|my|a) )?(?:(?:${HOW}) )+(?:${KIND})|(?:the |our )?recap)\b[^:.?!]{0,90}:\s+\S.{15,}`,
  'i',
);
const NAMED = new RegExp(
  String.raw`\b(?:the|our) (?:(?:${HOW}|acronym|retry|symbol|override) )*(?:${KIND})\b[^.?!:]{0,60}? (?:is|are|becomes?)(?: now| then)?(?: exactly)? \S.{3,}|\b(?:is|are|should be|must be|stays?|means?) exactly\b|\b(?:is|are):\s+\S`,
  'i',
);

/** The sentence announces what holds from now on, or names it as the rule. */
export const announcesResult = (text: string) => ANNOUNCED.test(text);
const namesResult = (text: string) => NAMED.test(text);

const ACKNOWLEDGED =
  /^(?:got it|understood|right|ok(?:ay)?|perfect|excellent|great|makes sense|clear|confirmed|noted|agreed|exactly|good|that(?:['’]s| is) clear|done)\b(?=\s*[,.:;!—–-]|\s+so\b)/i;

/** The message begins by taking up what the user has said. */
export const acknowledges = (text: string) => ACKNOWLEDGED.test(text.trim());

const RULE =
  /\b(?:exactly|always|never|must|only|first|then|before|after|both|every|all|not|no longer|unconditional(?:ly)?|regardless|either way|whatever|rather than|instead|except|consistent(?:ly)?|deterministic|stays?|becomes?|means|rejects?|raises?|returns?|counts?|is|are|runs?|wins?|takes?|keeps?)\b|->|→|=/i;
const PLAN =
  /^(?:(?:so|then|now|next|first|finally|okay|ok|and),? )*(?:I['’]?ll\b|I will\b|I['’]m (?:going|making|about)|I am (?:going|making)|let me\b|let['’]?s\b|we['’]ll\b|we will\b|here(?:['’]s| is)\b|running\b|my (?:plan|goal|apologies)\b|to (?:verify|implement|confirm|avoid|make|do)\b|before I\b)/i;
const UNSURE =
  /\b(?:might|maybe|perhaps|probably|could|would|seems?|sounds? like|suggests?|suspect|likely|I think|I believe|appears? to|assum\w+|apologies|sorry|should (?:resolve|fix|help|work|now))\b|^I['’]d\b/i;

/** Says what is so: neither asks, nor plans, nor guesses. */
export function isStatement({ text }: Pick<Line, 'text'>): boolean {
  if (text.endsWith('?') || text.endsWith(':') || PLAN.test(text) || UNSURE.test(text)) return false;
  return !isOffer(text) && !isVerified(text);
}

/** A statement of a rule. */
export const statesRule = (line: Pick<Line, 'text'>) =>
  isStatement(line) && (namesResult(line.text) || (RULE.test(line.text) && !isChatter(line.text)));

const isVerified = (text: string) =>
  /\b(?:tests?|suite|simulation|output)\b.{0,40}\b(?:pass\w*|confirm\w*)\b/i.test(text);

/** How much a statement has of a last word. */
export const resultWeight = ({ text }: Pick<Line, 'text'>) =>
  (announcesResult(text) ? 4 : 0) +
  (namesResult(text) ? 2 : 0) +
  (/\b(?:always|never|only|must|should not|deliberately|by design)\b/i.test(text) ? 1 : 0);

/** The same for a title: what hangs on the sentence before it is none. */
export const titleWeight = (line: Pick<Line, 'text'>) =>
  resultWeight(line) - (/^(?:this|that|it|these|those)\b/i.test(line.text) ? 3 : 0);

const LABEL =
  /^(?:(?:so|then|ok(?:ay)?|right|got it|understood|great|perfect|excellent|makes sense|confirmed|agreed|noted|done|exactly|settled|decided|locked in|in short|in summary|to (?:sum(?: it)? up|summari[sz]e|recap|be (?:explicit|clear|precise)))(?: then)?\s*(?:[,.:;!—–]|-(?=\s))+\s*(?:so\b,?\s*)?|(?:final |quick |short )*recap(?: of)?(?: then)?\s*:?\s+|to be (?:explicit|clear) about\s+)+/i;

/** Without the words that only announce it. */
export function withoutLabel(text: string): string {
  const rest = text.replace(LABEL, '');
  return rest.length >= 12 ? rest : text;
}
