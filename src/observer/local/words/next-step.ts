// What a message says is still to be done.
import { contentWords } from '../text/tokens.ts';
import type { Line } from '../turn.ts';
import { isChatter, isOffer } from './chatter.ts';
import { readDecision } from './decision.ts';
import { stripSpeaker } from './lead-in.ts';
import { startsWithPastVerb } from './verbs.ts';

const SECTION =
  /\b(?:next steps?|next up|remaining|to-?dos?|follow[- ]?ups?|still (?:to do|open|needed|missing|left)|left to do|what(?:['’]s| is) (?:left|next|missing)|not (?:yet )?done|outstanding|open (?:items|questions|issues|points|tasks|work)|future work|pending(?: tasks?| work| items?)?|later|known (?:gaps|limitations|issues)|(?:for |left for )?tomorrow|parked|punted|before (?:we |the )?(?:ship|release|merge|deploy)\w*|loose ends|when you(?:['’]re| are) back|backlog|unfinished|blocked|what (?:I|we) did(?:n['’]t| not) do|not included|left out|limitations|to be (?:done|decided)|next (?:session|time)|hand-?over|questions? for you|what still|gaps|not (?:yet )?(?:covered|implemented|addressed|included)|deferred|out of scope)\b|nächste schritte|noch offen|prochaines étapes|reste à faire|próximos p(?:asos|assos)|pendiente|下一步|待办|剩余|次のステップ|残り|다음 단계|следующие шаги|осталось/i;
const NOT_OURS = /\b(?:to (?:test|try|use|run|verify)|how to|usage|setup|test it|already)\b|^(?:completed|done)\b/i;
const LABEL =
  /^(?:next(?: steps?| up)?|remaining|to-?do|follow[- ]?ups?|still (?:open|to do|missing|left|needed|pending)|left to do|open(?: questions?)?|pending|not done(?: yet)?|deferred|outstanding|remaining (?:work|items?|tasks?)|what(?:['’]s| is) left|left(?: for \w+)?|tomorrow|for later|next (?:thing|task)|not in this (?:change|PR|commit)|not included|skipped|missing|left out|known gaps?|(?:one )?caveat|heads[- ]up|to be decided|unfinished|parked|postponed)\s*(?:[:—–]|-\s|is\b|are\b|,)/i;
const SENTENCE: RegExp[] = [
  /\bstill (?:need(?:s|ed)?|have|has|want|must|missing|to (?:do|be)|open|outstanding|pending|left|requires?|lacks?)\b/i,
  /\b(?:remains?|left) (?:to (?:be )?(?:do|done|add|wire|migrate|write|implement|fix|port|convert|update|test)|open|for (?:later|another|a follow|the next|tomorrow))/i,
  /\b(?:follow[- ]?up|next step|next session|next time|later on|tomorrow|in a (?:separate|later|future|follow-?up) (?:PR|change|commit|pass|step|session)|separate (?:PR|ticket|issue|change|step|task|session))\b/i,
  /\b(?:haven['’]t|hasn['’]t|have not|has not|not|isn['’]t|aren['’]t|didn['’]t) (?:yet )?(?:been )?(?:implemented|done|added|wired|migrated|tested|covered|addressed|updated|converted|handled|ported|started|touched|hooked up|get to|gotten to|deployed|documented)\b.{0,60}\byet\b/i,
  /\b(?:I|we) (?:still )?need (?:to know|your|a decision|input|you to)\b|\bopen question\b|\bwaiting (?:for|on)\b/i,
  /\b(?:not yet|yet to be|yet to)\b|\bnot\b.{0,60}\byet\b/i,
  /\b(?:stays?|remains?|kept|left|disabled|hard-?coded)\b.{0,60}\bfor now\b/i,
  /\byou(?:['’]ll| will)? (?:still |also )?(?:need|have) to\b/i,
  /\b(?:we|you|I|someone) (?:should|must|need to|will need to|ought to) (?:also |still |then |later |eventually |next |now )/i,
  /^(?:TODO|FIXME)\b/,
  /\b(?:I|we) (?:have|had|did)(?:n['’]t| not) (?:yet )?(?:changed?|touch(?:ed)?|fix(?:ed)?|updat\w+|migrat\w+|test(?:ed)?|tr(?:y|ied)|add(?:ed)?|cover(?:ed)?|look(?:ed)?|remov\w+|renam\w+|verif\w+|check(?:ed)?)\b/i,
  /\bplease (?:check|verify|test|confirm|run|review|try|rotate|update|merge|restart)\b/i,
  /\blooks? (?:more )?promising\b|\bwould be the (?:better|next|right|cleaner|safer)\b|\bbetter (?:bet|option)\b/i,
  /\bunless\b.{3,60}\b(?:is|are|gets?) \w+ed\b|\bwill (?:fail|break|expire|run out)\b/i,
  /^(?:before|after|once|when|to (?:finish|verify|check|do|confirm|decide))\b[^:]{0,60}:\s+(?!(?:\S+\s){0,4}(?:is|are|was|were)\b)\S/i,
  /\b(?:someone|somebody|you|we|they|support|ops|the team) (?:has|have|needs?|must|should|will (?:have|need)) to\b/i,
  /\bstill (?:points?|uses?|reads?|calls?|refers?|depends?|relies|counts?|has|contains?|carr(?:y|ies)|assumes?|expects?|references?|goes to)\b/i,
  /\b(?:you|we) (?:may|might|could) (?:also |still )?want to\b|^(?:also )?consider \w+ing\b|\b(?:I|we)(?:['’]d| would)? (?:recommend|suggest) \w+ing\b|\bit (?:would|might|may) be (?:good|worth|wise|better) to\b/i,
  /\b(?:I|we) (?:plan|intend|want|would like|['’]d like) to\b|\b(?:I|we)(?:['’]ll| will) (?!now\b|see\b|be able)\w+/i,
  /\bneeds? (?:\w+ing\b(?!s)|to be \w+(?:ed|en|t|un)\b)|\b(?:is|are) (?:still )?missing\b|\byet[.!]?$/i,
  /\b(?:must|has to|have to|should) be \w+(?:ed|en|t|un)\b.{0,80}\b(?:before|after|once|when|until|next|later|manually|in production)\b/i,
  /\b(?:I|we) (?:have |['’]ve )?(?:left|leave|parked|punted|postponed|deferred|skipped|did(?:n['’]t| not) (?:touch|do|get to|change|migrate|update|add|cover|implement|handle|finish|wire|write|test|port)|stopped (?:before|short))\b/i,
  /\b(?:is|are|stays?|remains?) (?:still )?(?:untouched|unfinished|half[- ]done|pending|outstanding|incomplete|untested|undocumented|unresolved|disabled for now|behind a flag|a stub|stubbed|hard-?coded)\b/i,
  /\b(?:comes? next|up next|is next|are next|to finish|to be done|still ahead|follows? (?:in|later)|can be (?:removed|dropped|deleted|enabled|switched) (?:once|after|when|later))\b/i,
  /\b(?:blocked (?:on|by|until)|depends on .{3,60} (?:first|before)|pick (?:it|this|that) up|continue with|needs? (?:a )?follow-?up)\b/i,
  /\b(?:worth (?:adding|doing|looking|checking|fixing|a)|should (?:probably )?(?:be|get|have|follow|happen|move|switch|drop|remove|add))\b.{0,80}\b(?:next|later|soon|eventually|too|as well|at some point|afterwards|before|after|once|separately)\b/i,
  /\b(?:long[- ]term|eventually|at some point|ideally|in the long run)\b.{0,60}\b(?:should|could|need|must|want)/i,
  /^I['’](?:d|ll) (?:start|begin|continue|suggest|recommend|propose)\b/i,
  /\bnext,? (?:I|we|you)(?:['’]d|['’]ll| would| will| should| can| could)\b/i,
  /\b(?:one|only|last) (?:more )?thing (?:that['’]s )?(?:left|remaining|missing|to do)\b|\bwhat (?:remains|is left|['’]s left)\b/i,
  /^(?:once|after|before|as soon as)\b[^:]{3,100}\b(?:needs? to|has to|have to|must|should)\b/i,
  /\b(?:before|after) (?:merging|deploying|release|the release|shipping)\b.{0,20}\b(?:need|must|should|run|add)/i,
  /\bneeds? (?:a |an |to be )?(?:follow|done|added|decided|backfill|migrat|review|updated|rotated|cleanup|clean-up)/i,
];

export function findNextSteps(lines: Line[]): { text: string; line: Line }[] {
  return lines.flatMap((line) => {
    const text = nextStepIn(line);
    return text ? splitItems(text).map((item) => ({ text: item, line })) : [];
  });
}

/** "Next: add the index; document the endpoint" are two. */
function splitItems(text: string): string[] {
  const parts = text.split(/;\s+(?:and )?/).map((part) => part.trim());
  return parts.length > 1 && parts.every((part) => contentWords(part).size >= 2) ? parts : [text];
}

function nextStepIn(line: Line): string | null {
  const { text, section } = line;
  if (line.checked === true) return null;
  if (isOffer(text)) return concreteOffer(text);
  if (isChatter(text) && text.length < 20) return null;
  const listed = SECTION.test(section) && !NOT_OURS.test(section);
  const open = line.item && line.checked === false;
  if (listed && (line.item || !/:$/.test(text))) return tidy(text);
  if (open) return tidy(text);
  if (LABEL.test(text)) return tidy(text);
  if (text.endsWith('?') || isPast(text) || readDecision(line) !== null) return null;
  return SENTENCE.some((pattern) => pattern.test(text)) ? tidy(text) : null;
}

/** "The cache was not yet warm, so it failed" tells what was, not what is to do. */
function isPast(text: string): boolean {
  if (startsWithPastVerb(stripSpeaker(text))) return !/\b(?:still|yet|remaining|left)\b/i.test(text);
  return (
    /\b(?:was|were|had) (?:still|not yet|yet)\b|\b(?:bug|cause|because .{0,40}(?:was|were|did))\b/i.test(text) &&
    !/^(?:next|remaining|todo|follow)/i.test(text)
  );
}

const GENERIC = new Set(
  'any anyth change adjust help question proceed continu try commit push run it this that explain detail further anoth els need like want'.split(
    ' ',
  ),
);

/** "Would you like me to add an index on orders.customer_id?" names work; "Let me know if you need anything" does not. */
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
  const stripped = text
    .replace(
      /^(?:next(?: steps?| up)?|remaining|to-?do|follow[- ]?ups?|still (?:open|to do|left|pending)|left to do|TODO|FIXME|pending|open)\s*(?:[:—–]|-\s|,|is to\b|would be to\b)\s*/i,
      '',
    )
    .replace(/\s+/g, ' ')
    .trim();
  return (stripped || text).slice(0, 290).replace(/[.;]$/, '');
}
