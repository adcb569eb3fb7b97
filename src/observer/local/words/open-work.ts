// Sentences that say some work is open, by their grammar: "still needs", "not yet", "before the release it has to".

export function saysOpen(text: string): boolean {
  return OPEN.some((pattern) => pattern.test(text));
}

/** Said right after open work, a duty is open work too. */
export function goesOnOpen(text: string): boolean {
  return /^(?:and|also|then|plus|after that|finally|besides)\b.{8,}|\b(?:also|then) (?:has|have|needs?|must|should|wants?)\b|\b(?:has|have|needs?) (?:also )?to \w+|\bmust \w+|\bshould \w+/i.test(
    text,
  );
}

const DO =
  '(?:remove|run|rerun|re-run|apply|swap|rotate|bump|switch|drop|delete|add|update|create|enable|set|deploy|merge|check|test|verify|restart|revisit|redo|regenerate|announce|tell|ask|migrate|backfill|replace|renew)';

const OPEN: RegExp[] = [
  /\b(?:is|are)(?: not|n['’]t) (?:set up|in place|ready|configured|written|installed|created|hooked up|live)\b(?!.{0,20}\bso (?:I|we)\b)/i,
  /(?:^|[,;] )(?:please )?have (?:someone|somebody|legal|ops|QA|a native)\b|\b(?:for|on) another (?:day|time|PR|change|session)\b|\b(?:project|task|ticket|topic|change|PR) of its own\b|\blet['’]?s revisit\b/i,
  /\bshould (?:go|disappear|move|be \w+ed)\b.{0,40}\b(?:when|once|as soon as)\b|^(?:once|when|as soon as)\b[^,]{3,80}, .{3,80}\b(?:finish(?:es)?|completes?|is enough|will do)\b/i,
  /\bha(?:s|ve) to be (?:\w+ed|\w{3,}en|cut|sent|rebuilt|reset|rerun|re-run|redone)\b/i,
  /^(?!(?:when|after|before|once|if|since|while|until|with|without|from|for|on|in|at|by|as|and|but|so|then|now|because|also|only|both|all|over|under|inside|like|unless|though|although|where|that|what|is|are)\b)[A-Z][a-z]+ (?:it|them|the|these|those|this|that|all)\b.{0,100}\b(?:once|as soon as|when .{3,60} (?:is|are|has|have)|before the|after the)\b/,
  /\b(?:I|we)(?:['’]d| would)\b(?! (?:not|rather|have)\b).{2,100}\b(?:next|after|once|before|later)\b|^then\b.{3,80}\bcan (?:go|be \w+ed)\b/i,
  /\b(?:remain|remains|stay|stays) (?:red|broken|failing|flaky|open|slow|unfixed)\b|\b(?:is|are) (?:still )?(?:red|failing)\b(?! (?:on|since|because of) (?:main|you))/i,
  /\b(?:goal|target|requirement|limit|budget)\b.{0,60}\b(?:is|are|was) (?:not (?:met|reached|there)|missed)\b|\bthe remaining (?:time|failures?|errors?|warnings?|cost|problems?|issues?|gap|tests?|cases?|ones?)\b/i,
  /\b(?:I|we) (?:could|can) only (?:check|test|verify|run|try)\b|\bshould (?:get|receive) (?:the same|an?)\b|\bwhoever\b.{3,60}\b(?:has to|must|should|needs? to)\b/i,
  /\bmust only (?:run|be|go|happen)\b|\b(?:in|with|for) the (?:release after|next (?:release|version|deploy\w*|sprint))\b|\bwould(?:n['’]t| not) (?:merge|ship|deploy|release)\b.{0,60}\b(?:before|until|yet)\b/i,
  /\bwould (?:be|take|cost) (?:about |only |roughly |some |maybe )?(?:an?|\d+|half|two|three|a few) (?:\w+ )?(?:hours?|days?|minutes?|lines?|weeks?)\b|\bstill runs? (?:\w+ )?v?\d/i,
  /\b(?:stays?|remains?|off|disabled|blocked|red|open|fails?|broken|waits?|is|are)\b.{0,40}\b(?:until|unless) (?:someone|somebody|you|we|ops|they)\b.{3,60}|\b(?:needs?|wants?) (?:your|an? (?:decision|answer|owner|ticket|review|sign-?off|restart|re-?run|rebuild|second look|look))\b/i,
  new RegExp(
    String.raw`(?:^|[,;:—–-] )(?:please |then )?${DO}\b.{2,100}\b(?:after|before|once|as soon as|(?:on|in) (?:prod|production|staging)|by hand|later|tomorrow)\b`,
    'i',
  ),
  new RegExp(String.raw`^(?:once|when|after|as soon as)\b[^,]{3,80}, (?:please |then )?${DO}\b`, 'i'),
  /^(?:\w+ ){0,2}(?:things?|steps?|points?|items?|tasks?) (?:(?:is|are) )?(?:left|missing|open|remaining|before|to do|still)\b[^:]{0,40}:\s/i,
  /\b(?:remember|don['’]t forget|do not forget|make sure|be sure) to\b/i,
  /\b(?:someone|somebody) (?:\w+ ){0,4}(?:(?:has|needs) to|must)\b|\b(?:is|are) up to you\b/i,
  /\b(?:could|can)(?:n['’]t|not| not) (?:yet )?(?:test|verify|run|check|try|confirm)\b|\buntested\b/i,
  /\b(?:preliminary|provisional|stop-?gap|for the time being)\b|\b(?:is|are|still) (?:only |just )?(?:an? )?placeholders?\b/i,
  /\b(?:I|we)(?:['’]d| would)\b.{2,100}\bnext\b|\bin a (?:second|later|next) (?:step|pass|phase|round)\b/i,
  /\bneeds? (?:the same|another|some|more|proper|attention)\b|\b(?:has|have) the same (?:bug|problem|issue|flaw|race|default|mistake|gap|pattern)\b|\bthe same (?:bug|problem|issue|flaw|race) (?:is|sits|exists) in\b|, (?:not touched|untouched)\b/i,
  /\bha(?:s|ve) to be (?:run|upgraded|updated|migrated|deployed|restarted|rotated|created|removed|added|backfilled|enabled|translated|reviewed|applied|merged|renewed|cleaned)\b/i,
  /\bthere(?:['’]s| is| are) (?:still )?no (?:\w+ )?(?:tests?|alerts?|docs?|documentation|monitoring|rollback|backups?|coverage)\b/i,
  /\bwould (?:help|be (?:a good idea|nice|useful|helpful|worth))\b/i,
  /[:—–-] (?:later|tomorrow|next (?:week|sprint|time)|not yet|open|tbd|todo|pending|missing|left for later)[.!]?$/i,
  /\bshould (?:look|check|review|retest|double-check|confirm|verify|decide)\b/i,
  /\bstill (?:flaky|red|broken|slow|failing|disabled|off|manual|wrong|unclear|unknown|skipped|commented)\b|\bfollows? (?:after|in|on|next|later|once)\b/i,
  /^(?:watch|monitor|keep an eye on)\b|\bif\b.{3,60}\bagain\b.{0,40}\b(?:need|must|should)\b|\b(?:problem|issue|question|risk|gap) remains?\b/i,
  /\b(?:off|disabled|on hold|behind a flag)\b.{0,40}\buntil\b|\b(?:is|are) (?:now )?(?:outdated|out of date)\b/i,
  /\b(?:QA|ops|support|design|legal|security|marketing|accounting|the (?:\w+ )?(?:team|vendor|client|customer)) (?:still )?(?:has to|have to|needs? to|must)\b/i,
  /\bfor (?:prod|production)\b.{0,30}\bneeds?\b/i,
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
  /\bstill (?:points?|uses?|reads?|calls?|refers?|depends?|rel(?:y|ies)|counts?|ha(?:s|ve)|contains?|carr(?:y|ies)|assumes?|expects?|references?|goes? to|lists?|shows?|says?|mentions?|imports?|sends?|writes?|runs? (?:on|in|with|under|the)|lacks?|fails?|describes?|documents?|lives?|sits?|targets?|hard-?codes?|duplicates?|wants?|breaks?|complains?|warns?|open)\b/i,
  /\b(?:is|are|was|were|has|have)(?: not|n['’]t) (?:been )?(?:run|applied|pushed|deployed|merged|released|published|migrated|backfilled|translated|documented|covered|tested|wired|rolled out|enabled|rotated|reviewed|verified|updated|corrected|cleaned|announced|scheduled)\b(?! by (?:us|me))/i,
  /\b(?:I|we) (?:have|did)(?: not|n['’]t) (?:yet )?(?:run|appl(?:y|ied)|push(?:ed)?|deploy(?:ed)?|merg(?:e|ed)|release[d]?|publish(?:ed)?|migrate[d]?|rotate[d]?|rebuil[dt]|restart(?:ed)?|translate[d]?|document(?:ed)?)\b/i,
  /\bha(?:s|ve) no (?:\w+ )?(?:tests?|docs?|documentation|template|translations?|index|alerts?|monitoring|rollback|retry|owner|backups?|screenshots?|changelog|entry)\b/i,
  /\b(?:remains? to be|is yet to|are yet to|(?:the )?(?:only|last|one) (?:task|thing|item|piece|step|part|point)s? (?:that is )?(?:left|open|remaining|missing)|(?:is|are) (?:all )?that (?:is|are) left|(?:is|are) left (?:to|for|over)\b)/i,
  /\b(?:we|you|someone|ops) should (?!be (?:fine|good|ok|safe)|have\b|see\b|now\b|not (?:need|see))\w+/i,
  /\b(?:noch nicht|fehlt noch|fehlen noch|muss noch|müssen noch|steht noch aus|bleibt noch|als nächstes|todavía (?:no|falta)|aún (?:no|falta)|queda(?:n)? por|falta(?:n)? (?!de\b)\w+|pas encore|il (?:reste|manque))\b/i,
  /\b(?:you|we) (?:may|might|could) (?:also |still )?want to\b|^(?:also )?consider \w+ing\b|\b(?:I|we)(?:['’]d| would)? (?:recommend|suggest) \w+ing\b|\bit (?:would|might|may) be (?:good|worth|wise|better) to\b/i,
  /\b(?:I|we) (?:plan|intend|want|would like|['’]d like) to\b|\b(?:I|we)(?:['’]ll| will) (?!now\b|see\b|be able|(?:start|begin) (?:by|with)\b|take a (?:\w+ )?look\b|go ahead\b|examine\b|explore\b|make the (?:edit|change)s?\b)\w+/i,
  /\bneeds? (?:\w+ing\b(?!s)|to be \w+(?:ed|en|t|un)\b)|(?<!\bif \w+ )\b(?:is|are) (?:still )?missing\b|(?<!\bwhere\b.{0,60})\byet[.!]?$/i,
  /\b(?:must|has to|have to|should) be \w+(?:ed|en|t|un)\b.{0,80}\b(?:before|after|once|when|until|next|later|manually|in production)\b/i,
  /\b(?:I|we) (?:have |['’]ve )?(?:left|leave|parked|punted|postponed|deferred|skipped|did(?:n['’]t| not) (?:touch|do|get to|change|migrate|update|add|cover|implement|handle|finish|wire|write|test|port)|stopped (?:before|short))\b/i,
  /\b(?:is|are|stays?|remains?) (?:still )?(?:untouched|unfinished|half[- ]done|pending|outstanding|incomplete|untested|undocumented|unresolved|disabled for now|behind a flag|a stub|stubbed|hard-?coded)\b/i,
  /\b(?:comes? next|up next|is next|are next|to finish|to be done|still ahead|follows? (?:in|later)|can be (?:removed|dropped|deleted|enabled|switched) (?:once|after|when|later))\b/i,
  /\b(?:blocked (?:on|by|until)|depends on .{3,60} (?:first|before)|pick (?:it|this|that) up|continue with|needs? (?:a )?follow-?up)\b/i,
  /\b(?:worth (?:adding|doing|looking|checking|fixing|a)|should (?:probably )?(?:be|get|have|follow|happen|move|switch|drop|remove|add))\b.{0,80}\b(?:next|later|soon|eventually|too|as well|at some point|afterwards|before|after|once|separately)\b/i,
  /\b(?:long[- ]term|eventually|at some point|ideally|in the long run)\b.{0,60}\b(?:should|could|need|must|want)/i,
  /^I['’](?:d|ll) (?:continue|suggest|recommend|propose)\b|^I['’]d (?:start|begin)\b|^I['’]ll (?:start|begin)\b(?! (?:by|with)\b)/i,
  /\bnext,? (?:I|we|you)(?:['’]d|['’]ll| would| will| should| can| could)\b/i,
  /\b(?:one|only|last) (?:more )?thing (?:that['’]s )?(?:left|remaining|missing|to do)\b|\bwhat (?:remains|is left|['’]s left)\b/i,
  /^(?:once|after|before|as soon as)\b[^:]{3,100}\b(?:needs? to|has to|have to|must|should)\b/i,
  /\b(?:before|after) (?:merging|deploying|release|the release|shipping)\b.{0,20}\b(?:need|must|should|run|add)/i,
  /\bneeds? (?:a |an |to be )?(?:follow|done|added|decided|backfill|migrat|review|updated|rotated|cleanup|clean-up)/i,
];
