// Headings and labels that announce open work: what stands under or after them is to be done.

const WORDS = [
  'next steps?|next up|next (?:session|time)|up next|follow[- ]?ups?|hand-?over|backlog|loose ends|action items?|things to do|to-?dos?|wip|in progress',
  "remain(?:s|ing)?|what(?:['’]s| is| are)? ?(?:still )?(?:left|next|missing|open|remains|needed)|what still|left[- ]?overs?|left to do|left out|leftover work",
  'still (?:to (?:do|be|come)|open|needed|needs?|missing|left|pending|outstanding|on (?:my|the|your) list)|to be (?:done|decided|clarified)',
  'not (?:yet )?(?:passing|working|green|solved|ready|fixed|done|covered|implemented|addressed|included|finished|verified|tested|handled|migrated|in this)|undone|unfinished|untested|unverified|incomplete',
  'outstanding|open (?:items|questions?|issues|points|tasks|work|ends|topics)|pending(?: tasks?| work| items?)?|blocked|parked|punted|deferred|postponed|out of scope',
  'future work|still (?:red|failing|broken)|failing|later|(?:for |left for )?tomorrow|known (?:gaps?|limitations?|issues?)|limitations?|gaps',
  String.raw`before (?:we|the|this|it|you|that|I|going|mer|deploy|releas|ship|launch|prod|rollout|go-?live|next)\w*|prior to (?:release|merg|deploy)\w*`,
  "you(?:['’]ll| will)? (?:still |also )?(?:need|have) to|you should|your turn|for you to do|(?:needs?|waiting for|questions? for) (?:you|your)|when you(?:['’]re| are) back",
  "what (?:I|we) (?:did(?:n['’]t| not)|have(?:n['’]t| not)|left|would do)|not included|manual(?: steps?)?(?: left)?|requires? (?:action|attention|follow)|needs (?:action|attention|work)",
];
const FOREIGN =
  /nächste schritte|noch (?:offen|zu tun|zu erledigen)|was (?:noch )?fehlt|offene? punkte|prochaines étapes|reste à faire|à faire|próximos p(?:asos|assos)|pendientes?|por hacer|falta(?:n|ndo)?\b|下一步|待办|剩余|次のステップ|残り|다음 단계|следующие шаги|осталось/i;
const SECTION = new RegExp(`\\b(?:${WORDS.join('|')})\\b`, 'i');
const NOT_OURS =
  /\b(?:to (?:test|try|use|run|verify)|how to|usage|setup|test it|already)\b|^(?:completed|done|what (?:was|were) (?:left|missing))\b/i;

export function announcesOpenWork(section: string): boolean {
  if (section === '') return false;
  return (SECTION.test(section) || FOREIGN.test(section)) && !NOT_OURS.test(section);
}

const LABEL =
  /^(?:next(?: steps?| up)?|remaining|to-?do|follow[- ]?ups?|still (?:open|to do|to come|missing|left|needed|pending|outstanding)|left to do|left[- ]?over|open(?: (?:questions?|points?|items?|issues?|tasks?))?|pending|not (?:yet )?(?:done|covered|included|implemented|tested|migrated|verified|green|passing|working|solved|fixed|ready|finished|handled|addressed)(?: yet)?|(?:still )?fails|deferred|outstanding|remaining (?:work|items?|tasks?)|what(?:['’]s| is)? (?:left|missing|remains)|left(?: for \w+)?|tomorrow|(?:for )?later|next (?:thing|task|session)|not in this (?:change|PR|commit)|what (?:is|are|was|I|we|it|this)(?: (?:still|would))? (?:not|missing|left|did(?:n['’]t| not)|have(?:n['’]t| not)|does(?:n['’]t| not)|lacks?|would do|do)\b[^:]{0,40}|(?:now|right now|currently|still) (?:broken|failing|red|open)|(?:one|two|three|four|a few|some|\d) (?:loose ends?|follow-?ups?|open \w+|things? (?:left|open|remain\w*|to do|missing)|to-?dos?)[^:]{0,20}|(?:still )?on (?:your|my|the) (?:plate|list|side)|still on \w+ (?:plate|list|side)|afterwards|after that|watch out|be careful[^:]{0,30}|(?:still )?(?:failing|red|broken)|for (?:you|ops|the team|whoever)[^:]{0,30}|action(?: needed| required)?|reminder|pick up[^:]{0,20}|handover|skipped|missing|left out|known gaps?|(?:one )?caveat|heads[- ]up|to be (?:decided|done)|unfinished|parked|postponed|blocked|waiting|noch offen|offen|nächste schritte|nächster schritt|als nächstes|falta|pendiente|siguiente(?: paso)?|reste à faire)(?:\s*(?:[:—–]|-\s|,)|\s+(?:is|are)\b(?! (?:called|not|now|always|never|run|read|empty)))/i;
const STRIPPED =
  /^(?:what (?:I|we) (?:would do|do) next|not (?:yet )?done(?: yet)?|reminder|action(?: needed| required)?|next(?: steps?| up)?|remaining|to-?do|follow[- ]?ups?|still (?:open|to do|left|pending)|left to do|TODO|FIXME|pending|open|noch offen|offen|pendiente|nächster schritt)\s*(?:[:—–]|-\s|,|is to\b|would be to\b)\s*/i;

export function hasOpenLabel(text: string): boolean {
  return LABEL.test(text);
}

export function stripOpenLabel(text: string): string {
  return text.replace(STRIPPED, '') || text;
}
