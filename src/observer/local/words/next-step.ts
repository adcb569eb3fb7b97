// What a message says is still to be done.
import { contentWords } from '../text/tokens.ts';
import type { Line } from '../turn.ts';
import { isChatter, isOffer } from './chatter.ts';
import { stripSpeaker } from './lead-in.ts';
import { startsWithPastVerb } from './verbs.ts';

const SECTION =
  /\b(?:next steps?|next up|remaining|to-?dos?|follow[- ]?ups?|still (?:to do|open|needed|missing|left)|left to do|what(?:['’]s| is) (?:left|next|missing)|not (?:yet )?done|outstanding|open (?:items|questions|issues|points|tasks|work)|future work|pending(?: tasks?| work| items?)?|later|known (?:gaps|limitations)|not (?:yet )?(?:covered|implemented|addressed|included)|deferred|out of scope)\b|nächste schritte|noch offen|prochaines étapes|reste à faire|próximos p(?:asos|assos)|pendiente|下一步|待办|剩余|次のステップ|残り|다음 단계|следующие шаги|осталось/i;
const NOT_OURS = /\b(?:to (?:test|try|use|run|verify)|how to|usage|setup|test it|already)\b|^(?:completed|done)\b/i;
const LABEL =
  /^(?:next(?: steps?| up)?|remaining|to-?do|follow[- ]?ups?|still (?:open|to do|missing|left|needed|pending)|left to do|open(?: questions?)?|pending|not done(?: yet)?|deferred|outstanding|remaining (?:work|items?|tasks?)|what(?:['’]s| is) left|left(?: for \w+)?|tomorrow|for later|next (?:thing|task))\s*(?:[:—–]|-\s|is\b|are\b|,)/i;
const SENTENCE: RegExp[] = [
  /\bstill (?:need(?:s|ed)?|have|has|want|must|missing|to (?:do|be)|open|outstanding|pending|left|requires?|lacks?)\b/i,
  /\b(?:remains?|left) (?:to (?:be )?(?:do|done|add|wire|migrate|write|implement|fix|port|convert|update|test)|open|for (?:later|another|a follow|the next|tomorrow))/i,
  /\b(?:follow[- ]?up|next step|next session|next time|later on|tomorrow|in a (?:separate|later|future|follow-?up) (?:PR|change|commit|pass|step|session)|separate (?:PR|ticket|issue|change))\b/i,
  /\b(?:haven['’]t|hasn['’]t|have not|has not|not|isn['’]t|aren['’]t|didn['’]t) (?:yet )?(?:been )?(?:implemented|done|added|wired|migrated|tested|covered|addressed|updated|converted|handled|ported|started|touched|hooked up|get to|gotten to|deployed|documented)\b.{0,60}\byet\b/i,
  /\b(?:I|we) (?:still )?need (?:to know|your|a decision|input|you to)\b|\bopen question\b|\bwaiting (?:for|on)\b/i,
  /\b(?:not yet|yet to be|yet to)\b/i,
  /\byou(?:['’]ll| will)? (?:still |also )?(?:need|have) to\b/i,
  /\b(?:we|you|I|someone) (?:should|must|need to|will need to|ought to) (?:also |still |then |later |eventually |next |now )/i,
  /^(?:TODO|FIXME)\b/,
  /\bnext,? (?:I|we|you)(?:['’]d|['’]ll| would| will| should| can| could)\b/i,
  /\b(?:one|only|last) (?:more )?thing (?:that['’]s )?(?:left|remaining|missing|to do)\b|\bwhat (?:remains|is left|['’]s left)\b/i,
  /^(?:once|after|before|as soon as)\b.{3,100}\b(?:needs?|has|have|must|should) (?:to )?\w+/i,
  /\b(?:before|after) (?:merging|deploying|release|the release|shipping)\b.{0,20}\b(?:need|must|should|run|add)/i,
  /\bneeds? (?:a |an |to be )?(?:follow|done|added|decided|backfill|migrat|review|updated|rotated|cleanup|clean-up)/i,
];

export function findNextSteps(lines: Line[]): { text: string; line: Line }[] {
  return lines.flatMap((line) => {
    const text = nextStepIn(line);
    return text ? [{ text, line }] : [];
  });
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
  if (text.endsWith('?') || isPast(text)) return null;
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
  return (stripped || text).slice(0, 240).replace(/[.;]$/, '');
}
